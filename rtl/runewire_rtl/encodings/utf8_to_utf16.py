"""UTF-8 to UTF-16, fused: one slot a byte. A high surrogate is in the lane of its sequence's third byte.

The packet ``F0 9F 98 80 41`` is U+1F600 and U+0041:

    lane      0    1    2     3     4
    byte      F0   9F   98    80    41
    unit      -    -    D83D  DE00  0041

A high surrogate depends on the first three bytes alone. One byte of lookahead shows that the fourth completes them.
"""

from __future__ import annotations

from typing import NamedTuple

from amaranth.hdl import Cat, Mux, Value
from runewire_model import TranscoderParameters
from runewire_model.scalars import REPLACEMENT

from ..pipeline import Lanes, Timed, stage
from ..pipeline.gates import chosen
from .base import FrontEnd, Units, one_a_run
from .text_start import at_text_start
from .utf8.classes import ByteClasses, classify
from .utf8.scalars import byte_order_mark
from .utf8.verdicts import Joins, judge
from .utf16 import one_less


def utf8_to_utf16(front: FrontEnd, keep: Lanes, parameters: TranscoderParameters) -> Units:
    """The units of the bytes that ``keep`` marks."""
    classes = classify(front.entry.data)
    joins = judge(classes, front.nul)
    mark = at_text_start(byte_order_mark(classes), front.entry.begun) if parameters.bom != "keep" else None
    fourth, third = _fourth(joins)
    present = _present(joins, keep, third, mark, drop=parameters.errors == "drop")
    if parameters.replace_runs:
        present = one_a_run(present, _present(joins, keep, third, mark, drop=True), front.entry)
    return Units(present.beat(), lambda after: _units(classes, joins, fourth, third, after))


@stage("fourth")
def _fourth(joins: Joins) -> tuple[Lanes, Lanes]:
    """Whether each byte is the fourth of a well-formed sequence, and whether the next one is."""
    fourth = Lanes.map("fourth", lambda last4, second: last4 & second, joins.last4, joins.second.back(2))
    return fourth, fourth.ahead()


@stage("fourth")
def _present(joins: Joins, keep: Lanes, third: Lanes, mark: Lanes | None, *, drop: bool) -> Lanes:
    """Whether each lane has a unit: where a scalar ends, and, but for ``drop``, a maximal subpart, and where the next
    byte ends a scalar of four bytes. ``mark``: lanes where a byte order mark ends that is to be left out."""
    there = Lanes.map("ends", lambda keep, joined, third: keep & (~joined | third), keep, joins.joins.ahead(), third)
    if mark is not None:
        there = Lanes.map("ends_kept", lambda there, mark: there & ~mark, there, mark)
    if drop:
        there = Lanes.map("ends_whole", lambda there, complete, third: there & (complete | third),
                          there, joins.complete, third)
    return there


@stage("units")
def _units(c: ByteClasses, joins: Joins, fourth: Lanes, third: Lanes, after: int) -> list[Timed]:
    """The unit of each lane: a scalar of three bytes or fewer, or one of the halves of a pair, or U+FFFD.

    Each bit is one gate of the bytes and of three flags for the lane's role:

        lane                    complete  third  longer
        ASCII                   1         0      0
        the last of several     1         0      1
        third of four           0         1      0
        U+FFFD                  0         0      1
    """
    step = max(after - 2, third[0].step - 1, joins.complete[0].step - 1)
    # Until then the bytes and their verdicts wait; they are narrower than the units.
    bytes_ = Lanes.map("payload", lambda b: b[:7], c.bytes, after=step - 1)
    before, lead = bytes_.back(1), bytes_.back(2)
    longer = Lanes.map("longer", lambda third, complete, tail: ~third & (tail | ~complete),
                       third, joins.complete, c.tail, after=step)
    three = Lanes.map("three", lambda tail, before, fourth: tail & before & ~fourth, c.tail, c.tail.back(1), fourth,
                      after=step)
    # The lowest bit of a number minus one is its complement.
    plane = Lanes.map("plane", lambda lead, b: one_less(Cat(b[4:6], lead[:2]))[1:], lead, before)
    seventh = Lanes.map("seventh", lambda tail, b, before: Mux(tail, before[0], b[6]), c.tail, bytes_, before)

    return Lanes.map("unit", lambda *operands: _Unit(*operands).gates(), joins.complete, third, fourth, longer, three,
                     seventh, plane, bytes_, before, lead).beat()


class _Unit(NamedTuple):
    """Operands of a lane's unit: flags for the lane's role, bits computed before, and the last three bytes."""

    complete: Value
    third: Value
    fourth: Value
    longer: Value
    three: Value
    seventh: Value
    plane: Value
    byte: Value
    before: Value
    lead: Value

    def gates(self) -> Value:
        # In gates: for a multiplexer with a constant, synthesis would infer a reset shared by all bits.
        complete, fourth, longer, three = self.complete, self.fourth, self.longer, self.three
        low = zip(Cat(self.byte[:6], self.seventh), Cat(self.byte[4:6], self.before[:4], ~self.before[4]), strict=True)
        return Cat(
            [chosen(self.third, high, (bit | ~complete) if REPLACEMENT >> index & 1 else bit & complete)
             for index, (bit, high) in enumerate(low)],
            [chosen(complete, longer & bit, longer | high)
             for bit, high in zip(self.before[1:4], self.plane, strict=True)],
            longer & (~complete | fourth | self.before[4]),
            ~complete | fourth | (three & self.before[5]),
            ~complete | fourth | (three & self.lead[0]),
            longer & (~complete | (three & self.lead[1])),
            [~complete | fourth | (three & bit) for bit in self.lead[2:4]],
        )
