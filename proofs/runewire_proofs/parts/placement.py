"""Part `placement`: from items to the register of a compact core's output row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module
from runewire_model import TranscoderParameters
from runewire_rtl.compact.packing import Arranged, Row, new_row

from ..faults import Mutant, always, never, step, tied
from ..feeding import End, build, free_beats, free_flags, free_items
from ..ports import Cut, Ports
from ..proof import Proof, against
from .merge_faults import run_mutants

STRAIGHT = "dprove -jpum -F 1 -C 100000"
"""Registers are moved as far forward as possible; then induction, whose counterexamples are not simulated further. A
compact encoder of eight lanes takes four seconds, with `packing.ALIGNED` more than five minutes."""


class RowPorts(Row):
    """The register of a compact core's output row that is its ports, with nothing inside."""

    def elaborate(self, platform: object) -> Module:
        return Module()


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: each item is in its lane, and the flags of the output's row are right. Items have one bit.

    Rows in place have no register of their own, and no such part.
    """
    if parameters.in_place:
        return None

    compared = against("placement", "placed", "merge_lemma", "indexed_mux", "delay",
                       cut=lambda: _cut(parameters, 1), lemmas=True)
    return Proof("placement", STRAIGHT, ["reach -o", "pdr"], compared, mutants(parameters))


def _cut(parameters: TranscoderParameters, width: int) -> Cut:
    """The core's tail without the register of its row, in the cycles in which the core does not wait. Beats and items
    are free inputs, at step 0. The last lane's item is never in the row under way: its bit of ``there`` is clear."""
    ports = Ports()
    facts: dict[str, int] = {}

    def tail(end: End, sound: Callable[[End], Arranged]) -> Arranged:
        pipeline, lanes = end.entry.pipeline, len(end.present)
        go = free_beats(ports, pipeline)
        given, given_items = ports.new("present", lanes), ports.new("data", lanes * width)
        packed = sound(replace(
            end, present=free_flags(pipeline, given, end.present, go),
            items=free_items(pipeline, lambda lane: given_items.word_select(lane, width), end.items)))
        row = packed.row
        assert row is not None, "rows in place have no register of their own"
        for name, value in (
            ("filled", row.filled), ("ends", row.ends), ("kept", row.kept), ("items", row.items),
            ("there", Cat(row.present, Const(0, 1))), ("wrapped", Cat(row.wrapped, Const(0, 1))),
        ):
            ports.show(name, value)
        facts.update(LANES=lanes, STAGES=packed.timing.registers - 1)
        return packed

    with new_row.replaced(lambda _: RowPorts):
        build(ports, parameters, tail)
    return ports.cut(WIDTH=width, SLOTS=parameters.slots, USED=parameters.used_slots, **facts)


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ways from items to the register."""
    found = [
        step("a full last row counts as unfinished", "whole", never),
        step("a last row that is just full comes twice", "filled", lambda _: lambda counts, *full: reduce(or_, full)),
        step("the first lane is always kept", "reached_l0", always),
    ]
    if parameters.lanes * parameters.slots > 1:
        found += [
            tied("the running count is forgotten", "running_bit0", 0),
            step("a carry between number bits is lost", "carry_bit0", never),
            step("a place has an item of the next row only", r"present_l\d+",
                 lambda present: lambda reached, wrapped, fills: present(reached & 0, wrapped, fills)),
            tied("items that have wrapped stay in their row", "wrapped_l0", 0),
            *run_mutants(parameters),
        ]
    return found
