"""Parameters of the cores that also create the hardware. Amaranth is imported when they do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

import runewire_model
from runewire_model import AnyTiming

from .collection import collection_paused

if TYPE_CHECKING:
    from .transcoder import Transcoder

P = ParamSpec("P")


class TranscoderParameters(runewire_model.TranscoderParameters):
    """The model's parameters of a core; ``create()`` gives the core."""

    def create(self) -> Transcoder:
        if self.splits_bytes:
            from .splitting.splitter import Splitter

            return Splitter(self)
        if self.filters:
            from .filtering import Filter

            return Filter(self)
        if self.pipeline == "compact":
            from .compact import Compact

            return Compact(self)
        from .transcoder import Transcoder

        return Transcoder(self)


def hardware(model: runewire_model.TranscoderParameters) -> TranscoderParameters:
    """The same parameters, able to create the core."""
    return TranscoderParameters(**{field.name: getattr(model, field.name) for field in fields(model)})


def _able(model: Callable[P, runewire_model.TranscoderParameters]) -> Callable[P, TranscoderParameters]:
    """The function of the model, whose result is able to create the core."""
    @wraps(model)
    def made(*arguments: P.args, **options: P.kwargs) -> TranscoderParameters:
        return hardware(model(*arguments, **options))
    return made


ValidatorParameters = _able(runewire_model.ValidatorParameters)
DecoderParameters = _able(runewire_model.DecoderParameters)
EncoderParameters = _able(runewire_model.EncoderParameters)
SanitizerParameters = _able(runewire_model.SanitizerParameters)
parameters = _able(runewire_model.parameters)

_TIMINGS: dict[TranscoderParameters, AnyTiming] = {}


def timing(model: runewire_model.TranscoderParameters) -> AnyTiming:
    """The timing of a core for the cycle model.

    The core is built for it once, which takes up to some seconds, unless its Verilog was written before.
    """
    parameters = hardware(model)
    if parameters not in _TIMINGS:
        from amaranth.hdl import Fragment

        core = parameters.create()
        with collection_paused():
            Fragment.get(core, None)
        remember_timing(core)
    return _TIMINGS[parameters]


def remember_timing(core: Transcoder) -> None:
    """Store the timing of an elaborated core, for `timing`."""
    _TIMINGS.setdefault(hardware(core.parameters), core.timing)
