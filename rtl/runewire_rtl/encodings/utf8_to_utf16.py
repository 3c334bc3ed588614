"""UTF-8 to UTF-16 in one slot a byte: a high surrogate stands in the lane of its sequence's third byte.

The packet ``F0 9F 98 80 41`` is U+1F600 and U+0041:

    lane      0    1    2     3     4
    byte      F0   9F   98    80    41
    unit      -    -    D83D  DE00  0041

All that a high surrogate needs is in the first three bytes; that the fourth completes them is seen one byte ahead.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Value
from runewire_model import TranscoderParameters

from ..pipeline import Lanes, Timed, stage
from .base import FrontEnd, Units
from .utf8.classes import ByteClasses, classify
from .utf8.scalars import assemble, byte_order_mark, emissions
from .utf8.verdicts import Joins, judge
from .utf16 import HIGH, LOW, one_less

__all__ = ["utf8_to_utf16"]


def utf8_to_utf16(front: FrontEnd, keep: Lanes, parameters: TranscoderParameters) -> Units:
    """The units of the bytes that ``keep`` has."""
    classes = classify(front.entry.data)
    joins = judge(classes)
    mark = byte_order_mark(classes) if parameters.bom != "keep" else None
    ends = emissions(joins, keep, mark, drop=parameters.errors == "drop")
    fourth, third = _fourth(classes, joins)
    present = _present(ends, keep, third)
    return Units(present.beat(), lambda after: _units(classes, joins, fourth, third, after))


@stage("fourth")
def _fourth(c: ByteClasses, joins: Joins) -> tuple[Lanes, Lanes]:
    """Whether each byte is the fourth of a well-formed sequence, and whether the next one is."""
    reach = Lanes.map("reach", lambda tail, before: tail & before, c.tail, c.tail.back(1))
    four = Lanes.map("four_bytes", lambda reach, before, lead: reach & before & lead,
                     reach, c.tail.back(2), c.lead4.back(3))
    fourth = Lanes.map("fourth", lambda four, complete: four & complete, four, joins.complete)
    return fourth, fourth.ahead()


@stage("fourth")
def _present(ends: Lanes, keep: Lanes, third: Lanes) -> Lanes:
    """Whether each lane has a unit: where a scalar ends, and where the next byte ends one of four bytes."""
    return Lanes.map("unit_there", lambda ends, keep, third: ends | (keep & third), ends, keep, third)


@stage("units")
def _units(c: ByteClasses, joins: Joins, fourth: Lanes, third: Lanes, after: int) -> list[Timed]:
    """The unit of each lane: a scalar of three bytes or fewer, or one of the halves of a pair."""
    scalars = assemble(c, joins, after - 1)
    plane = Lanes.map("plane", lambda lead, b: one_less(Cat(b[4:6], lead[:2])), c.bytes.back(2), c.bytes.back(1))
    high = Lanes.map("high", lambda b2, b1, plane: Cat(b2[4:6], b1[:4], plane, HIGH),
                     c.bytes, c.bytes.back(1), plane)

    def unit(third: Value, fourth: Value, high: Value, scalar: Value) -> Value:
        # In gates: of a multiplexer with a constant, synthesis would make a reset that all bits share.
        low = Cat(scalar[:10], (LOW & fourth.replicate(6)) | (scalar[10:16] & (~fourth).replicate(6)))
        return (high & third.replicate(16)) | (low & (~third).replicate(16))

    return Lanes.map("unit", unit, third, fourth, high, scalars).beat()
