"""The packer: its serial specification is Latin-1's, and the faults that a proof must refute."""

from __future__ import annotations

from amaranth.hdl import Value
from runewire_model import TranscoderParameters

from ..faults import Mutant, step
from .base import Fused, Specification

__all__ = ["OCTETS", "OCTETS_TO_OCTETS"]


def _mutants(parameters: TranscoderParameters) -> list[Mutant]:
    return [
        step("a null byte counts", r"kept_l\d+", lambda _: lambda keep, valid: valid),
        step("a beat's first byte alone counts", r"kept_l[1-9]\d*",
             lambda kept: lambda keep, valid: Value.cast(kept(keep, valid)) & 0),
    ]


OCTETS = Specification("latin1_source.v", "narrow_target.v", lambda parameters: [])
OCTETS_TO_OCTETS = Fused("narrow_target.v", _mutants)
