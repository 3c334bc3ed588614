"""Items of lanes of several slots go to their places, whatever came before."""

import random
from itertools import islice

import pytest
from amaranth.hdl import Const
from runewire_rtl.packing.merging import Boundaries, boundaries, merge, merging
from runewire_rtl.packing.numbering import Term
from runewire_rtl.packing.rows import bank_enables
from runewire_rtl.pipeline import Plan, Timed


def bits(flags: list[int]) -> int:
    return sum(flag << index for index, flag in enumerate(flags))


@pytest.mark.parametrize(("lanes", "slots", "used", "plan"), [
    (1, 1, 1, Plan.FAST), (2, 1, 1, Plan.FAST), (8, 1, 1, Plan.FAST), (1, 2, 2, Plan.FAST), (4, 2, 2, Plan.BALANCED),
    (1, 4, 3, Plan.COMPACT), (4, 4, 3, Plan.FAST), (2, 4, 4, Plan.FAST),
    *(pytest.param(*wide, Plan.FAST, marks=pytest.mark.slow) for wide in ((16, 4, 3), (64, 1, 1))),
])
def test_items_go_where_a_list_has_them(lane_bench, beat, lanes: int, slots: int, used: int, plan: Plan) -> None:
    places = lanes * slots
    bench = lane_bench(places, plan, lookahead=False)
    ways = merging(slots, used)(bench.pipeline, bench.keep.values)
    rng = random.Random(5)
    beats = []
    for number in range(60):
        kept = []
        for _ in range(lanes):
            count = rng.choice([0, used, rng.randint(0, used)])
            kept += [0] * (slots - count) + [1] * count
        beats.append(beat([rng.randrange(256) for _ in range(places)], bits(kept), number % 7 == 6))
    full = ways.full(places)
    enables = [bench.pipeline.step(f"enable_l{place}", lambda *known: bank_enables(*known, Const(0)),
                                   ways.reached[place], ways.wrapped[place], full[place]) for place in range(places)]
    shown = [ways.ends.start, ways.ends.count, ways.ends.full, ways.wrapped, ways.reached, enables,
             ways.route(bench.data.values, ways.begin)]
    rows = bench.run(beats, [value for values in shown for value in values])
    number = 0
    for item, row in zip(beats, rows, strict=True):
        rest = iter(row)
        told = [[*islice(rest, len(values))] for values in shown]
        start, count, full = bits(told[0]), bits(told[1]), any(told[2])
        wrapped, reached, enabled, data = told[3:]
        items = [value for place, value in enumerate(item.data) if item.keep >> place & 1]
        assert start == number
        assert wrapped == [place < number for place in range(places)]
        want = {(number + index) % places: value for index, value in enumerate(items)}
        # In the even row under way, and in the next.
        rows_of = {(number + index) % places: 1 + (number + index) // places for index in range(len(items))}
        assert enabled == [rows_of.get(place, 0) for place in range(places)]
        assert {place: data[place] for place in want} == want
        assert full == (number + len(items) >= places)
        number = (number + len(items)) % places
        assert count == number
        assert reached == [place < number for place in range(places)]
        if item.last:
            number = 0


@pytest.mark.parametrize(("lanes", "slots"), [(32, 1), (16, 2)])
def test_the_items_before_each_lane_are_numbered(lane_bench, beat, lanes: int, slots: int) -> None:
    """Each number has the bits that its merge needs. Of the packet's items before the beat the last are in the row."""
    places = lanes * slots
    bench = lane_bench(places, lookahead=False)
    ends = boundaries(bench.pipeline, bench.keep.values, slots, slots)
    assert [*ends.at] == [places, *range(slots, places, slots)]
    rng, before, beats, expected = random.Random(3), 0, [], []
    for place in range(60):
        kept, last = [rng.getrandbits(1) for _ in range(places)], place % 7 == 6
        beats.append(beat([0] * places, bits(kept), last))
        expected.append([before % places, *((before + sum(kept[:at])) % (1 << len(number))
                                            for at, number in ends.at.items())])
        before = 0 if last else before + sum(kept)
    values = [ends.start, *ends.at.values()]
    for row, numbers in zip(bench.run(beats, [bit for value in values for bit in value]), expected, strict=True):
        rest = iter(row)
        assert [bits([*islice(rest, len(value))]) for value in values] == numbers


@pytest.mark.parametrize("places", [4, 128])
def test_every_switch_of_every_half_is_set_for_the_run_that_the_place_takes_from(lane_bench, beat, places: int) -> None:
    """For each number of the second run's first item: its items are at that number and at the ones after it, as many as
    a run has. Halves of 16 places and more compare in two parts. An item in each place moves as the switches say."""
    bench = lane_bench(1, lookahead=False)
    pipeline, width = bench.pipeline, places.bit_length()
    number = [pipeline.step(f"number{bit}", lambda data, bit=bit: data[bit], bench.data[0]) for bit in range(width)]
    count = number[:-1]
    ways = merge(pipeline, Boundaries(places, 1, 1, dict.fromkeys(range(1, places + 1), number), count, count,
                                      [Term.of(number[-1])], number[-1:]))
    halves = [1 << stage for stage in range(len(ways.stages))]
    switches = [[stage[x][0] for x in range(half)] for half, stage in zip(halves, ways.stages, strict=True)]
    for half, stage in zip(halves, ways.stages, strict=True):
        assert [partner for _, partner in stage] == [place ^ half for place in range(places)]
    shown = [switch.replica(0, switch.step) for each in switches for switch in each]
    items = [Timed(pipeline, 0, Const(place, width - 1), f"item{place}") for place in range(places)]
    rows = bench.run([beat([value], 1, False) for value in range(2 * places)], [*shown, *ways.route(items, ways.begin)])
    for value, row in enumerate(rows):
        rest, moved = iter(row), [*range(places)]
        for half in halves:
            swaps = [int((x - value) % (2 * half) < half) for x in range(half)]
            assert [*islice(rest, half)] == swaps, (half, value)
            moved = [moved[x ^ half] if swaps[x % half] else moved[x] for x in range(places)]
        assert [*rest] == moved, value
