"""Parameters of the cores that also create the hardware. Amaranth is imported when they do."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import runewire_model
from runewire_model import AnyTiming

from .collection import collection_paused

if TYPE_CHECKING:
    from .transcoder import Transcoder


class TranscoderParameters(runewire_model.TranscoderParameters):
    """The model's parameters of a core; ``create()`` gives the core."""

    def create(self) -> Transcoder:
        if self.pipeline == "compact":
            from .compact import Compact

            return Compact(self)
        from .transcoder import Transcoder

        return Transcoder(self)


def hardware(model: runewire_model.TranscoderParameters) -> TranscoderParameters:
    """The same parameters, able to create the core."""
    return TranscoderParameters(**{field.name: getattr(model, field.name) for field in fields(model)})


def ValidatorParameters(*arguments: Any, **options: Any) -> TranscoderParameters:
    """As :func:`runewire_model.ValidatorParameters`, able to create the core."""
    return hardware(runewire_model.ValidatorParameters(*arguments, **options))


def DecoderParameters(*arguments: Any, **options: Any) -> TranscoderParameters:
    """As :func:`runewire_model.DecoderParameters`, able to create the core."""
    return hardware(runewire_model.DecoderParameters(*arguments, **options))


def EncoderParameters(*arguments: Any, **options: Any) -> TranscoderParameters:
    """As :func:`runewire_model.EncoderParameters`, able to create the core."""
    return hardware(runewire_model.EncoderParameters(*arguments, **options))


def SanitizerParameters(*arguments: Any, **options: Any) -> TranscoderParameters:
    """As :func:`runewire_model.SanitizerParameters`, able to create the core."""
    return hardware(runewire_model.SanitizerParameters(*arguments, **options))


def parameters(core: str, **options: Any) -> TranscoderParameters:
    """The parameters of the core named ``core``, as :func:`runewire_model.parameters`, able to create it."""
    return hardware(runewire_model.parameters(core, **options))


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
