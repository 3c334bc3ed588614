"""Assembly of scalars: the payload bits of a sequence, combined at its last byte (RFC 3629, section 3)."""

from __future__ import annotations

from amaranth.hdl import Cat, Mux, Value
from runewire_model.byte_order_mark import UTF8_MARK
from runewire_model.scalars import REPLACEMENT

from ...pipeline import Lanes, stage
from ...pipeline.gates import replaced
from .classes import ByteClasses
from .verdicts import Joins


@stage("emissions")
def emissions(joins: Joins, keep: Lanes, bom: Lanes | None, *, drop: bool) -> Lanes:
    """Whether each lane puts a scalar out: where a character ends, and, but for ``drop``, a maximal subpart.

    ``bom`` flags the last byte of a byte order mark to be left out.
    """
    ends = Lanes.map("ends", lambda keep, joined: keep & ~joined, keep, joins.joins.ahead())
    if bom is not None:
        ends = Lanes.map("ends_kept", lambda ends, bom: ends & ~bom, ends, bom)
    if drop:
        ends = Lanes.map("ends_whole", lambda ends, complete: ends & complete, ends, joins.complete)
    return ends


@stage("byte_order_mark")
def byte_order_mark(c: ByteClasses) -> Lanes:
    """Marks the third byte of a byte order mark that begins a packet (EF BB BF, RFC 3629 section 6)."""
    def byte(name: str, value: int) -> Lanes:
        halves = [
            Lanes.map(f"{name}_{half}", lambda b, part=part: b.bit_select(part, 4) == value >> part & 15, c.bytes)
            for half, part in (("low", 0), ("high", 4))
        ]
        return Lanes.map(name, lambda low, high: low & high, *halves)

    inside = Lanes.map("inside", lambda b: 1, c.bytes)
    first, second, third = UTF8_MARK
    return Lanes.map(
        "bom",
        lambda ef, bb, bf, before: ef & bb & bf & ~before,
        byte("ef", first).back(2), byte("bb", second).back(1), byte("bf", third), inside.back(3),
    )


@stage("distances")
def distances(c: ByteClasses, *, records: bool = False) -> list[Lanes]:
    """How far before its last byte each well-formed sequence begins, as bits, lowest first.

    They are exact in the first fault of a packet. With ``records`` they are so in the first fault of each record too:
    in ``F1 0A DF 9F`` the record with DF 9F begins behind F1, which is no lead byte of it.
    """
    def four() -> Lanes:
        if not records:
            return c.lead4.back(3)
        return Lanes.map("four_of_record", lambda four, two: four & ~two, c.lead4.back(3), c.lead2.back(1))

    def either(name: str, shorter: Lanes) -> Lanes:
        return Lanes.map(name, lambda tail, shorter, four: tail & (shorter | four), c.tail, shorter, four())

    return [either("distance0", c.lead2.back(1)), either("distance1", c.lead3.back(2))]


@stage("scalars")
def assemble(c: ByteClasses, joins: Joins, after: int) -> Lanes:
    """The scalar that ends in each lane, or U+FFFD where an ill-formed subpart does.

    It is available at step ``after`` or later.

    Seen from the last byte, each bit of a scalar comes from one place. So a bit needs no multiplexer: the length masks
    it, and a replacement sets or clears it.
    """
    two = c.tail
    three = Lanes.map("three", lambda tail, before: tail & before, c.tail, c.tail.back(1))
    four = Lanes.map("four", lambda three, before: three & before, three, c.tail.back(2))
    count = joins.complete.width

    def payload(width: int, distance: int) -> Lanes:
        late = max(after - 1, *(value.step for value in joins.complete.values))
        pipe = c.bytes.pipeline
        values = [
            pipe.step(f"payload_back{distance}_l{lane}", lambda b: b[:width], c.bytes[lane], after=late - 1)
            for lane in range(count)
        ]
        return Lanes(pipe, f"payload_back{distance}", values, count).back(distance)

    def scalar(complete: Value, two: Value, three: Value, four: Value, *back: Value) -> Value:
        b0, b1, b2, b3 = back
        masked = Cat(
            b0[:6],
            Mux(two, b1[0], b0[6]),
            [b1[bit] & two for bit in range(1, 5)],
            b1[5] & three,
            [b2[bit] & three for bit in range(4)],
            [b2[bit] & four for bit in range(4, 6)],
            [b3[bit] & four for bit in range(3)],
        )
        return replaced(masked, REPLACEMENT, ~complete, complete)

    return Lanes.map(
        "scalar", scalar, joins.complete, two, three, four,
        payload(7, 0), payload(6, 1), payload(6, 2), payload(3, 3),
    )
