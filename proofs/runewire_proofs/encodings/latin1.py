"""Latin-1: its serial specification, and the faults that a proof must refute."""

from __future__ import annotations

from amaranth.hdl import Value
from runewire_model import TranscoderParameters

from ..faults import Mutant, always, step
from .base import Specification
from .single_byte import unit_mutants


def _source(parameters: TranscoderParameters) -> list[Mutant]:
    found = [step("what is not there is an error", r"fault_l\d+", always)]
    if parameters.target is not None:
        found.append(step("the upper half is taken for ASCII", r"scalar_l\d+",
                          lambda scalar: lambda *values: Value.cast(scalar(*values)) & 0x7F))
    return found


LATIN1 = Specification("latin1_source.v", "narrow_target.v", _source, unit_mutants)
