"""Bytes out of scalars: each scalar's UTF-8 sequence in up to four slots of its lane (RFC 3629, section 3).

The scalar 20AC in one lane:

    slot     0    1    2    3
    present  0    1    1    1
    byte     -    E2   82   AC
"""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Cat, Const, Value
from runewire_model.scalars import REPLACEMENT

from ...gates import chosen
from ...pipeline import Lanes, stage
from ..base import SCALAR_WIDTH, Scalars, Units

__all__ = ["REPLACEMENT_BYTES", "sequences"]

TAIL = Const(0b10, 2)
REPLACEMENT_BYTES = (0, 0xE0 | REPLACEMENT >> 12, 0x80 | REPLACEMENT >> 6 & 0x3F, 0x80 | REPLACEMENT & 0x3F)
"""U+FFFD in the four slots."""


@stage("sequences")
def sequences(text: Scalars, slots: int = 4) -> Units:
    """The UTF-8 sequence of every scalar.

    None takes more bytes than there are ``slots``. Sequences are aligned at their end: the last byte of each is in its
    lane's last slot. So a byte has at most two places it can come from, where aligned at their start it would have up
    to four.
    """
    scalars = text.scalars(0)

    def any_of(name: str, low: int, high: int) -> Lanes:
        return Lanes.map(name, lambda c: c[low:high].any(), scalars)

    upper, middle, lower = any_of("upper", 16, SCALAR_WIDTH), any_of("middle", 11, 16), any_of("lower", 7, 11)
    two = Lanes.map("needs2", lambda *parts: Cat(parts).any(), upper, middle, lower)
    three = Lanes.map("needs3", lambda *parts: Cat(parts).any(), upper, middle)
    replaced: list[list[Lanes]] = [[]] * 4
    bad = []
    if text.bad is not None:
        # It drives every bit of a sequence: a replica for each byte, and one for the lengths.
        bad, *replaced = ([Lanes.map("bad_replica", lambda bad: bad, text.bad, keep=True)] for _ in range(5))
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

    forms: list[tuple[Callable[..., Value], list[Lanes]]] = [
        (byte0, []), (byte1, [upper]), (byte2, [three]), (byte3, [two]),
    ]
    lanes = [
        Lanes.map(f"byte{slot}", _or_replaced(made, REPLACEMENT_BYTES[slot]), *replaced[slot], scalars, *lengths)
        for slot, (made, lengths) in enumerate(forms)
    ]
    return Units(
        [slot[lane] for lane in range(scalars.width) for slot in present[-slots:]],
        lambda after: [slot[lane] for lane in range(scalars.width) for slot in lanes[-slots:]],
    )


def _or_replaced(made: Callable[..., Value], replacement: int) -> Callable[..., Value]:
    """``made`` of a scalar and more, or with a flag before these the byte ``replacement`` where that is set."""
    def byte(first: Value, *rest: Value) -> Value:
        if len(first) > 1:
            return made(first, *rest)
        return chosen(first, Const(replacement, 8), made(*rest))

    return byte
