"""ASCII: its serial specification, and the faults that a proof must refute."""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..faults import Mutant, never, step
from .base import Specification
from .single_byte import unit_mutants


def _source(parameters: TranscoderParameters) -> list[Mutant]:
    found = [
        step("bytes from 80 pass", r"bad_l\d+", never),
        step("errors are not flagged", r"fault_l\d+", never),
    ]
    if parameters.target is not None and parameters.errors == "drop":
        found.append(step("what is dropped leaves something", r"whole_l\d+", lambda whole: lambda keep, bad: keep))
    return found


ASCII = Specification("ascii_source.v", "narrow_target.v", _source, unit_mutants)
