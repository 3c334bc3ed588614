"""Turns: a cycle for each row that a beat ends, and at least one for the beat.

A beat with three rows, and one with a single row; the sink takes a row in every cycle:

    cycle         0    1    2    3
    beat          A    A    A    B
    first         1              1    the beat's first turn
    left               2    1         turns left, this one included
    ends                    1    1    the next beat comes
    slot          0    1    2    0    the number of the slot that the row ends with

If the beat's first row is a full one of a record that goes on, it ends with no slot: the second turn has slot 0 too.

Throughput: one turn per cycle. Two flags say how many rows a new beat has, so ``ends`` never waits for a subtraction.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value

from ..cut_points import cut_point
from ..pipeline.restart import Restart, replica


class Turns:
    """The turns of the beats of a stream of `finding.Found`'s fields.

    ``row``: the stream. ``go``: a turn may be taken. While ``takes`` is set the beat has a turn: ``first``, ``slot``,
    and ``has_row`` are of that turn, and ``ends`` is set in the beat's last.
    """

    def __init__(self, m: Module, row: Any, go: Value, restart: Restart) -> None:
        fields = row.payload.report
        self.takes, self.ends, self.has_row = Signal(name="takes"), Signal(name="ends"), Signal(name="has_row")
        self.first = Signal(name="first")
        self.slot = Signal(len(fields.rows), name="slot", reset_less=True)
        self.describe(m, row, go, replica(m, restart.clear, "turns_clear"))

    @cut_point
    def describe(self, m: Module, row: Any, go: Value, clear: Value) -> None:
        fields = row.payload.report
        more = Signal(name="more", reset_less=True)
        final = Signal(name="final_turn", reset_less=True)
        left = Signal(len(fields.rows), name="left", reset_less=True)
        m.d.comb += [
            self.first.eq(~more),
            self.takes.eq(row.valid & go),
            self.ends.eq(self.takes & Mux(more, final, fields.one)),
            self.has_row.eq(self.takes & fields.some),
            row.ready.eq(go & Mux(more, final, fields.one)),
        ]
        with m.If(self.takes):
            m.d.sync += [
                more.eq(~self.ends),
                final.eq(Mux(more, left == 2, fields.two)),
                left.eq(Mux(more, left, fields.rows) - Const(1)),
                self.slot.eq(Mux(self.ends | (self.first & fields.full), 0, self.slot + 1)),
            ]
        with m.If(clear):
            m.d.sync += [more.eq(0), self.slot.eq(0)]
