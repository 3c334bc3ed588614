"""The queue: values leave in order, and a reset forgets all of them."""

from random import Random

import pytest
from amaranth.hdl import Signal
from runewire_rtl.filtering.queue import Queue


@pytest.mark.parametrize("before", [0, 1, 3, 8])
def test_after_a_reset_values_leave_in_order(simulate, before: int) -> None:
    """Before the reset ``before`` values have left, and three more are in the queue."""
    clear = Signal()
    queue, random = Queue(8, 16, clear), Random(before)
    left: list[int] = []

    async def cycle(ctx, push: int | None, *, pop: bool) -> None:
        ctx.set(queue.push, push is not None)
        ctx.set(queue.value, 0xA5 if push is None else push)
        pops = pop and bool(ctx.get(queue.valid))
        ctx.set(queue.pop, pops)
        if pops:
            left.append(ctx.get(queue.head))
        await ctx.tick()

    async def bench(ctx) -> None:
        await ctx.tick().repeat(2)
        for value in range(100, 100 + before):
            await cycle(ctx, value, pop=True)
        for _ in range(6):
            await cycle(ctx, None, pop=True)
        for value in (201, 202, 203):
            await cycle(ctx, value, pop=False)
        ctx.set(clear, 1)
        for _ in range(4):
            await cycle(ctx, None, pop=False)
        ctx.set(clear, 0)
        for _ in range(4):
            await cycle(ctx, None, pop=True)
        assert left == [*range(100, 100 + before)]
        left.clear()
        sent = 0
        for _ in range(200):
            pushes = bool(ctx.get(queue.room)) and sent < 40
            await cycle(ctx, sent if pushes else None, pop=random.random() < 0.6)
            sent += pushes

    simulate(queue, bench)
    assert left == [*range(40)]
