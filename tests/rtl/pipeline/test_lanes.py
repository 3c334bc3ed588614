"""Lanes remember a packet, and forget it at its end."""

import pytest
from runewire_rtl.pipeline import Lanes, Plan

PLANS = list(Plan)


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("steps", [0, 1])
def test_back_reaches_into_the_packet_and_no_further(
    lane_bench, cut_packets, mixed_packets, plan: Plan, lanes: int, steps: int
) -> None:
    bench = lane_bench(lanes, plan)
    values = bench.data
    for _ in range(steps):
        values = Lanes.map("copy", lambda v: v, values)
    results = [value for distance in (1, 2, 3) for value in values.back(distance).values]
    packets = [packet for packet in mixed_packets(60, 1) if packet]
    beats = cut_packets(packets, lanes)
    starts, position = [], 0
    for item in beats:
        starts.append(position)
        position = 0 if item.last else position + lanes
    stream: list[int] = []
    want = []
    for item, start in zip(beats, starts, strict=True):
        stream = stream[:start] + list(item.data)
        before = [0, 0, 0, *stream]
        want.append(tuple(before[start + lane + 3 - distance]
                          for distance in (1, 2, 3) for lane in range(lanes + 1)))
    assert bench.run(beats, results) == want


def test_ahead_and_beat_take_the_lanes_they_say(lane_bench, beat) -> None:
    bench = lane_bench(4)
    results = [*bench.data.ahead().values, *bench.data.beat()]
    assert bench.run([beat([1, 2, 3, 4, 5], 15, True)], results) == [(2, 3, 4, 5, 1, 2, 3, 4)]


def test_a_map_covers_the_lanes_that_all_operands_have(lane_bench, beat) -> None:
    bench = lane_bench(2)
    sums = Lanes.map("sum", lambda here, after: here + after, bench.data, bench.data.ahead())
    assert len(sums.values) == 2
    assert bench.run([beat([1, 20, 50], 3, True)], sums.values) == [(21, 70)]
