"""Faults of UTF-8: the lane in which each error shows, its kind, and the start of its sequence.

A surrogate, a sequence that breaks off, and a continuation byte after it:

    lane               0    1    2    3    4    5
    byte               ED   A0   80   E2   41   82
    fault              -    -    yes  yes  -    -      with ``apart`` lane 5: TOO_LONG
    kind                         6    2                `ErrorKind`: SURROGATE, TOO_SHORT
    distance                     2    0                lanes back to the start of the sequence

``ED A0`` is a surrogate already, but the fault shows in the last lane of its sequence. ``E2`` has no continuation byte,
and the fault shows in its own lane. Lane 5 is the corner case. ``82`` could be the third byte of ``E2``, two lanes
before, so it is not judged stray. That does no harm, because the packet's first fault is in an earlier lane.

Throughput: one beat per cycle. Each lane is judged from its byte, the three bytes before it and the one after it.

Limits: only a packet's first fault is exact. Without ``apart`` later lanes may have faults too many or too few; with it
each stretch up to an ASCII byte has one if it is ill-formed. Kind and distance are valid with the first fault alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_

from amaranth.hdl import Value, ValueLike

from ...pipeline import Lanes, Plan, stage
from ..base import Faults


@stage("faults")
def find_faults(byte: Lanes, *, apart: bool = False) -> Faults:
    """Where a packet's first error shows and which it is, in simdutf's order: structure first, value once that stands.

    Each lane is judged on the assumption that all lanes before it are well-formed; otherwise an earlier lane has a
    fault already. This saves logic. A wrong value is reported where its sequence would end, without a test whether it
    does. The byte after a lead byte is taken for a continuation byte, and any byte with both upper bits set for a lead
    byte. So few bits of each byte are read, with one or two gates for each verdict.

    ``apart``: the byte after a lead byte is read too. Then no lead byte affects a verdict beyond an ASCII byte. Each
    stretch up to an ASCII byte has a fault if it is ill-formed, and none otherwise.
    """
    if byte.pipeline.plan is Plan.COMPACT and not apart:
        return _few_gates(byte)

    def part(name: str, function: Callable[[Value], ValueLike]) -> Lanes:
        return Lanes.map(name, function, byte)

    def upper(name: str, nibble: int) -> Lanes:
        return part(name, lambda b: b[4:] == nibble)

    bits = part("bits", lambda b: b)
    lead_c, lead_e, lead_f = upper("lead_c", 0xC), upper("lead_e", 0xE), upper("lead_f", 0xF)
    below2 = part("below2", lambda b: b[:4].matches("000-"))
    # Bit 3 distinguishes D (lead byte ED) from 5 to 7 (F5 to F7). No lead byte is FD.
    nibble_567d = part("nibble_567d", lambda b: b[:4].matches("0101", "011-", "1101"))
    below_90 = part("below_90", lambda b: ~b[4:6].any())

    # Lanes that are second of three bytes, second of four and fourth of four, if their sequence continues up to them.
    second3, second4, fourth = lead_e.back(1), lead_f.back(1), lead_f.back(3)
    if apart:
        tail = part("tail", lambda b: b[6:] == 0b10)
        second3, second4 = (Lanes.map(name, lambda lead, tail: lead & tail, lead, tail)
                            for name, lead in (("second3", second3), ("second4", second4)))
        fourth = Lanes.map("third4", lambda second, tail: second & tail, second4.back(1), tail).back(1)

    # Distance to the start of a sequence that continues up to the lane: the lane then has a continuation byte.
    back0 = Lanes.map("back0", lambda one, fourth: one[6:].all() | fourth, bits.back(1), fourth)
    if apart:
        back1 = Lanes.map("back1", lambda *flags: reduce(or_, flags), second3.back(1), second4.back(1), fourth)
    else:
        back1 = Lanes.map("back1", lambda two, fourth: two[5:].all() | fourth, bits.back(2), fourth)
    ended = Lanes.map(
        "ended", lambda b, *asked: (~b[7] | b[6]) & reduce(or_, asked), bits.ahead(), back0.ahead(), back1.ahead()
    )
    stray = Lanes.map("stray", lambda b, *asked: b[7] & ~b[6] & ~reduce(or_, asked), bits, back0, back1)
    header = Lanes.map("header", lambda b, lead: lead & b[3], bits, lead_f)

    # Faults that show in the lane of the second byte, together with the lead byte before it.
    lead = bits.back(1)
    overlong3 = Lanes.map(
        "overlong_e0", lambda e, below2, lead, b: e & below2 & ~lead[0] & ~b[5],
        second3, below2.back(1), lead, bits,
    )
    overlong4 = Lanes.map(
        "overlong_f0", lambda f, below2, lead, below_90: f & below2 & ~lead[0] & below_90,
        second4, below2.back(1), lead, below_90,
    )
    surrogate2 = Lanes.map(
        "surrogate", lambda e, nibble, lead, b: e & nibble & lead[3] & b[5],
        second3, nibble_567d.back(1), lead, bits,
    )
    large2 = Lanes.map(
        "too_large", lambda f, nibble, lead, below_90: f & lead[2] & (nibble | ~below_90),
        second4, nibble_567d.back(1), lead, below_90,
    )

    # Faults that show in the lane of the last byte.
    surrogate, large, overlong_f0 = surrogate2.back(1), large2.back(2), overlong4.back(2)
    if apart:
        large, overlong_f0 = (Lanes.map(f"{flag.name}_4", lambda flag, fourth: flag & fourth, flag, fourth)
                              for flag in (large, overlong_f0))
    overlong = Lanes.map(
        "overlong", lambda c, below2, three, four: (c & below2) | three | four,
        lead_c.back(1), below2.back(1), overlong3.back(1), overlong_f0,
    )
    value = Lanes.map("fault_value", lambda *flags: reduce(or_, flags), overlong, large, surrogate)
    return Faults(
        any=Lanes.map("fault", lambda *flags: reduce(or_, flags), header, ended, stray, value),
        # Bits of `ErrorKind`. An invalid header byte is taken for a lead byte, so `ended` may be set as well.
        kind=[
            Lanes.map("kind0", lambda *flags: reduce(or_, flags), header, stray, large),
            Lanes.map("kind1", lambda header, ended, *flags: reduce(or_, flags, ended & ~header),
                      header, ended, stray, surrogate),
            value,
        ],
        back=[back0, back1],
    )


def _few_gates(byte: Lanes) -> Faults:
    """The same faults with fewer gates but more in series, for plans with long cycles. A wrong value is detected first;
    its kind then follows from the lead byte.

    `find_faults` chooses this form for the plan ``COMPACT`` without ``apart``. There six steps share a cycle, so one
    more step rarely costs a register. ``FAST`` and ``BALANCED`` always have the other form, and so have cores with
    records: their verdicts must not depend on earlier faults.

    For example, ``wrong4`` is one comparison, of bit 2 of the lead byte with ``some``. In ``F0`` the bit is clear, and
    ``some`` is clear for 80 to 8F, which are overlong. In ``F4`` the bit is set, and ``some`` is set for 90 to BF,
    which are too large.
    """
    def part(name: str, function: Callable[[Value], ValueLike]) -> Lanes:
        return Lanes.map(name, function, byte)

    bits = part("bits", lambda b: b)
    one = bits.back(1)

    def upper(name: str, nibble: int) -> Lanes:
        return part(name, lambda b: b[4:] == nibble)

    lead_c, lead_e, lead_f = upper("lead_c", 0xC), upper("lead_e", 0xE), upper("lead_f", 0xF)
    fourth = lead_f.back(3)
    back0 = Lanes.map("back0", lambda one, fourth: one[6:].all() | fourth, one, fourth)
    back1 = Lanes.map("back1", lambda two, fourth: two[5:].all() | fourth, bits.back(2), fourth)
    ended = Lanes.map("ended", lambda b, *asked: (~b[7] | b[6]) & reduce(or_, asked),
                      bits.ahead(), back0.ahead(), back1.ahead())
    stray = Lanes.map("stray", lambda b, *asked: b[7] & ~b[6] & ~reduce(or_, asked), bits, back0, back1)
    header = Lanes.map("header", lambda b, lead: lead & b[3], bits, lead_f)

    # C0 and C1; E0 before 80 to 9F, ED before A0 to BF; F0 before 80 to 8F, F4 before 90 to BF, F5 to F7.
    overlong2 = Lanes.map("overlong_c0", lambda b, lead: lead & ~b[1:4].any(), bits, lead_c)
    nibble_0d = part("nibble_0d", lambda b: b[:4].matches("0000", "1101"))
    some = Lanes.map("some", lambda lead, b: lead[:2].any() | b[4:6].any(), one, bits)
    wrong3 = Lanes.map("wrong3", lambda e, nibble, lead, b: e & nibble & (lead[0] == b[5]),
                       lead_e.back(1), nibble_0d.back(1), one, bits)
    wrong4 = Lanes.map("wrong4", lambda f, lead, some: f & (lead[2] == some), lead_f.back(1), one, some)

    # Faults that show in the lane of the last byte.
    second, third = wrong3.back(1), wrong4.back(2)
    value = Lanes.map("fault_value", lambda *flags: reduce(or_, flags), overlong2.back(1), second, third)
    kind0 = Lanes.map("kind0", lambda header, stray, wrong, lead: header | stray | (wrong & lead[2]),
                      header, stray, third, bits.back(3))
    kind1 = Lanes.map("kind1", lambda header, ended, stray, wrong, lead: (ended & ~header) | stray | (wrong & lead[0]),
                      header, ended, stray, second, bits.back(2))
    # No kind is 0.
    return Faults(any=Lanes.map("fault", lambda *flags: reduce(or_, flags), kind0, kind1, value),
                  kind=[kind0, kind1, value], back=[back0, back1])
