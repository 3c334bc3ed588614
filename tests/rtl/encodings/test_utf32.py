"""UTF-32 in hardware: the fault of each unit, which units are output, and U+FFFD for the others."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest
from amaranth.hdl import Cat, Const
from runewire_model import ErrorKind, encoding
from runewire_rtl.encodings.base import SCALAR_WIDTH, Scalars
from runewire_rtl.encodings.utf32 import Utf32Back, Utf32Front
from runewire_rtl.pipeline import Lanes, Plan

UTF32 = encoding("utf-32le")
EDGES = [0, 0x41, 0xFEFF, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x1D800, 0x10D800,
         0x10FFFF, 0x110000, 0x11D800, 0x1FFFFF, 0x20D800, 0x20FEFF, 0x8000D800, 0xFFFE0000, 0xFFFFFFFF]
VALUES = [*EDGES, *(1 << bit for bit in range(32)), *(0x10FFFF ^ 1 << bit for bit in range(21)),
          *(0xFEFF ^ 1 << bit for bit in range(32))]
PARTS = [0b0000, 0b0001, 0b0011, 0b0111, 0b1000, 0b1001, 0b1011, 0b1101, 0b1110]
"""Keep bits of a missing unit, and of units that lack bytes at the end or before it."""
WHOLE = 0b1111


def kind_of(value: int, keep: int, *, reject_nul: bool) -> int:
    """The fault of a unit with the bytes that ``keep`` marks, 0 for none."""
    if keep != WHOLE:
        return ErrorKind.TOO_SHORT
    if value == 0 and reject_nul:
        return ErrorKind.NUL
    if value > 0x10FFFF:
        return ErrorKind.TOO_LARGE
    return ErrorKind.SURROGATE if 0xD800 <= value <= 0xDFFF else 0


@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize(("lanes", "narrowed", "reject_nul"), [
    (1, False, False), (1, True, False), (2, False, False), (4, False, False), (1, False, True), (1, True, True)])
def test_what_is_wrong_with_each_unit(
        lane_bench, beat, lanes: int, plan: Plan, narrowed: bool, reject_nul: bool) -> None:
    """An incomplete unit is TOO_SHORT, whatever number its other bytes form, 0 too. Units with fewer bits, as a compact
    core stores them, give the same verdict."""
    bench = lane_bench(lanes, plan, width=32, lookahead=False, unit_bytes=4)
    source = bench.source
    if narrowed:
        source = replace(source, data=Lanes.map(
            "narrowed", lambda unit: Cat(Utf32Front.narrowed(unit), Const(0, 32))[:32], source.data))
    front = Utf32Front(source, reject_nul=reject_nul)
    faults, text = front.faults(), front.scalars(bench.source.kept, drop=False, strip=False)
    whole = front.scalars(bench.source.kept, drop=True, strip=False)
    assert faults.back == []
    assert text.bad is not None
    rng = random.Random(lanes)
    units = [(value, keep) for value in VALUES for keep in (WHOLE, WHOLE, *PARTS)]
    rng.shuffle(units)
    units = units[: len(units) // lanes * lanes]
    beats = [beat([value for value, _ in units[start : start + lanes]],
                  sum(keep << 4 * lane for lane, (_, keep) in enumerate(units[start : start + lanes])), False)
             for start in range(0, len(units), lanes)]
    columns = (faults.any, *faults.kind, text.present, whole.present, text.bad, text.scalars(0))
    rows = bench.run(beats, [value for column in columns for value in column.beat()])
    found = [row[lane::lanes] for row in rows for lane in range(lanes)]
    for (value, keep), (fault, kind0, kind1, kind2, there, kept, bad, scalar) in zip(units, found, strict=True):
        kind, here = kind_of(value, keep, reject_nul=reject_nul), keep & 1
        assert (fault, there, kept) == (here and kind != 0, here, here and kind == 0), f"{value:X} {keep:04b}"
        if fault:
            assert (kind0 + 2 * kind1 + 4 * kind2, bad) == (kind, 1), f"{value:X} {keep:04b}"
        elif here:
            assert (scalar, bad) == (value, 0)


def cut(rng: random.Random, packets: Iterable[bytes], lanes: int) -> list[tuple[list[int], int, bool]]:
    """Beats of packets: data, keep, last; missing units are noise."""
    beats = []
    for packet in packets:
        starts = range(0, max(1, len(packet)), 4 * lanes)
        for start in starts:
            part = packet[start : start + 4 * lanes]
            data = part + rng.choice([rng.randbytes(4 * lanes), b"\xFE\xFF\0\0" * lanes, b"\0\xD8\0\0" * lanes])
            beats.append(([int.from_bytes(data[at : at + 4], "little") for at in range(0, 4 * lanes, 4)],
                          (1 << len(part)) - 1, start == starts[-1]))
    return beats


def packets_of(rng: random.Random, count: int) -> list[bytes]:
    """Short packets, many with a byte order mark or a similar unit first, some with an incomplete last unit."""
    mark = b"\xFF\xFE\0\0"
    made = [b"", mark, mark, b"", mark[:3], mark[:1], mark + mark, b"A\0\0\0" + mark, b"\xFF\xFE\0\1", b"\xFE\xFF\0\0"]
    for _ in range(count):
        values = [rng.choice(VALUES) for _ in range(rng.randrange(7))]
        packet = rng.choice([b"", mark]) + b"".join(value.to_bytes(4, "little") for value in values)
        made.append(packet[: len(packet) - rng.choice([0, 0, 1, 2, 3])] if packet else packet)
    return made


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("strip", [False, True])
@pytest.mark.parametrize(("lanes", "plan"), [(1, Plan.FAST), (2, Plan.BALANCED), (4, Plan.COMPACT), (8, Plan.FAST)])
def test_packets_are_what_the_model_says(lane_bench, beat, lanes: int, plan: Plan, strip: bool, drop: bool) -> None:
    bench = lane_bench(lanes, plan, width=32, lookahead=False, unit_bytes=4)
    front = Utf32Front(bench.source)
    faults = front.faults()
    text = front.scalars(bench.source.kept, drop=drop, strip=strip)
    units = Utf32Back(1).units(text)
    rng = random.Random(lanes)
    packets = packets_of(rng, 150)
    flags = [value for column in (faults.any, *faults.kind) for value in column.beat()]
    rows = iter(bench.run([beat(*each) for each in cut(rng, packets, lanes)],
                          [*units.present, *units.data(0), *flags]))
    for packet in packets:
        scalars, first = [], None
        for start in range(0, max(1, len(packet)), 4 * lanes):
            row = next(rows)
            scalars += [row[lanes + lane] for lane in range(lanes) if row[lane]]
            for lane in range(lanes):
                fault, *bits = row[2 * lanes + lane :: lanes]
                if fault and first is None:
                    first = sum(bit << i for i, bit in enumerate(bits)), start // 4 + lane
        assert scalars == UTF32.decode(packet, "drop" if drop else "replace", "strip" if strip else "keep")
        error = UTF32.first_error(packet)
        assert first == (None if error is None else (error.kind, error.offset))


@pytest.mark.parametrize("bad", [False, True])
@pytest.mark.parametrize("after", [0, 7])
def test_scalars_as_units(lane_bench, beat, after: int, bad: bool) -> None:
    """They are output at the requested step. With ``bad``, some are read as U+FFFD, which takes a step."""
    bench = lane_bench(2, width=SCALAR_WIDTH + 1, lookahead=False)
    flags = Lanes.map("bad", lambda v: v[SCALAR_WIDTH], bench.data)
    asked: list[int] = []

    def scalars(after: int) -> Lanes:
        asked.append(after)
        return Lanes.map("scalar", lambda v: v[:SCALAR_WIDTH], bench.data)

    units = Utf32Back(1).units(Scalars(bench.keep, scalars, flags if bad else None))
    data = units.data(after)
    assert asked == [max(0, after - bad)]
    assert [value.shape.width for value in data] == [SCALAR_WIDTH] * 2
    values: Sequence[int] = [value % (1 << SCALAR_WIDTH) | mark << SCALAR_WIDTH for value in VALUES for mark in (0, 1)]
    beats = [beat([value, values[-index]], index % 4, False) for index, value in enumerate(values)]
    for item, row in zip(beats, bench.run(beats, [*units.present, *data]), strict=True):
        assert row[:2] == (item.keep & 1, item.keep >> 1)
        assert row[2:] == tuple(0xFFFD if bad and value >> SCALAR_WIDTH else value % (1 << SCALAR_WIDTH)
                                for value in item.data)
