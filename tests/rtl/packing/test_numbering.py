"""Prefix counts, one bit per step: the count before each place, and a packet's running number."""

import random
from collections.abc import Sequence

import pytest
from runewire_rtl.packing.numbering import Number, Term, add, running_number, scan
from runewire_rtl.pipeline import Pipeline, Plan, Timed

WIDTH = 3
"""Bits of each count."""


def bits(pipeline: Pipeline, value: Timed, width: int = WIDTH) -> Number:
    return [Term.of(pipeline.step("bit", lambda value, bit=bit: value[bit], value)) for bit in range(width)]


def settled(pipeline: Pipeline, number: Number) -> list[Timed]:
    return [term.settled(pipeline, "settled") for term in number]


def number_of(flags: Sequence[int]) -> int:
    return sum(flag << index for index, flag in enumerate(flags))


@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize("defer", [False, True])
@pytest.mark.parametrize("count", [2, 3])
def test_numbers_are_added(lane_bench, beat, plan: Plan, defer: bool, count: int) -> None:
    bench = lane_bench(count, plan, lookahead=False)
    numbers = [bits(bench.pipeline, value) for value in bench.data.values]
    total = settled(bench.pipeline, add(bench.pipeline, "total", *numbers, width=WIDTH + 2, defer=defer))
    rng = random.Random(count)
    beats = [beat([rng.randrange(1 << WIDTH) for _ in range(count)], 1, False) for _ in range(80)]
    assert [number_of(row) for row in bench.run(beats, total)] == [sum(item.data) for item in beats]


@pytest.mark.parametrize("count", [1, 2, 4, 8, 32])
def test_before_each_count_is_the_sum_of_those_before_it(lane_bench, beat, count: int) -> None:
    bench = lane_bench(count, lookahead=False)
    before, total = scan(bench.pipeline, [bits(bench.pipeline, value) for value in bench.data.values])
    numbers = [settled(bench.pipeline, number) for number in (*before, total)]
    rng = random.Random(count)
    beats = [beat([rng.randrange(5) for _ in range(count)], 1, False) for _ in range(60)]
    for item, row in zip(beats, bench.run(beats, [bit for number in numbers for bit in number]), strict=True):
        rest = iter(row)
        found = [number_of([next(rest) for _ in number]) for number in numbers]
        assert found == [sum(item.data[:index]) for index in range(count + 1)]


@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize("lanes", [2, 4, 32])
def test_the_running_number_wraps_and_ends_with_its_packet(lane_bench, beat, lanes: int, plan: Plan) -> None:
    bench = lane_bench(1, plan, lookahead=False, gaps=0.0)
    width = (lanes - 1).bit_length()
    added = bits(bench.pipeline, bench.data[0], width + 1)
    running, count, carries = running_number(bench.pipeline, lanes, added)
    wraps = settled(bench.pipeline, carries[-1:])
    copies = [[bit[copy] for bit in running] for copy in range(len(running[0]))]
    rng = random.Random(lanes)
    beats = [beat([rng.randrange(lanes + 1)], 1, rng.random() < 0.2) for _ in range(120)]
    number = 0
    shown = [*count, *wraps, *(bit for copy in copies for bit in copy)]
    for item, row in zip(beats, bench.run(beats, shown), strict=True):
        more = item.data[0] % lanes
        assert number_of(row[:width]) == (number + more) % lanes
        assert [bool(flag) for flag in row[width : width + len(wraps)]] == [number + more >= lanes] * len(wraps)
        rest = row[width + len(wraps) :]
        assert [number_of(rest[first : first + width]) for first in range(0, len(rest), width)] == (
            [number] * len(copies))
        number = 0 if item.last else (number + more) % lanes
