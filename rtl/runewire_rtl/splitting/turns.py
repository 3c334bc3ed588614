"""Turns: one cycle per row that a beat ends, and at least one for the beat.

A beat with three rows, and one with a single row; the sink takes a row in every cycle:

    cycle         0    1    2    3
    beat          A    A    A    B
    first         1              1    the beat's first turn
    left          3    2    1    1    turns left, this one included
    ends                    1    1    the next beat comes
    slot          0    1    2    0    the number of the slot that the row ends with

If the beat's first row is a full one of a record that continues, it ends with no slot: the second turn has slot 0 too.

Throughput: one turn per cycle. ``ends`` is a register and one gate, as the buffer's `ready` is a long path: the number
of a beat's rows is read from the buffer a cycle before the beat is shown.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value

from ..cut_points import cut_point
from ..pipeline.carry_free_counters import incremented


def close_to_handshake(m: Module, opened: Value) -> Value:
    """A replica of the flag that the core is open, a cycle later.

    The handshake before the turns does not need it, as no beat comes before. But with it synthesis takes a gate less on
    the slowest path: an 8-lane splitter on ECP5 has 350 MHz, without it 328.
    """
    if isinstance(opened, Const):
        return opened
    flag = Signal(name="open_too", reset_less=True, attrs={"keep": True})
    m.d.sync += flag.eq(opened)
    return flag


class Turns:
    """The turns of the beats of a stream of `finding.Found`'s fields. A cycle without a beat resets them.

    ``row``: the stream. ``next_fields``: the fields of the beat that is shown next, if one is. ``go``: a turn may be
    taken. While ``takes`` is set the beat has a turn: ``first``, ``slot``, and ``has_row`` are of that turn, and
    ``ends`` is set in the beat's last.
    """

    def __init__(self, m: Module, row: Any, next_fields: Any, go: Value) -> None:
        fields = row.payload.report
        self.takes, self.ends, self.has_row = Signal(name="takes"), Signal(name="ends"), Signal(name="has_row")
        self.first = Signal(name="first", init=1, reset_less=True)
        self.slot = Signal(len(fields.rows), name="slot", reset_less=True)
        self.describe(m, row, next_fields, go)

    @cut_point
    def describe(self, m: Module, row: Any, next_fields: Any, go: Value) -> None:
        fields = row.payload.report
        full = fields.full if "full" in fields.shape().members else Const(0, 1)
        slot = self.slot
        final = Signal(name="final_turn", reset_less=True)
        # Whether the next turn is the last.
        nearly = Signal(name="nearly_final", reset_less=True)
        left = Signal(len(fields.rows), name="left", reset_less=True)
        m.d.comb += [
            row.ready.eq(go & final),
            self.takes.eq(row.valid & go),
            self.ends.eq(self.takes & final),
            self.has_row.eq(self.takes & fields.some),
        ]
        # One enable for all registers, so that ``go`` reaches no multiplexer before them.
        with m.If(go | ~row.valid):
            with m.If(final | ~row.valid):
                m.d.sync += [
                    self.first.eq(1), self.slot.eq(0), left.eq(next_fields.rows), nearly.eq(next_fields.two),
                    final.eq(next_fields.one),
                ]
            with m.Else():
                m.d.sync += [
                    self.first.eq(0), self.slot.eq(Cat(~(slot[0] | (self.first & full)), incremented(slot)[1:])),
                    left.eq(left - 1), nearly.eq(left == 3), final.eq(nearly),
                ]
