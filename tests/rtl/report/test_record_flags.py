"""Records inside a packet: which lanes end one, and whether it is ill-formed."""

import random
from dataclasses import replace
from typing import Any

import pytest
from amaranth.hdl import Const
from runewire_rtl.pipeline import Lanes, Plan
from runewire_rtl.report.record_flags import find_records

DELIMITER = 0x0A
ILL_FORMED = 1 << 8
"""A bit of each lane above its byte: a fault shows here."""


def marks(packet: list[int]) -> list[int]:
    """Record flags of each lane: 1 if a record ends, 2 more if it is ill-formed; computed from the definition."""
    found, bad = [], False
    for index, value in enumerate(packet):
        bad = bad or value >= ILL_FORMED
        ends = value & 0xFF == DELIMITER or index == len(packet) - 1
        found.append((1 + 2 * bad) if ends else 0)
        bad = bad and not ends
    return found


def flags_of(lane_bench, beats: list[Any], lanes: int, plan: Plan) -> list[tuple[int, ...]]:
    """The record flags of each beat's lanes, as `marks` has them."""
    bench = lane_bench(lanes, plan, width=9, lookahead=False)
    entry = replace(bench.source, final=bench.pipeline.last)
    wrong = Lanes.map("wrong", lambda value: value[8], bench.data)
    records = find_records(entry, wrong, DELIMITER)
    return [tuple(row[2 * lane] + 2 * row[2 * lane + 1] for lane in range(lanes))
            for row in bench.run(beats, records.marks())]


def test_a_record_ends_at_its_delimiter_in_every_lane_of_a_wide_core(lane_bench, beat) -> None:
    """One fault and one delimiter: just after the fault, where ranges of lanes are joined, or in the next beat."""
    lanes = 64
    places = [(bad, end) for bad in range(lanes) for end in {bad + 1, 31, 32, 62} - {bad, lanes}]
    places += [(lanes - 1, lanes + end) for end in range(lanes - 1)]
    beats, expected = [], []
    for bad, end in places:
        packet = [0x41] * (lanes if end < lanes else 2 * lanes)
        packet[bad] += ILL_FORMED
        packet[end] = DELIMITER
        told = marks(packet)
        for at in range(0, len(packet), lanes):
            beats.append(beat(packet[at : at + lanes], (1 << lanes) - 1, at + lanes == len(packet)))
            expected.append(tuple(told[at : at + lanes]))
    assert flags_of(lane_bench, beats, lanes, Plan.FAST) == expected


@pytest.mark.parametrize(("lanes", "plan"), [
    *((lanes, plan) for lanes in (1, 2, 4, 8) for plan in Plan), (64, Plan.FAST),
])
def test_records_end_where_they_should_and_are_judged_alone(lane_bench, beat, lanes: int, plan: Plan) -> None:
    rng = random.Random(lanes)
    beats, expected = [], []
    for _ in range(120 if lanes < 64 else 30):
        size = rng.randrange(1, 4 * lanes + 2)
        often = rng.choice([0.05, 0.4])
        packet = [
            # A delimiter is an ASCII byte, and so never part of a fault; bytes that differ from it in one bit.
            DELIMITER if rng.random() < often else
            rng.choice([0x41, 0x0B, 0x1A, 0x8A, 0xE2]) + ILL_FORMED * (rng.random() < 0.15)
            for _ in range(size)]
        told = marks(packet)
        for at in range(0, size, lanes):
            here = packet[at : at + lanes]
            # Bytes after the packet's end do not count, and leave no state for the next packet.
            noise = [rng.choice([DELIMITER, 0x41, 0xFF + ILL_FORMED]) for _ in range(lanes - len(here))]
            beats.append(beat([*here, *noise], (1 << len(here)) - 1, at + lanes >= size))
            expected.append(tuple(told[at : at + lanes] + [0] * (lanes - len(here))))
    assert flags_of(lane_bench, beats, lanes, plan) == expected


@pytest.mark.parametrize("size", [2, 4])
def test_a_unit_with_any_bit_above_the_delimiter_is_none(lane_bench, beat, size: int) -> None:
    """Each bit alone above the delimiter, in one lane; and a unit that lacks its last byte."""
    bench = lane_bench(1, width=8 * size, lookahead=False, unit_bytes=size)
    entry = replace(bench.source, final=bench.pipeline.step("not_final", lambda: Const(0, 1)))
    wrong = Lanes.map("wrong", lambda unit: unit[:0].any(), bench.data)
    records = find_records(entry, wrong, DELIMITER, bench.data)
    units = [DELIMITER, *(DELIMITER | 1 << bit for bit in range(8, 8 * size))]
    whole = (1 << size) - 1
    beats = [*(beat([unit], whole, True) for unit in units), beat([DELIMITER], whole >> 1, True)]
    assert bench.run(beats, records.ends) == [(1,), *[(0,)] * len(units)]
