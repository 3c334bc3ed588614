"""Compaction against a naive packing: a list."""

import random
from collections.abc import Sequence

import pytest
from runewire_rtl.compaction import place, route_control
from runewire_rtl.pipeline import Plan

CONFIGURATIONS = [
    *((lanes, Plan.FAST) for lanes in (1, 2, 4, 8, 16)),
    *(pytest.param(lanes, Plan.FAST, marks=pytest.mark.slow) for lanes in (32, 64)),
    *((lanes, plan) for lanes in (1, 4, 8) for plan in (Plan.BALANCED, Plan.COMPACT)),
]


def patterns(lanes: int, count: int) -> list[tuple[int, bool]]:
    """Which lanes have an item, and whether the beat is its packet's last: from empty to full."""
    rng = random.Random(lanes)
    full = (1 << lanes) - 1
    chosen = []
    for number in range(count):
        density = (number % 5) / 4
        present = sum((rng.random() < density) << lane for lane in range(lanes))
        chosen.append((present, rng.random() < 0.25))
    edges = [
        (0, True), (full, False), (full, True), (full, True), (0, False), (0, True), (1, False), (full, True),
        (full >> 1, False), (full, True), (full & ~1, False), (1, True), (1 << lanes - 1, False),
        (full, False),
    ]
    return [*chosen, *edges, (0, True)]


def bits(values: Sequence[int]) -> int:
    return sum(value << i for i, value in enumerate(values))


@pytest.mark.parametrize(("lanes", "plan"), CONFIGURATIONS)
def test_items_go_where_a_list_has_them(lane_bench, beat, lanes: int, plan: Plan) -> None:
    bench = lane_bench(lanes, plan, lookahead=False)
    placement = place(bench.pipeline, bench.keep.values)
    butterfly = route_control(bench.pipeline, placement)
    flags = [butterfly.present(lane) for lane in range(lanes)]
    size = len(flags[0])
    width = (lanes - 1).bit_length()
    assert len(placement.start) == len(placement.count) == width
    rng = random.Random(9)
    count = 150 if lanes <= 16 else 60
    beats = [beat([rng.randrange(256) for _ in range(lanes)], present, last)
             for present, last in patterns(lanes, count)]
    rows = bench.run(beats, [
        *placement.start, *placement.count, *placement.full,
        *(flag for lane in flags for flag in lane), *butterfly.route(bench.data.values, butterfly.begin),
    ])
    number = 0
    for item, row in zip(beats, rows, strict=True):
        flags_end = 2 * width + len(placement.full)
        start, count_, full = bits(row[:width]), bits(row[width : 2 * width]), any(row[2 * width : flags_end])
        rest = row[flags_end:]
        present, data = [rest[lane * size : (lane + 1) * size] for lane in range(lanes)], rest[lanes * size :]
        items = [value for lane, value in enumerate(item.data) if item.keep >> lane & 1]
        places = {(number + index) % lanes: value for index, value in enumerate(items)}
        assert start == number % lanes
        assert count_ == (number + len(items)) % lanes
        assert full == (number % lanes + len(items) >= lanes)
        assert [sum(set_) for set_ in present] == [int(lane in places) for lane in range(lanes)]
        assert {lane: data[lane] for lane in places} == places
        number = 0 if item.last else (number + len(items)) % lanes
