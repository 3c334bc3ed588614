"""The read controller: a reset leaves no row behind, whatever it was doing."""

import random

import pytest
from amaranth.hdl import Signal
from runewire_rtl.buffer.read_controller import BANKS, ReadController

SETTLED = 4
"""Cycles after which the replica of ``clear`` has reached all registers."""


@pytest.mark.parametrize("busy", range(8, 40))
def test_after_a_reset_no_row_is_left_in_either_bank(simulate, busy: int) -> None:
    """Rows are announced, fetched and shown for some cycles, with pauses of the sink. The reset holds, while the buffer
    still has rows: each register is as at the start."""
    clear = Signal()
    controller = ReadController(32, "test", clear)
    rows = [controller.row(bank) for bank in range(BANKS)]
    state = [controller.valid, controller.after, *controller.announce, *controller.pending, *controller.fetched,
             *controller.shown, *rows]
    rng = random.Random(busy)
    shown: set[int] = set()
    found: list[int] = []

    async def bench(ctx) -> None:
        for _ in range(busy):
            ctx.set(controller.ready, rng.random() < 0.4)
            for readable in controller.readable:
                ctx.set(readable, rng.random() < 0.8)
            await ctx.tick()
        # The sink waits, so that what is shown stays.
        ctx.set(controller.ready, 0)
        for readable in controller.readable:
            ctx.set(readable, 1)
        shown.update(bank for bank in range(BANKS) if ctx.get(controller.shown[bank]))
        ctx.set(clear, 1)
        for _ in range(SETTLED):
            await ctx.tick()
        found.extend(ctx.get(value) for value in state)

    simulate(controller, bench)
    assert found == [value.init for value in state], f"shown before: {shown}"
