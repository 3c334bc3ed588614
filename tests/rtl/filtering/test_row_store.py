"""The row store: rows leave in order, each once it is judged; all of its rows may be in use."""

from random import Random

import pytest
from amaranth.hdl import Const, Signal
from runewire_rtl.filtering.row_store import RowStore

WIDTH = 16


@pytest.mark.parametrize("depth", [16, 64, 256])
def test_rows_leave_in_order_once_they_are_judged(simulate, depth: int) -> None:
    """First no row leaves, and the store becomes full; then rows enter and leave with pauses."""
    store, random = RowStore(WIDTH, depth, Const(0)), Random(depth)
    count = 3 * depth
    pushed, sent, judged = 0, list[int](), 0
    most = 0

    async def bench(ctx) -> None:
        nonlocal pushed, judged, most
        ctx.set(store.more, 1)
        took, cycle = False, 0
        while len(sent) < count:
            cycle += 1
            assert cycle < 20 * depth
            ctx.set(store.push, took)
            if took:
                pushed += 1
                judges = pushed == count or random.random() < 0.3
                ctx.set(store.value, pushed)
                ctx.set(store.judges, judges)
                judged = pushed if judges else judged
            takes = bool(ctx.get(store.room)) and pushed + took < count and random.random() < 0.9
            ctx.set(store.taken, takes)
            ctx.set(store.behind, cycle > 3 * depth and random.random() < 0.7)
            if ctx.get(store.sends):
                sent.append(ctx.get(store.row))
                assert len(sent) <= judged
            took = takes
            most = max(most, pushed - len(sent))
            await ctx.tick()

    simulate(store, bench)
    assert sent == [*range(1, count + 1)]
    assert most == depth


@pytest.mark.parametrize("before", [1, 2, 3, 5])
def test_after_a_reset_rows_leave_in_order(simulate, before: int) -> None:
    """Before the reset ``before`` rows have left, and two more are judged."""
    clear = Signal()
    store = RowStore(WIDTH, 16, clear)
    sent: list[int] = []

    async def rows(ctx, values: range, *, behind: bool, cycles: int) -> None:
        ctx.set(store.behind, behind)
        took, left = False, list(values)
        for _ in range(cycles):
            ctx.set(store.push, took)
            if took:
                ctx.set(store.value, left.pop(0))
                ctx.set(store.judges, 1)
            took = bool(ctx.get(store.room)) and len(left) > took
            ctx.set(store.taken, took)
            if ctx.get(store.sends):
                sent.append(ctx.get(store.row))
            await ctx.tick()

    async def bench(ctx) -> None:
        ctx.set(store.more, 1)
        await ctx.tick().repeat(2)
        await rows(ctx, range(100, 100 + before), behind=True, cycles=20)
        await rows(ctx, range(200, 202), behind=False, cycles=10)
        ctx.set(clear, 1)
        await rows(ctx, range(0), behind=False, cycles=6)
        ctx.set(clear, 0)
        await rows(ctx, range(0), behind=True, cycles=6)
        await rows(ctx, range(40), behind=True, cycles=80)

    simulate(store, bench)
    assert sent == [*range(100, 100 + before), *range(40)]
