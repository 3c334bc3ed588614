"""Records inside a packet: which lanes end one, and whether it is ill-formed."""

import random
from dataclasses import replace

import pytest
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


@pytest.mark.parametrize(("lanes", "plan"), [
    *((lanes, plan) for lanes in (1, 2, 4, 8) for plan in Plan), (64, Plan.FAST),
])
def test_records_end_where_they_should_and_are_judged_alone(lane_bench, beat, lanes: int, plan: Plan) -> None:
    rng = random.Random(lanes)
    bench = lane_bench(lanes, plan, width=9, lookahead=False)
    entry = replace(bench.source, final=bench.pipeline.last)
    wrong = Lanes.map("wrong", lambda value: value[8], bench.data)
    records = find_records(entry, wrong, DELIMITER)
    beats, expected = [], []
    for _ in range(120):
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
    found = [tuple(row[2 * lane] + 2 * row[2 * lane + 1] for lane in range(lanes))
             for row in bench.run(beats, records.marks())]
    assert found == expected
