"""The report port: each report once, in order; ``room`` is set while one more can wait."""

import random

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import stream
from runewire_rtl import parameters
from runewire_rtl.report.report_port import ReportPort

WIDTH = 8


class Bench:
    """A port with numbered reports, the reports it took and the ones it output."""

    def __init__(self) -> None:
        self.clear = Signal()
        self.port = ReportPort(stream.Signature(WIDTH).create(), self.clear)
        self.design = Module()
        self.design.submodules.port = self.port
        # The core decides whether `valid` follows the port's offer; a reset keeps it low.
        self.design.d.comb += self.port.output.valid.eq(self.port.offer)
        self.taken: list[int] = []
        self.given: list[int] = []

    def run(self, simulate, bench) -> None:
        """Simulate from where the replicas of ``clear`` have fallen."""
        async def settled(ctx) -> None:
            await ctx.tick().repeat(2)
            await bench(ctx)

        simulate(self.design, settled)

    async def cycle(self, ctx, *, take: bool, ready: bool) -> None:
        """A cycle in which a packet's last beat is taken if it may be."""
        output = self.port.output
        ctx.set(output.ready, ready)
        take = take and bool(ctx.get(self.port.room))
        number = len(self.taken) % (1 << WIDTH)
        ctx.set(self.port.take, take)
        # A report without its packet's end is ignored.
        ctx.set(self.port.report, number if take else 0xA5)
        if ctx.get(output.valid) and ready:
            self.given.append(ctx.get(output.payload))
        if take:
            self.taken.append(number)
        await ctx.tick()


@pytest.mark.parametrize(("often", "ready"), [(1.0, 1.0), (1.0, 0.3), (0.3, 1.0), (0.6, 0.6)])
def test_each_report_is_given_once_and_in_order(simulate, often: float, ready: float) -> None:
    bench, rng = Bench(), random.Random(7)

    async def run(ctx) -> None:
        for _ in range(500):
            await bench.cycle(ctx, take=rng.random() < often, ready=rng.random() < ready)
            # At most two wait; until then there is room.
            waiting = len(bench.taken) - len(bench.given)
            assert ctx.get(bench.port.room) == (waiting < 2)
            assert ctx.get(bench.port.offer) == (waiting > 0)

    bench.run(simulate, run)
    assert bench.given == bench.taken[: len(bench.given)]
    assert len(bench.given) > 400 * min(often, ready)


def test_an_offered_report_stays_until_it_is_taken(simulate) -> None:
    bench = Bench()

    async def run(ctx) -> None:
        for _ in range(4):
            await bench.cycle(ctx, take=True, ready=False)
            assert (ctx.get(bench.port.offer), ctx.get(bench.port.output.payload)) == (1, 0)

    bench.run(simulate, run)
    assert bench.taken == [0, 1]


def test_a_clear_leaves_no_report(simulate) -> None:
    bench = Bench()

    async def run(ctx) -> None:
        for _ in range(2):
            await bench.cycle(ctx, take=True, ready=False)
        ctx.set(bench.clear, 1)
        for _ in range(3):
            await bench.cycle(ctx, take=False, ready=False)
        ctx.set(bench.clear, 0)
        await bench.cycle(ctx, take=False, ready=False)
        assert (ctx.get(bench.port.offer), ctx.get(bench.port.room)) == (0, 1)

    bench.run(simulate, run)


@pytest.mark.parametrize("pipeline", ["fast", "compact"])
@pytest.mark.parametrize("report_port", ["beside", "only"])
def test_a_packet_that_came_flagged_is_flagged_at_the_port(simulate, report_port: str, pipeline: str) -> None:
    """The lowest user bit of a packet's last beat sets the report's error, whatever the text is."""
    core = parameters("validator", lanes=1, pipeline=pipeline, report="flag", user=2, report_port=report_port).create()
    given, users, found = core.i.payload, [0, 1, 2, 3, 0], []

    async def feed(ctx) -> None:
        ctx.set(given.data[0], 0x41)
        ctx.set(given.keep, 1)
        ctx.set(given.last, 1)
        ctx.set(core.o.ready, 1)
        ctx.set(core.i.valid, 1)
        for user in users:
            ctx.set(given.user, user)
            await ctx.tick().until(core.i.ready)
        ctx.set(core.i.valid, 0)

    async def listen(ctx) -> None:
        ctx.set(core.report.ready, 1)
        while len(found) < len(users):
            (error,) = await ctx.tick().sample(core.report.payload.error).until(core.report.valid)
            found.append(error)

    simulate(core, feed, listen)
    assert found == [user & 1 for user in users]
