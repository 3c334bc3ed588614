"""Window verdicts: what the bytes around it make of each byte.

A verdict on a lane rests on its byte, the three before it and the one after; there is no state besides
these, so that a beat of any width is judged at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import or_

from amaranth.hdl import Value, ValueLike
from runewire_model import ErrorKind

from .classes import ByteClasses
from .layouts import KIND_WIDTH
from .pipeline import Lanes

__all__ = ["Faults", "Joins", "find_faults", "judge"]


@dataclass
class Joins:
    """What each byte is to the sequence it stands in (RFC 3629, section 4; Unicode Table 3-7).

    ``joins``: the byte continues a sequence that is still well formed. A byte that the next one does not
    join ends a character or a maximal subpart, so it is here, and only here, that something is put out.
    ``complete``: the byte ends a well-formed character. Otherwise a byte that ends anything ends a
    maximal subpart of an ill-formed one.
    """

    joins: Lanes
    complete: Lanes


def judge(c: ByteClasses) -> Joins:
    """Verdicts :class:`Joins`; ``joins`` also for the lane after the beat."""
    # A second byte out of its lead's range makes an overlong, a surrogate, or a value above U+10FFFF.
    outside3 = Lanes.map(
        "outside3", lambda e0, ed, high: (e0 & ~high) | (ed & high), c.lead_e0.back(1), c.lead_ed.back(1), c.high
    )
    outside4 = Lanes.map(
        "outside4", lambda f0, f4, mid: (f0 & ~mid) | (f4 & mid), c.lead_f0.back(1), c.lead_f4.back(1), c.not_low
    )
    lead = Lanes.map(
        "lead",
        lambda two, short, three, four, large: (two & ~short) | three | (four & ~large),
        c.lead2, c.short2, c.lead3, c.lead4, c.large,
    )
    second = Lanes.map(
        "second",
        lambda tail, lead, out3, out4: tail & lead & ~out3 & ~out4,
        c.tail, lead.back(1), outside3, outside4,
    )
    after3 = Lanes.map("after3", lambda tail, three: tail & three, c.tail, c.lead3.back(2))
    after4 = Lanes.map("after4", lambda tail, four: tail & four, c.tail, c.lead4.back(2))
    last4 = Lanes.map(
        "last4", lambda tail, before, four: tail & before & four, c.tail, c.tail.back(1), c.lead4.back(3)
    )
    third = Lanes.map("third", lambda after3, after4: after3 | after4, after3, after4)
    joins = Lanes.map(
        "joins",
        lambda second, third, was_second, fourth, second3: second | (third & was_second) | (fourth & second3),
        second, third, second.back(1), last4, second.back(2),
    )
    short = Lanes.map(
        "short",
        lambda b, tail, second, two: ~(b[7]) | (second & two),
        c.bytes, c.tail, second, c.lead2.back(1),
    )
    long = Lanes.map(
        "long",
        lambda after3, was_second, fourth, second3: (after3 & was_second) | (fourth & second3),
        after3, second.back(1), last4, second.back(2),
    )
    return Joins(joins, Lanes.map("complete", lambda short, long: short | long, short, long))


@dataclass
class Faults:
    """Where a packet's first error shows, and which it is.

    ``any``: the lane shows a fault. ``kind``: the bits of its :class:`~runewire_model.ErrorKind`. ``back``:
    how many bytes before the lane the faulty sequence begins, 0 to 3, as two bits. Only the first faulty lane of
    a packet means anything: the conditions lean on nothing being wrong before.
    """

    any: Lanes
    kind: list[Lanes]
    back: list[Lanes]


def find_faults(c: ByteClasses) -> Faults:
    """Verdicts :class:`Faults`, in simdutf's order: structure first, value once the structure stands.

    A lane is judged as if all before it were well formed. So a value is found wrong where its sequence
    would end, without a look at whether it does: had it ended too soon, an earlier lane shows that.
    """
    many = Lanes.map("from_lead3", lambda three, four: three | four, c.lead3, c.lead4)
    lead = Lanes.map("any_lead", lambda two, three, four: two | three | four, c.lead2, c.lead3, c.lead4)
    # Whether the byte before, two before or three before asks for a continuation byte here.
    asked = lead.back(1), many.back(2), c.lead4.back(3)
    stray = Lanes.map("stray", lambda tail, one, two, three: tail & ~(one | two | three), c.tail, *asked)
    tail, one, two, three = (lanes.ahead() for lanes in (c.tail, *asked))
    ended0, ended1, ended2 = (
        Lanes.map(f"ended{back}", lambda tail, asks: ~tail & asks, tail, asks)
        for back, asks in enumerate((one, two, three))
    )

    def second(name: str, special: Lanes, function: Callable[..., ValueLike], mark: Lanes) -> Lanes:
        return Lanes.map(name, function, special.back(1), c.tail, mark)

    def below(special: Value, tail: Value, mark: Value) -> ValueLike:
        return special & tail & ~mark

    def above(special: Value, tail: Value, mark: Value) -> ValueLike:
        return special & tail & mark

    overlong2 = c.short2.back(1)
    overlong3 = second("overlong3", c.lead_e0, below, c.high).back(1)
    surrogate = second("surrogate", c.lead_ed, above, c.high).back(1)
    overlong4 = second("overlong4", c.lead_f0, below, c.not_low).back(2)
    large4 = second("large4", c.lead_f4, above, c.not_low).back(2)
    large5 = c.large.back(3)

    def either(name: str, *flags: Lanes) -> Lanes:
        return Lanes.map(name, lambda *values: reduce(or_, values), *flags)

    ended = either("ended", ended0, ended1, ended2)
    overlong = either("overlong", overlong2, overlong3, overlong4)
    large = either("large", large4, large5)
    shown = {
        ErrorKind.HEADER_BITS: c.header, ErrorKind.TOO_SHORT: ended, ErrorKind.TOO_LONG: stray,
        ErrorKind.OVERLONG: overlong, ErrorKind.TOO_LARGE: large, ErrorKind.SURROGATE: surrogate,
    }
    return Faults(
        any=either("fault", either("fault_structure", c.header, ended, stray),
                   either("fault_value", overlong, large, surrogate)),
        kind=[
            either(f"kind{bit}", *(flag for code, flag in shown.items() if code >> bit & 1))
            for bit in range(KIND_WIDTH)
        ],
        back=[
            either("back0", ended1, overlong2, overlong4, large),
            either("back1", ended2, overlong3, surrogate, either("back1_four", overlong4, large)),
        ],
    )
