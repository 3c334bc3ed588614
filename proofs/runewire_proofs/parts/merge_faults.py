"""Faults of the network that merges runs of items: parts `packing` and `placement` have it."""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..faults import Mutant, always, never, step


def run_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Runs that are not turned, not numbered, or not merged by their numbers."""
    found = []
    if parameters.slots > 1:
        found.append(step("the items of a lane are not turned", r"turn_bit0_l\d+_\d+", never))
    if parameters.lanes > 1:
        found += [
            step("lanes are not numbered", r"(number|base)\d*(_l\d+)?_bit0", never),
            step("runs do not move", rf"swap{parameters.slots}_l\d+_\d+", never),
            step("runs are merged whatever their number", rf"swap{parameters.slots}_l\d+_\d+", always),
        ]
    return found
