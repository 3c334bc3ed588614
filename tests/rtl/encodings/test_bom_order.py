"""Byte order of BOM-ordered units, in hardware."""

import random

import pytest
from runewire_model import encoding
from runewire_rtl.encodings.bom_order import in_order
from runewire_rtl.pipeline import Plan

MARK = 0xFEFF


def packets_of(rng: random.Random, name: str, count: int) -> list[bytes]:
    """Packets in either order, with or without a mark, with marks further on, some with an incomplete last unit."""
    one = encoding(name)
    big, little = one.byte_order_marks
    made = [b"", big, little, little[:1], big + little, little + big, little * 3, b"", little]
    # First units that differ from a mark in one bit, or in all bits of all bytes but two.
    marks = [int.from_bytes(mark, "big") for mark in (big, little)]
    near = [mark ^ 1 << bit for mark in marks for bit in range(8 * one.unit_bytes)]
    near += [0xFFFE0041, 0x0041FFFE, 0xFFFEFFFE, 0x0000FFFE] if one.unit_bytes == 4 else []
    made += [one.orders[0].pack([unit, 0x41, 0x1F6]) for unit in near]
    while len(made) < count:
        units = [rng.choice([MARK, 0x41, 0xD83D, 0xDE00, rng.randrange(0x10000)]) for _ in range(rng.randrange(20))]
        packet = rng.choice([b"", big, little, little[:-1]]) + rng.choice(one.orders).pack(units)
        made.append(packet[: max(0, len(packet) - rng.choice([0, 0, *range(one.unit_bytes)]))])
    return made


@pytest.mark.parametrize("name", ["utf-16", "utf-32"])
@pytest.mark.parametrize(("lanes", "plan"), [(1, Plan.FAST), (2, Plan.BALANCED), (4, Plan.COMPACT), (8, Plan.FAST)])
def test_a_packet_is_in_the_order_that_its_first_unit_tells(
    lane_bench, beat, name: str, lanes: int, plan: Plan
) -> None:
    """All complete units, and the lookahead unit; packets do not affect each other."""
    one, rng = encoding(name), random.Random(lanes)
    size, ahead = one.unit_bytes, int(name == "utf-16")
    bench = lane_bench(lanes, plan, width=8 * size, lookahead=bool(ahead), unit_bytes=size)
    mark = int.from_bytes(one.byte_order_marks[1], "big")
    beats, wanted = [], []
    for packet in packets_of(rng, name, 160):
        starts = range(0, max(1, len(packet)), size * lanes)
        read, told = one.orders[0].unpack(packet), one.unpack(packet)
        for start in starts:
            first, kept = start // size, len(packet[start : start + size * lanes])
            noise = [rng.choice([mark, rng.getrandbits(8 * size)]) for _ in range(lanes + ahead)]
            here = read[first : first + lanes + ahead]
            beats.append(beat([*here, *noise[len(here) :]], (1 << kept) - 1, start == starts[-1]))
            wanted.append(told[first : first + lanes + ahead])
    rows = bench.run(beats, in_order(bench.source.data, bench.source.whole).values)
    for row, units in zip(rows, wanted, strict=True):
        assert list(row[: len(units)]) == units
