"""Assembly of UTF-8 sequences: each scalar's bytes in up to four slots of its lane (RFC 3629, section 3).

The scalar 20AC in one lane:

    slot     0    1    2    3
    present  0    1    1    1
    byte     -    E2   82   AC
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amaranth.hdl import Cat, Const, Value
from runewire_model.scalars import REPLACEMENT

from ...pipeline import Lanes, Plan, Timed, stage
from ...pipeline.gates import chosen, replaced
from ..base import SCALAR_WIDTH, Scalars, Units

TAIL = Const(0b10, 2)
REPLACEMENT_BYTES = (0, 0xE0 | REPLACEMENT >> 12, 0x80 | REPLACEMENT >> 6 & 0x3F, 0x80 | REPLACEMENT & 0x3F)
"""The bytes of U+FFFD in the four slots."""


@stage("sequences")
def sequences(text: Scalars, slots: int = 4) -> Units:
    """The UTF-8 sequence of every scalar.

    No scalar takes more bytes than there are ``slots``. Sequences are aligned at their end: each one's last byte is in
    its lane's last slot. So a byte comes from at most two places; aligned at the start, it would come from up to four.
    """
    scalars = text.scalars(0)

    def any_of(name: str, low: int, high: int) -> Lanes:
        return Lanes.map(name, lambda c: c[low:high].any(), scalars)

    upper, middle, lower = any_of("upper", 16, SCALAR_WIDTH), any_of("middle", 11, 16), any_of("lower", 7, 11)
    two = Lanes.map("needs2", lambda *parts: Cat(parts).any(), upper, middle, lower)
    three = Lanes.map("needs3", lambda *parts: Cat(parts).any(), upper, middle)
    replacing: list[list[Lanes]] = [[]] * 4
    bad = []
    if text.bad is not None:
        # The flag drives every bit of a sequence: one replica for each byte, and one for the lengths.
        bad, *replacing = ([Lanes.map("bad_replica", lambda bad: bad, text.bad, keep=True)] for _ in range(5))
    longer = [
        Lanes.map("from4", lambda upper, *bad: upper & ~Cat(bad).any(), upper, *bad),
        Lanes.map("from3", lambda *flags: Cat(flags).any(), three, *bad),
        Lanes.map("from2", lambda *flags: Cat(flags).any(), two, *bad),
    ]
    present = [
        *(Lanes.map(f"present{slot}", lambda keep, longer: keep & longer, text.present, flag)
          for slot, flag in enumerate(longer)),
        text.present,
    ]

    def byte3(c: Value, two: Value) -> Value:
        return chosen(two, Cat(c[:6], TAIL), Cat(c[:7], Const(0, 1)))

    def byte2(c: Value, three: Value) -> Value:
        return chosen(three, Cat(c[6:12], TAIL), Cat(c[6:11], Const(0b110, 3)))

    def byte1(c: Value, four: Value) -> Value:
        return chosen(four, Cat(c[12:18], TAIL), Cat(c[12:16], Const(0b1110, 4)))

    def byte0(c: Value) -> Value:
        return Cat(c[18:21], Const(0b11110, 5))

    there = [slot[lane] for lane in range(scalars.width) for slot in present[-slots:]]
    if text.pipeline.plan is Plan.COMPACT:
        return Units(there, lambda after: _bytes_at(text, bad, longer, slots, after))
    forms: list[tuple[Callable[..., Value], list[Lanes]]] = [
        (byte0, []), (byte1, [upper]), (byte2, [three]), (byte3, [two]),
    ]
    lanes = [
        Lanes.map(f"byte{slot}", _or_replaced(made, REPLACEMENT_BYTES[slot]), *replacing[slot], scalars, *lengths)
        for slot, (made, lengths) in enumerate(forms)
    ]
    return Units(there, lambda after: [slot[lane] for lane in range(scalars.width) for slot in lanes[-slots:]])


def _bytes_at(text: Scalars, bad: list[Lanes], longer: list[Lanes], slots: int, after: int) -> list[Timed]:
    """The bytes of all sequences, valid where they are present, made at step ``after``: until then the scalars wait,
    which have fewer bits. ``bad``: lanes that become U+FFFD, if requested. ``longer``: flags for four bytes, three,
    two."""
    four, three, two = ([flag] for flag in longer)

    def payload(c: Value, bad: Sequence[Value], low: int, high: int) -> Value:
        part = c[low:high]
        return replaced(part, REPLACEMENT >> low & (1 << high - low) - 1, bad[0]) if bad else part

    # A scalar of fewer bytes has zeros in the remaining bits of a lead byte.
    forms: list[tuple[Callable[..., Value], list[Lanes]]] = [
        (lambda c, *bad: Cat(payload(c, bad, 18, SCALAR_WIDTH), Const(0b11110, 5)), []),
        (lambda c, four, *bad: Cat(payload(c, bad, 12, 17), c[17] | ~four, ~four, Const(1, 1)), four),
        (lambda c, three, *bad: Cat(payload(c, bad, 6, 12), ~three, Const(1, 1)), three),
        (lambda c, two, *bad: Cat(payload(c, bad, 0, 6), c[6] & ~two, two), two),
    ]
    with text.pipeline.stage("sequences", ""):
        lanes = [Lanes.map(f"byte{slot}", made, text.scalars(0), *length, *bad, after=after - 1)
                 for slot, (made, length) in enumerate(forms)]
    return [slot[lane] for lane in range(len(lanes[0].values)) for slot in lanes[-slots:]]


def _or_replaced(made: Callable[..., Value], replacement: int) -> Callable[..., Value]:
    """``made`` of a scalar and more; with a flag as first argument, the byte ``replacement`` where that flag is set."""
    def byte(first: Value, *rest: Value) -> Value:
        if len(first) > 1:
            return made(first, *rest)
        return chosen(first, Const(replacement, 8), made(*rest))

    return byte
