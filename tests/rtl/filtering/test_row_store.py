"""The row store: rows leave in order, each once it is judged; all of its rows may be in use."""

from random import Random

import pytest
from amaranth.hdl import Const
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
