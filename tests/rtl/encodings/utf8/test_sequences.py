"""UTF-8 sequences of scalars: four byte slots a lane, aligned at their end."""

import random
from collections.abc import Sequence

import pytest
from runewire_model import ErrorKind
from runewire_rtl.encodings.base import SCALAR_WIDTH, Scalars
from runewire_rtl.encodings.utf8.sequences import sequences
from runewire_rtl.encodings.utf32 import Utf32Front
from runewire_rtl.pipeline import Lanes, Plan

EDGES = [0, 0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFFFD, 0xFFFF,
         0x10000, 0x1D800, 0x10D800, 0x10FFFF, 0x110000, 0x11D800, 0x1FFFFF, 0x20D800, 0x8000D800, 0xFFFFFFFF]
ONE_BIT = [1 << bit for bit in range(32)]
ALL_BUT_ONE = [0x10FFFF ^ 1 << bit for bit in range(21)]
WHOLE = 0b1111


def is_scalar(value: int) -> bool:
    return value < 0xD800 or 0xE000 <= value < 0x110000


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


def all_values(rng: random.Random) -> list[int]:
    return [*EDGES, *ONE_BIT, *ALL_BUT_ONE, *(rng.randrange(0x112000) for _ in range(100)),
            *(rng.randrange(0xD700, 0xE100) for _ in range(40))]


def check_slots(present: Sequence[int], data: Sequence[int], octets: bytes) -> None:
    """The four slots of a lane have these octets, the last of them in the last slot."""
    assert list(present) == [0] * (4 - len(octets)) + [1] * len(octets)
    assert bytes(data)[4 - len(octets) :] == octets


@pytest.mark.parametrize("bad", [False, True])
@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize("lanes", [1, 2])
def test_sequences_of_scalars(lane_bench, beat, lanes: int, plan: Plan, bad: bool) -> None:
    """With ``bad``, some are read as U+FFFD, whatever their number is."""
    bench = lane_bench(lanes, plan, width=SCALAR_WIDTH + 1, lookahead=False)
    scalars = Lanes.map("scalar", lambda v: v[:SCALAR_WIDTH], bench.data)
    flags = Lanes.map("bad", lambda v: v[SCALAR_WIDTH], bench.data)
    units = sequences(Scalars(bench.keep, lambda after: scalars, flags if bad else None))
    rng = random.Random(16)
    values = [value for value in all_values(rng) if is_scalar(value)]
    if bad:
        values += [value % (1 << SCALAR_WIDTH) | 1 << SCALAR_WIDTH for value in all_values(rng)]
    beats = [beat([*rng.choices(values, k=lanes - 1), value], rng.getrandbits(lanes) | 1 << lanes - 1, False)
             for value in values]
    rows = bench.run(beats, [*units.present, *units.data(0)])
    for item, row in zip(beats, rows, strict=True):
        for lane, value in enumerate(item.data):
            octets = chr(0xFFFD if value >> SCALAR_WIDTH else value).encode()
            where = slice(4 * lane, 4 * lane + 4)
            check_slots(row[: 4 * lanes][where], row[4 * lanes :][where], octets if item.keep >> lane & 1 else b"")


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize("lanes", [1, 2])
def test_sequences_and_faults_of_32_bit_values(lane_bench, beat, lanes: int, plan: Plan, drop: bool) -> None:
    bench = lane_bench(lanes, plan, width=32, lookahead=False, unit_bytes=4)
    front = Utf32Front(bench.source)
    made = sequences(front.scalars(bench.source.kept, drop=drop, strip=False))
    faults = front.faults()
    assert faults.back == []
    rng = random.Random(6)
    values = all_values(rng)
    beats = [
        beat([*rng.choices(values, k=lanes - 1), value],
             sum(WHOLE << 4 * lane for lane in range(lanes) if lane == lanes - 1 or rng.random() < 0.5), False)
        for value in values
    ]
    flagged = [value for flags in (faults.any, *faults.kind) for value in flags.beat()]
    rows = bench.run(beats, [*made.present, *made.data(0), *flagged])
    for item, row in zip(beats, rows, strict=True):
        present, data, flags = row[: 4 * lanes], row[4 * lanes : 8 * lanes], row[8 * lanes :]
        for lane, value in enumerate(item.data):
            octets, kind = utf8(value, drop)
            kept = item.keep >> 4 * lane & 1
            where = slice(4 * lane, 4 * lane + 4)
            check_slots(present[where], data[where], octets if kept else b"")
            fault, *bits = flags[lane::lanes]
            assert fault == (kept and kind != 0)
            if fault:
                assert sum(bit << i for i, bit in enumerate(bits)) == kind


def test_a_value_that_is_not_kept_is_no_fault(lane_bench, beat) -> None:
    bench = lane_bench(2, width=32, lookahead=False, unit_bytes=4)
    front = Utf32Front(bench.source)
    made = sequences(front.scalars(bench.source.kept, drop=False, strip=False))
    rows = bench.run([beat([0xD800, 0xFFFFFFFF], 0, True)], [*front.faults().any.beat(), *made.present])
    assert rows == [(0,) * 10]
