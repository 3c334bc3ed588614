"""The cores' parameter objects, able to create the hardware they describe. Amaranth is imported when they do."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import runewire_model

if TYPE_CHECKING:
    from .decoder import Decoder
    from .encoder import Encoder
    from .validator import Validator

__all__ = ["DecoderParameters", "EncoderParameters", "Parameters", "ValidatorParameters", "parameters"]


class ValidatorParameters(runewire_model.ValidatorParameters):
    """The model's parameters of a validator; ``create()`` gives the core."""

    def create(self) -> Validator:
        from .validator import Validator

        return Validator(self)


class DecoderParameters(runewire_model.DecoderParameters):
    """The model's parameters of a decoder; ``create()`` gives the core."""

    def create(self) -> Decoder:
        from .decoder import Decoder

        return Decoder(self)


class EncoderParameters(runewire_model.EncoderParameters):
    """The model's parameters of an encoder; ``create()`` gives the core."""

    def create(self) -> Encoder:
        from .encoder import Encoder

        return Encoder(self)


Parameters = ValidatorParameters | DecoderParameters | EncoderParameters


def parameters(core: str, **options: Any) -> Parameters:
    """The parameters of the core named ``core``, as :func:`runewire_model.parameters`, able to create it."""
    return hardware(runewire_model.parameters(core, **options))


def hardware(model: runewire_model.Parameters) -> Parameters:
    """The same parameters, able to create the core."""
    kinds = {kind.core: kind for kind in (ValidatorParameters, DecoderParameters, EncoderParameters)}
    return kinds[model.core](**asdict(model))
