"""Byte classes: the class of each byte, regardless of its neighbours (RFC 3629, sections 3 and 4).

A missing byte has no class bit set, so it reads as ASCII.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...pipeline import Lanes, Pipeline, stage


@dataclass
class ByteClasses:
    """Class bits of each lane, two steps after its byte. ``x`` to ``y`` are the byte's values.

    ========== ==================================================================
    ``tail``     80 to BF, a continuation byte
    ``lead2``    C0 to DF: by its form, the first byte of two
    ``lead3``    E0 to EF
    ``lead4``    F0 to F7
    ``short2``   C0, C1: whatever follows is overlong
    ``lead_e0``  E0, needs A0 to BF next
    ``lead_ed``  ED, needs 80 to 9F next
    ``lead_f0``  F0, needs 90 to BF next
    ``lead_f4``  F4, needs 80 to 8F next
    ``large``    F5 to F7: whatever follows is above U+10FFFF
    ``high``     a continuation byte from A0
    ``not_low``  a continuation byte from 90
    ========== ==================================================================
    """

    bytes: Lanes
    tail: Lanes
    lead2: Lanes
    lead3: Lanes
    lead4: Lanes
    short2: Lanes
    lead_e0: Lanes
    lead_ed: Lanes
    lead_f0: Lanes
    lead_f4: Lanes
    large: Lanes
    high: Lanes
    not_low: Lanes

    @property
    def pipeline(self) -> Pipeline:
        return self.bytes.pipeline


@stage("classes")
def classify(byte: Lanes) -> ByteClasses:
    """Byte classes of every lane: the beat's bytes and the one after it.

    The first step reads each nibble separately, the second combines two nibbles.
    """
    def high(name: str, *patterns: str) -> Lanes:
        return Lanes.map(name, lambda b: b[4:].matches(*patterns), byte)

    def low(name: str, *patterns: str) -> Lanes:
        return Lanes.map(name, lambda b: b[:4].matches(*patterns), byte)

    def both(name: str, *flags: Lanes) -> Lanes:
        return Lanes.map(name, lambda x, y: x & y, *flags)

    tail, lead2, lead3, upper = high("tail", "10--"), high("lead2", "110-"), high("e", "1110"), high("f", "1111")
    nibble0 = low("nibble0", "0000")
    return ByteClasses(
        bytes=byte,
        tail=tail,
        lead2=lead2,
        lead3=lead3,
        lead4=both("lead4", upper, low("below8", "0---")),
        short2=both("short2", high("c", "1100"), low("below2", "000-")),
        lead_e0=both("lead_e0", lead3, nibble0),
        lead_ed=both("lead_ed", lead3, low("nibbled", "1101")),
        lead_f0=both("lead_f0", upper, nibble0),
        lead_f4=both("lead_f4", upper, low("nibble4", "0100")),
        large=both("large", upper, low("from5", "0101", "011-")),
        high=high("high", "101-"),
        not_low=high("not_low", "1001", "101-"),
    )
