"""UTF-8 to well-formed UTF-8, fused: one slot a byte. A byte of a well-formed sequence is output unchanged.

The packet ``E2 82 AC E2 82 41`` with the replacement ``3F``:

    lane           0    1    2    3    4    5
    byte           E2   82   AC   E2   82   41
    second         0    1    0    0    1    0     continues a lead byte, in its range
    rest           1    0    0    0    0    0     a lead byte whose bytes from the third on are present
    whole          1    1    1    0    0    1     ASCII, or part of a sequence with both flags set
    ends           0    0    1    0    1    1     the next byte does not continue it
    byte sent      E2   82   AC   -    3F   41

A lead byte is part of a well-formed sequence if the bytes after it are, up to three lanes ahead.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Value
from runewire_model import TranscoderParameters

from ..pipeline import Lanes, Timed, stage
from ..pipeline.gates import replaced
from .base import FrontEnd, Units, one_a_run
from .text_start import at_text_start
from .utf8.classes import ByteClasses, classify
from .utf8.scalars import byte_order_mark
from .utf8.verdicts import Joins, judge


def utf8_to_utf8(front: FrontEnd, keep: Lanes, parameters: TranscoderParameters) -> Units:
    """The well-formed bytes among those that ``keep`` marks, and one replacement byte for each maximal subpart."""
    units = front.entry.data
    classes = classify(units)
    joins = judge(classes, front.nul)
    if parameters.bom != "keep":
        keep = _without_mark(keep, at_text_start(byte_order_mark(classes), front.entry.begun))
    parts = _parts(classes, joins)
    replacement = parameters.replacement
    if replacement is None:
        return Units(_kept(keep, classes, parts, front.nul).beat(), lambda after: units.beat())
    sent = _sent(keep, joins, parts)
    if parameters.replace_runs:
        sent = one_a_run(sent, _kept(keep, classes, parts, front.nul), front.entry)
    return Units(sent.beat(), lambda after: _octets(units, _whole(classes, parts, front.nul), replacement, after))


@stage("byte_order_mark")
def _without_mark(keep: Lanes, mark: Lanes) -> Lanes:
    """Which bytes are there and none of a byte order mark, whose third byte is marked."""
    second = mark.ahead()
    return Lanes.map("unmarked", lambda keep, *marks: keep & ~Value.cast(marks[0] | marks[1] | marks[2]),
                     keep, mark, second, second.ahead())


@stage("whole")
def _parts(c: ByteClasses, joins: Joins) -> list[Lanes]:
    """Flags of which one is set for each byte of a well-formed sequence of several: one of its first two bytes, or one
    behind these.

    A sequence is well-formed if a byte in its lead's range follows the lead, and then the missing continuation bytes.
    The first condition is available late, the second early, so each byte combines both.
    """
    third = c.tail.ahead().ahead()
    fourth = third.ahead()
    rest4 = Lanes.map("rest4", lambda lead4, third, fourth: lead4 & third & fourth, c.lead4, third, fourth)
    rest3 = Lanes.map("rest3", lambda lead3, lead4, third, fourth: third & (lead3 | (lead4 & fourth)),
                      c.lead3, c.lead4, third, fourth)
    rest2 = Lanes.map("rest2", lambda lead2, rest3: lead2 | rest3, c.lead2, rest3)

    def either(second: Value, rest: Value, before: Value, rest_before: Value) -> Value:
        return (second & rest) | (before & rest_before)

    return [Lanes.map("first_or_second", either, joins.second.ahead(), rest2, joins.second, rest2.back(1)),
            Lanes.map("third_or_fourth", either, joins.second.back(1), rest3.back(2),
                      joins.second.back(2), rest4.back(3))]


@stage("whole")
def _whole(c: ByteClasses, parts: Sequence[Lanes], nul: Lanes | None) -> Lanes:
    """Whether each byte is part of a well-formed sequence."""
    if nul is not None:
        return Lanes.map("whole_sequence", lambda byte, nul, *parts: (~byte[7] & ~nul) | Cat(parts).any(),
                         c.bytes, nul, *parts)
    return Lanes.map("whole_sequence", lambda byte, *parts: ~byte[7] | Cat(parts).any(), c.bytes, *parts)


@stage("whole")
def _kept(keep: Lanes, c: ByteClasses, parts: Sequence[Lanes], nul: Lanes | None) -> Lanes:
    """Whether each byte stays."""
    if nul is not None:
        return Lanes.map("octet_stays", lambda keep, byte, nul, *parts: keep & ((~byte[7] & ~nul) | Cat(parts).any()),
                         keep, c.bytes, nul, *parts)
    return Lanes.map("octet_stays", lambda keep, byte, *parts: keep & (~byte[7] | Cat(parts).any()),
                     keep, c.bytes, *parts)


@stage("whole")
def _sent(keep: Lanes, joins: Joins, parts: Sequence[Lanes]) -> Lanes:
    """Whether there is a byte in each lane: one that stays, or one for the subpart that ends there. None follows ASCII
    as a part of it."""
    return Lanes.map("octet_there", lambda keep, joined, *parts: keep & (~joined | Cat(parts).any()),
                     keep, joins.joins.ahead(), *parts)


@stage("octets")
def _octets(byte: Lanes, whole: Lanes, replacement: int, after: int) -> list[Timed]:
    """The byte of each lane, or what stands for an ill-formed subpart: there at step ``after`` or later."""
    return [byte.pipeline.step(f"octet_l{lane}", lambda byte, whole: replaced(byte, replacement, ~whole, whole),
                               value, whole[lane], after=after - 1)
            for lane, value in enumerate(byte.beat())]
