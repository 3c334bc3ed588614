"""Skid buffer: a beat that was taken when the pipeline stopped waits, and no other is taken meanwhile."""

import random

from amaranth.hdl import Module
from amaranth.lib import stream
from runewire_rtl.input.skid import Skid

WIDTH = 8


def test_beats_pass_in_order_under_random_stalls(simulate) -> None:
    rng = random.Random(7)
    given, output = (stream.Signature(WIDTH).create() for _ in range(2))
    skid = Skid(given, output)
    taken, passed = [], []

    async def bench(ctx) -> None:
        number, offered = 0, False
        ctx.set(skid.open, 1)
        for _ in range(600):
            offered = offered or rng.random() < 0.7
            ctx.set(given.valid, offered)
            ctx.set(given.payload, number)
            ctx.set(skid.advance, rng.random() < 0.6)
            await ctx.delay(0)
            if offered and ctx.get(given.ready):
                taken.append(number)
                number, offered = (number + 1) % (1 << WIDTH), False
            if ctx.get(output.valid) and ctx.get(skid.advance):
                passed.append(ctx.get(output.payload))
            await ctx.tick()

    simulate(skid, bench)
    assert passed == taken[: len(passed)]
    assert len(taken) - len(passed) in (0, 1)
    assert len(passed) > 250


def test_a_closed_skid_takes_and_passes_on_nothing(simulate) -> None:
    given, output = (stream.Signature(WIDTH).create() for _ in range(2))
    skid = Skid(given, output)

    async def bench(ctx) -> None:
        ctx.set(given.valid, 1)
        for advance in (1, 0, 1):
            ctx.set(skid.advance, advance)
            await ctx.tick()
            assert (ctx.get(given.ready), ctx.get(output.valid)) == (0, 0)

    m = Module()
    m.submodules.skid = skid
    simulate(m, bench)
