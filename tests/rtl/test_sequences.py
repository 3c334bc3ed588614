"""Sequences out of 32-bit values: four byte lanes a scalar, aligned at their end."""

import random

import pytest
from runewire_model import ErrorKind
from runewire_rtl.pipeline import Plan
from runewire_rtl.sequences import encode_lanes

EDGES = [0, 0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFFFD, 0xFFFF,
         0x10000, 0x1D800, 0x10D800, 0x10FFFF, 0x110000, 0x11D800, 0x1FFFFF, 0x20D800, 0x8000D800, 0xFFFFFFFF]
ONE_BIT = [1 << bit for bit in range(32)]
ALL_BUT_ONE = [0x10FFFF ^ 1 << bit for bit in range(21)]


def utf8(value: int, drop: bool) -> tuple[bytes, int]:
    """The sequence of one value and the kind of its error, 0 for none: RFC 3629 section 3, written out."""
    kind = 0
    if value > 0x10FFFF:
        kind = ErrorKind.TOO_LARGE
    elif 0xD800 <= value <= 0xDFFF:
        kind = ErrorKind.SURROGATE
    if kind:
        return (b"" if drop else b"\xEF\xBF\xBD"), kind
    return chr(value).encode(), 0


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize("lanes", [1, 2])
def test_sequences_and_faults(lane_bench, beat, lanes: int, plan: Plan, drop: bool) -> None:
    bench = lane_bench(lanes, plan, width=32, lookahead=False)
    made = encode_lanes(bench.data, bench.keep, drop=drop)
    rng = random.Random(6)
    values = [*EDGES, *ONE_BIT, *ALL_BUT_ONE, *(rng.randrange(0x112000) for _ in range(100)),
              *(rng.randrange(0xD700, 0xE100) for _ in range(40))]
    beats = [
        beat([*rng.choices(values, k=lanes - 1), value], rng.getrandbits(lanes) | 1 << lanes - 1, False)
        for value in values
    ]
    faults = [made.faults.any, *made.faults.kind]
    flagged = [value for flags in faults for value in flags.beat()]
    rows = bench.run(beats, [*made.present, *made.data, *flagged])
    assert made.faults.back == []
    for item, row in zip(beats, rows, strict=True):
        present, data, flags = row[: 4 * lanes], row[4 * lanes : 8 * lanes], row[8 * lanes :]
        for lane, value in enumerate(item.data):
            octets, kind = utf8(value, drop)
            kept = item.keep >> lane & 1
            octets = octets if kept else b""
            where = slice(4 * lane, 4 * lane + 4)
            assert list(present[where]) == [0] * (4 - len(octets)) + [1] * len(octets), f"{value:X}"
            assert bytes(data[where])[4 - len(octets) :] == octets, f"{value:X}"
            fault, *bits = flags[lane::lanes]
            assert fault == (kept and kind != 0)
            if fault:
                assert sum(bit << i for i, bit in enumerate(bits)) == kind


def test_a_value_that_is_not_kept_is_no_fault(lane_bench, beat) -> None:
    bench = lane_bench(2, width=32, lookahead=False)
    made = encode_lanes(bench.data, bench.keep, drop=False)
    rows = bench.run([beat([0xD800, 0xFFFFFFFF], 0, True)], made.faults.any.beat() + made.present)
    assert rows == [(0,) * 10]
