"""UTF-16: its serial specification, and the faults that a proof must refute."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const
from runewire_model import TranscoderParameters
from runewire_model.encodings import PAIRS
from runewire_rtl.input.input_stage import enter_pipeline

from ..faults import Mutant, always, changed, forgetful, never, step
from .base import Specification
from .bom_order import order_mutants


def _whole_after(sound: Any) -> Any:
    """The unit after a beat is there, whatever follows."""
    return lambda *given, after, **options: sound(*given, after=[Const(-1, len(after[0]))], **options)


def _source(parameters: TranscoderParameters) -> list[Mutant]:
    found = [
        step("high surrogates pass", r"lone_high_l\d+", never),
        step("low surrogates pass", r"lone_low_l\d+", never),
        step("a low surrogate needs no high one", r"lone_l\d+", lambda lone: lambda high, low: high),
        step("a unit that lacks a byte is whole", r"cut_l\d+", never),
        step("a unit that lacks a byte leaves the high surrogate alone", r"back0_l\d+", never),
        step("errors are not flagged", r"fault_l\d+", never),
        forgetful(),
        changed("a unit beyond the packet counts", enter_pipeline, _whole_after),
    ]
    if parameters.target is None or (parameters.source, parameters.target) in PAIRS:
        return found
    found += [
        step("a pair is two scalars", r"begins_l\d+", never),
        step("the upper bits of a pair are lost", r"upper_l\d+", never),
        step("a pair is its low surrogate", r"pair_l\d+", never),
        step("every unit adds to the next", r"pair_l\d+", always),
    ]
    if parameters.errors == "drop":
        found.append(step("what is dropped leaves something", r"whole_l\d+", lambda whole: lambda keep, bad: keep))
    if parameters.bom != "keep":
        found.append(step("the byte order mark stays", r"mark_l\d+", never))
    return found


def _target(parameters: TranscoderParameters) -> list[Mutant]:
    found = [step("the last unit is lost", r"last_l\d+", never)]
    if parameters.slots > 1:
        found += [
            step("no pairs", r"two_l\d+", never),
            step("every scalar is a pair", r"two_l\d+", always),
            step("no high surrogates", r"first_l\d+", never),
            step("high surrogates lack their bits", r"high_l\d+", never),
        ]
    return found


UTF16 = Specification("utf16_source.v", "utf16_target.v", _source, _target)
UTF16_TOLD = Specification(
    "utf16_told_source.v", "utf16_target.v",
    lambda parameters: [*_source(parameters), *order_mutants(parameters)], _target)
