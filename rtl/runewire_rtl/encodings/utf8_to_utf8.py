"""UTF-8 to well-formed UTF-8 in one slot a byte: a byte of a well-formed sequence stands for itself.

The packet ``E2 82 AC E2 82 41`` with the replacement ``3F``:

    lane           0    1    2    3    4    5
    byte           E2   82   AC   E2   82   41
    complete       0    0    1    0    0    1     ends a well-formed sequence,
    from three     0    0    1    0    0    0     of three bytes or more
    whole          1    1    1    0    0    1     is part of one
    ends           0    0    1    0    1    1     the next byte does not go on with it
    byte sent      E2   82   AC   -    3F   41

A lead byte is part of a well-formed sequence if the byte that completes it is, up to three lanes ahead.
"""

from __future__ import annotations

from amaranth.hdl import Value
from runewire_model import TranscoderParameters

from ..gates import replaced
from ..pipeline import Lanes, Timed, stage
from .base import FrontEnd, Units
from .utf8.classes import ByteClasses, classify
from .utf8.scalars import byte_order_mark
from .utf8.verdicts import Joins, judge

__all__ = ["utf8_to_utf8"]


def utf8_to_utf8(front: FrontEnd, keep: Lanes, parameters: TranscoderParameters) -> Units:
    """The bytes that stay of those that ``keep`` has, and one for each maximal subpart of what is ill-formed."""
    units = front.entry.data
    classes = classify(units)
    joins = judge(classes)
    if parameters.bom != "keep":
        keep = _without_mark(keep, byte_order_mark(classes))
    whole = _whole(classes, joins)
    replacement = parameters.replacement
    if replacement is None:
        return Units(_kept(keep, whole).beat(), lambda after: units.beat())
    return Units(_sent(keep, whole, joins).beat(), lambda after: _octets(units, whole, replacement, after))


@stage("byte_order_mark")
def _without_mark(keep: Lanes, mark: Lanes) -> Lanes:
    """Which bytes are there and none of a byte order mark, whose third byte is marked."""
    second = mark.ahead()
    return Lanes.map("unmarked", lambda keep, *marks: keep & ~Value.cast(marks[0] | marks[1] | marks[2]),
                     keep, mark, second, second.ahead())


@stage("whole")
def _whole(c: ByteClasses, joins: Joins) -> Lanes:
    """Whether each byte is part of a well-formed sequence: that which ends with it, or with one of the next three."""
    reach3 = Lanes.map("reach3", lambda tail, before: tail & before, c.tail, c.tail.back(1))
    reach4 = Lanes.map("reach4", lambda reach, before: reach & before, reach3, c.tail.back(2))
    from2, from3, from4 = (
        Lanes.map(f"completes_from{size}", lambda complete, reach: complete & reach, joins.complete, reach).ahead()
        for size, reach in ((2, c.tail), (3, reach3), (4, reach4)))
    return Lanes.map("whole_sequence", lambda *ends: ends[0] | ends[1] | ends[2] | ends[3],
                     joins.complete, from2, from3.ahead(), from4.ahead().ahead())


@stage("whole")
def _kept(keep: Lanes, whole: Lanes) -> Lanes:
    """Whether each byte stays."""
    return Lanes.map("octet_stays", lambda keep, whole: keep & whole, keep, whole)


@stage("whole")
def _sent(keep: Lanes, whole: Lanes, joins: Joins) -> Lanes:
    """Whether there is a byte in each lane: one that stays, or one for the subpart that ends there."""
    return Lanes.map("octet_there", lambda keep, whole, joined: keep & (whole | ~joined),
                     keep, whole, joins.joins.ahead())


@stage("octets")
def _octets(byte: Lanes, whole: Lanes, replacement: int, after: int) -> list[Timed]:
    """The byte of each lane, or what stands for an ill-formed subpart: there at step ``after`` or later."""
    return [byte.pipeline.step(f"octet_l{lane}", lambda byte, whole: replaced(byte, replacement, ~whole, whole),
                               value, whole[lane], after=after - 1)
            for lane, value in enumerate(byte.beat())]
