"""Bytes out of scalars: each scalar's UTF-8 sequence in four lanes of its own (RFC 3629, section 3)."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Value
from runewire_model import ErrorKind

from .layouts import KIND_WIDTH
from .pipeline import Lanes, Timed, stage
from .verdicts import Faults

__all__ = ["Sequences", "encode_lanes"]


@dataclass
class Sequences:
    """Sequences of a beat's scalars: ``present`` and ``data`` for four byte lanes a scalar, and the faults."""

    present: list[Timed]
    data: list[Timed]
    faults: Faults


@stage("sequences")
def encode_lanes(scalars: Lanes, keep: Lanes, *, drop: bool) -> Sequences:
    """The UTF-8 sequence of every 32-bit value, with U+FFFD, or nothing, for what is no scalar value.

    Sequences are aligned at their end: the last byte of each is in its fourth lane. So a byte has at most
    two places it can come from, where aligned at their start it would have up to four.
    """
    def any_of(name: str, low: int, high: int) -> Lanes:
        return Lanes.map(name, lambda c: c[low:high].any(), scalars)

    beyond_parts = [any_of(f"beyond{low}", low, min(low + 4, 32)) for low in range(21, 32, 4)]
    beyond = Lanes.map("beyond", lambda *parts: Cat(parts).any(), *beyond_parts)
    upper = any_of("upper", 16, 21)
    above_last = Lanes.map("above_last", lambda c: c[16:21] > 0x10, scalars)
    d800 = Lanes.map("d800", lambda c: c[11:16] == 0xD800 >> 11, scalars)
    large = Lanes.map("large", lambda beyond, above: beyond | above, beyond, above_last)
    surrogate = Lanes.map("surrogate", lambda d8, upper, beyond: d8 & ~upper & ~beyond, d800, upper, beyond)
    bad = Lanes.map("bad", lambda large, surrogate: large | surrogate, large, surrogate)
    # It drives every bit of a sequence: a copy for each byte, and one for the rest.
    bad, *bads = (Lanes.map("bad_near", lambda bad: bad, bad, keep=True) for _ in range(5))
    middle, lower = any_of("middle", 11, 16), any_of("lower", 7, 11)
    two = Lanes.map("two", lambda *parts: Cat(parts).any(), upper, middle, lower)
    three = Lanes.map("three", lambda *parts: Cat(parts).any(), upper, middle)
    length = [
        keep,
        Lanes.map("from2", lambda two, bad: two | bad, two, bad),
        Lanes.map("from3", lambda three, bad: three | bad, three, bad),
        Lanes.map("from4", lambda upper, bad: upper & ~bad, upper, bad),
    ]

    def present(name: str, keep: Lanes, longer: Lanes) -> Lanes:
        if drop:
            return Lanes.map(name, lambda keep, longer, bad: keep & longer & ~bad, keep, longer, bad)
        return Lanes.map(name, lambda keep, longer: keep & longer, keep, longer)

    tail = Const(0b10, 2)
    lanes = [
        Lanes.map("byte3", lambda c, bad: _choose(
            bad, Const(0, 8), Cat(c[18:21], Const(0b11110, 5))), scalars, bads[3]),
        Lanes.map("byte2", lambda c, bad, four: _choose(
            bad, Const(0xEF), _choose(four, Cat(c[12:18], tail), Cat(c[12:16], Const(0b1110, 4)))),
            scalars, bads[2], upper),
        Lanes.map("byte1", lambda c, bad, three: _choose(
            bad, Const(0xBF), _choose(three, Cat(c[6:12], tail), Cat(c[6:11], Const(0b110, 3)))),
            scalars, bads[1], three),
        Lanes.map("byte0", lambda c, bad, two: _choose(
            bad, Const(0xBD), _choose(two, Cat(c[:6], tail), Cat(c[:7], Const(0, 1)))), scalars, bads[0], two),
    ]
    flags = [present(f"present{i}", keep, length[i]) for i in (3, 2, 1, 0)]
    zero = Lanes.map("zero", lambda bad: Const(0, 1), bad)
    codes = {ErrorKind.TOO_LARGE: large, ErrorKind.SURROGATE: surrogate}
    faults = Faults(
        any=Lanes.map("fault", lambda keep, bad: keep & bad, keep, bad),
        kind=[
            Lanes.map(f"kind{bit}", lambda *flags: Cat(flags).any(), zero,
                      *(flag for code, flag in codes.items() if code >> bit & 1))
            for bit in range(KIND_WIDTH)
        ],
        back=[],
    )
    return Sequences(
        present=[lane[i] for i in range(scalars.width) for lane in flags],
        data=[lane[i] for i in range(scalars.width) for lane in lanes],
        faults=faults,
    )


def _choose(flag: Value, yes: Value, no: Value) -> Value:
    """``yes`` or ``no``, of one width, in gates: of a multiplexer by a constant synthesis makes a set or a reset,
    which stands behind a gate of its own."""
    return (yes & flag.replicate(len(yes))) | (no & (~flag).replicate(len(no)))
