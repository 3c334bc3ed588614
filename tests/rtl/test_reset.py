"""The flag that reset leaves set brings what it clears to its first value, enabled or not."""

from amaranth.hdl import Module, ResetInserter, Signal
from runewire_rtl.reset import fresh


def test_it_is_set_through_reset_and_in_the_cycle_after(simulate) -> None:
    m, rst = Module(), Signal()
    flag = fresh(m, "flag")
    count = Signal(4, reset_less=True)
    with m.If(count[0]):
        m.d.sync += count.eq(count + 2)
    with m.If(flag):
        m.d.sync += count.eq(1)
    seen = []

    async def bench(ctx) -> None:
        for cycle in range(12):
            ctx.set(rst, cycle in (5, 6))
            *_, value, number = await ctx.tick().sample(flag, count)
            seen.append((value, number))

    simulate(ResetInserter(rst)(m), bench)
    assert [value for value, _ in seen] == [1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0]
    assert [number for _, number in seen] == [0, 1, 3, 5, 7, 9, 11, 1, 1, 3, 5, 7]
