"""The packer: the faults that a proof must refute. Its specification is the harness `window_octets.v`."""

from __future__ import annotations

from amaranth.hdl import Value
from runewire_model import TranscoderParameters

from ..faults import Mutant, step
from .base import Fused, Specification, no_mutants


def _mutants(parameters: TranscoderParameters) -> list[Mutant]:
    found = [step("a null byte counts", r"kept_l\d+", lambda _: lambda keep, valid: valid)]
    if parameters.lanes > 1:
        found.append(step("a byte after a null byte is lost", r"kept_l[1-9]\d*",
                          lambda kept: lambda keep, valid: Value.cast(kept(keep, valid)) & 0))
    return found


OCTETS = Specification("", "", no_mutants)
OCTETS_TO_OCTETS = Fused("", _mutants)
