"""Faults of part `packing`: of numbers, rows, pushes and what goes with them."""

from __future__ import annotations

from functools import reduce
from operator import or_

from runewire_model import TranscoderParameters

from ..faults import Mutant, always, never, step, tied
from .merge_faults import run_mutants


def has_report(parameters: TranscoderParameters) -> bool:
    """Whether anything goes with a packet's last row: a report, or user bits."""
    return bool(parameters.sidebands.told) or parameters.sidebands.user > 0


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ways from items to rows."""
    common = [
        step("an item is not written", r"row_of_l0", never),
        step("keep bits are not written", "keep0_row", never),
        step("last and report are not written", r"metadata_row", never),
        tied("every row is pushed as the first", "push_row", 0),
        tied("every row is pushed in the first bank", "push_turn", 0),
    ]
    sidebands = parameters.sidebands
    if sidebands.records is not None:
        common += [
            step("marks are not written", r"marks0_row", never),
            tied("marks are always written into the first row", "marks_row", 0),
        ]
    if parameters.in_place:
        return [*common, tied("every beat is written into the first row", "row", 0)]
    dense = [
        *common,
        step("a full last row counts as unfinished", "whole", never),
        step("a last row that is just full is pushed twice", "filled",
              lambda _: lambda counts, *full: reduce(or_, full)),
        step("rows do not move on", "row_moves", never),
        tied("a packet's last row never comes", "late", 0),
        tied("the last bit is dropped", "late_last", 0),
        *([tied("the report is dropped", "late_report", 0)] if has_report(parameters) else []),
        *([tied("the tags are dropped", "tags_before", 0)] if sidebands.id or sidebands.dest else []),
        tied("a packet's rows are always held back", "all_full", 1),
        tied("a packet's rows are never held back", "all_full", 0),
        step("the first lane is always kept", "reached_l0", always),
    ]
    if parameters.lanes * parameters.slots > 1:
        dense += [
            step("two rows at once count as one", "row_twice", never),
            tied("the running count is forgotten", "running_bit0", 0),
            step("a carry between number bits is lost", "carry_bit0", never),
            *_merge_mutants(parameters),
        ]
    return dense


def _merge_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Items that are written into a row that is not theirs."""
    return [
        step("a place has an item where the beat has none", r"row_of_l0",
             lambda enables: lambda to, since, full, odd: enables(~(to & 0), since & 0, full, odd)),
        step("items are only where none has wrapped", r"row_of_l\d+",
             lambda enables: lambda to, since, full, odd: enables(to, since, full & 0, odd)),
        step("items are all written as if their row were even", r"row_of_l\d+",
             lambda enables: lambda to, since, full, odd: enables(to, since, full, odd & 0)),
        tied("items that have wrapped stay in their row", "wrapped_l0", 0),
        step("the even bank's rows do not move on", r"row_bank0_l\d+", never),
        *run_mutants(parameters),
    ]
