"""Window verdicts: the role of each byte, from the bytes around it.

A verdict depends on the lane's byte, the three before it and the one after it. There is no other state, so a beat of
any width is judged at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...pipeline import Lanes, Pipeline, stage
from .classes import ByteClasses


@dataclass
class Joins:
    """The role of each byte in its sequence (RFC 3629, section 4; Unicode Table 3-7).

    ``joins``: the byte continues a sequence that is still well-formed. If the next byte does not join, this byte ends a
    character or a maximal subpart; output happens only there.
    ``complete``: the byte ends a well-formed character. A byte that ends anything else ends a maximal subpart.
    ``second``: the byte is second in its sequence, and in its lead's range.
    ``last4``: this byte and the one before it are continuation bytes, and a four-byte lead is three bytes before it.
    """

    joins: Lanes
    complete: Lanes
    second: Lanes
    last4: Lanes

    @property
    def pipeline(self) -> Pipeline:
        return self.joins.pipeline


@stage("verdicts")
def judge(c: ByteClasses, nul: Lanes | None = None) -> Joins:
    """Whether each byte, and the one after the beat, continues its sequence, and whether it completes a character.

    ``nul``: bytes 00, if they are ill-formed.
    """
    # A second byte outside its lead's range makes an overlong, a surrogate, or a value above U+10FFFF.
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
    ) if nul is None else Lanes.map(
        "short",
        lambda b, nul, second, two: (~b[7] & ~nul) | (second & two),
        c.bytes, nul, second, c.lead2.back(1),
    )
    long = Lanes.map(
        "long",
        lambda after3, was_second, fourth, second3: (after3 & was_second) | (fourth & second3),
        after3, second.back(1), last4, second.back(2),
    )
    return Joins(joins, Lanes.map("complete", lambda short, long: short | long, short, long), second, last4)
