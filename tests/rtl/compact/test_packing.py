"""Compact packing: the register of the output row, and the items of the row under way."""

import random

import pytest
from runewire_rtl.compact.packing import Row

WIDTH = 4


@pytest.mark.parametrize(("lanes", "offered", "taken"), [
    *((lanes, *rates) for lanes in (1, 2, 4, 8) for rates in ((1.0, 1.0), (0.7, 1.0), (1.0, 0.4), (0.6, 0.5))),
    (32, 0.6, 0.5)])
def test_rows_are_those_of_their_packets_under_random_stalls(
    simulate, lanes: int, offered: float, taken: float,
) -> None:
    """Beats with any number of items, many with few, in their lanes; unused signals are noise."""
    rng = random.Random(lanes)
    row = Row(lanes, WIDTH)
    beats, expected = [], []
    for _ in range(150):
        sizes = [rng.randrange(min(lanes, rng.choice((2, lanes))) + 1) for _ in range(rng.randrange(1, 7))]
        sizes += [rng.randrange(3) for _ in range(lanes // 8 * rng.randrange(4))]
        items = [[rng.randrange(1, 1 << WIDTH) for _ in range(size)] for size in sizes]
        rest: list[int] = []
        for index, beat in enumerate(items):
            last = index == len(items) - 1
            beats.append((len(rest), beat, last))
            rest += beat
            if len(rest) > lanes or (len(rest) == lanes and not last):
                expected.append((rest[:lanes], False))
                rest = rest[lanes:]
            if last:
                expected.append((rest, True))
    shown = []

    def number(values) -> int:
        return sum(value << index for index, value in enumerate(values))

    async def bench(ctx) -> None:
        ctx.set(row.open, 1)
        waiting = list(reversed(beats))
        there = None
        for _ in range(40 * len(beats)):
            if there is None and waiting and rng.random() < offered:
                there = waiting.pop()
            lane_items, has = [rng.getrandbits(WIDTH) for _ in range(lanes)], [0] * lanes
            kept = rng.getrandbits(lanes)
            before, filled, ends = 0, False, False
            if there is not None:
                before, items, ends = there
                after = before + len(items)
                filled = after >= lanes and not (ends and after == lanes)
                for index, item in enumerate(items, before):
                    lane_items[index % lanes], has[index % lanes] = item, 1
                if ends:
                    kept = (1 << (after - lanes if filled else after)) - 1
            for port, value in (
                (row.filled, filled), (row.ends, ends), (row.kept, kept), (row.present, number(has[:-1])),
                (row.wrapped, ((1 << before) - 1) & ((1 << lanes - 1) - 1)),
                (row.items, sum(item << WIDTH * lane for lane, item in enumerate(lane_items))),
            ):
                ctx.set(port, value)
            leaves = rng.random() < taken
            offer = ctx.get(row.offer)
            ctx.set(row.ready, leaves or not offer)
            await ctx.delay(0)
            if offer and leaves:
                data, keep = ctx.get(row.data), ctx.get(row.keep)
                values = [data >> WIDTH * lane & (1 << WIDTH) - 1 for lane in range(lanes)]
                size = keep.bit_count()
                assert keep == (1 << size) - 1, f"row {len(shown)} has gaps: {keep:b}"
                assert not any(values[size:]), f"row {len(shown)} has more than it keeps"
                shown.append((values[:size], bool(ctx.get(row.last))))
            if ctx.get(row.advance):
                there = None
            await ctx.tick()
            if len(shown) == len(expected):
                break

    simulate(row, bench)
    assert shown == expected


def test_no_second_row_comes_while_the_core_is_closed(simulate) -> None:
    """Random registers after a reset must not stall the pipeline, which has to run empty."""
    row = Row(2, WIDTH)
    seen: dict[int, list[int]] = {}

    async def bench(ctx) -> None:
        for value in (row.filled, row.ends, row.ready):
            ctx.set(value, 1)
        for is_open in (0, 1):
            ctx.set(row.open, is_open)
            seen[is_open] = []
            for _ in range(6):
                seen[is_open].append(ctx.get(row.advance))
                await ctx.tick()

    simulate(row, bench)
    assert seen == {0: [1] * 6, 1: [1, 0] * 3}
