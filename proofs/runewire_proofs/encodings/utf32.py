"""UTF-32: its serial specification, and the faults that a proof must refute."""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..faults import Mutant, never, step
from .base import Specification
from .bom_order import order_mutants


def _source(parameters: TranscoderParameters) -> list[Mutant]:
    found = [
        step("surrogates pass", r"surrogate_l\d+", never),
        step("values from 200000 pass", r"beyond\d*_l\d+", never),
        step("a unit that lacks bytes is whole", r"cut_l\d+", never),
        step("errors are not flagged", r"fault_l\d+", never),
    ]
    if parameters.target is None or not parameters.narrows:
        # A target that lacks them takes them for the same fault.
        found.append(step("values from 110000 pass", r"above_last_l\d+", never))
    if parameters.errors == "drop":
        found.append(step("what is dropped leaves something", r"whole_l\d+", lambda whole: lambda keep, bad: keep))
    if parameters.bom != "keep":
        found.append(step("the byte order mark stays", r"mark_l\d+", never))
    return found


UTF32 = Specification("utf32_source.v", "utf32_target.v", _source)
UTF32_TOLD = Specification(
    "utf32_told_source.v", "utf32_target.v", lambda parameters: [*_source(parameters), *order_mutants(parameters)])
