"""The judgements: each record has its own, also after a reset and if it is judged before it ends."""

from amaranth.hdl import Signal
from runewire_rtl.filtering.judgements import Judgements


def test_after_a_reset_each_record_has_its_judgement_and_its_details(simulate) -> None:
    """Before the reset five records enter and two leave. A record that is too long is judged before it ends."""
    clear = Signal()
    made = Judgements(4, 8, 16, clear)
    found: list[tuple[int, int]] = []

    async def enter(ctx, judged: int, detail: int, *, soon: bool = False) -> None:
        for judges, ends in ((1, 0), (0, 1)) if soon else ((1, 1),):
            ctx.set(made.judges, judges)
            ctx.set(made.judged, judged if judges else 0)
            ctx.set(made.ends, ends)
            ctx.set(made.details, detail if ends else 0)
            await ctx.tick()
        ctx.set(made.judges, 0)
        ctx.set(made.ends, 0)

    async def leave(ctx) -> None:
        """The record's last row leaves: its values are there one cycle later."""
        ctx.set(made.leaves, 1)
        await ctx.tick()
        ctx.set(made.leaves, 0)
        found.append((ctx.get(made.judgement), ctx.get(made.detail)))
        await ctx.tick()

    async def records(ctx, numbers: range, leaving: int) -> None:
        for number in numbers:
            await enter(ctx, number % 16, 100 + number, soon=number % 3 == 0)
        await ctx.tick().repeat(4)
        for _ in range(leaving):
            await leave(ctx)

    async def bench(ctx) -> None:
        await ctx.tick().repeat(2)
        await records(ctx, range(5), 2)
        ctx.set(clear, 1)
        await ctx.tick().repeat(4)
        ctx.set(clear, 0)
        await ctx.tick().repeat(4)
        await records(ctx, range(10, 17), 7)

    simulate(made, bench)
    assert found == [(number % 16, 100 + number) for number in (0, 1, *range(10, 17))]
