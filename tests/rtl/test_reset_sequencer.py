"""The drain: a reset of one cycle is extended until a core has run empty."""

from typing import Any

import pytest
from amaranth.hdl import ResetInserter, Signal
from runewire_rtl import parameters
from runewire_rtl.reset_sequencer import ResetSequencer, start_cycles


@pytest.mark.parametrize("latency", [11, 16, 20, 24, 33])
@pytest.mark.parametrize("reset_at", [(), (3,), (30,), (30, 31, 32, 33), (10, 17, 18, 29)])
def test_flags_fall_in_order_after_the_last_cycle_in_reset(simulate, latency: int, reset_at: tuple[int, ...]) -> None:
    drain = ResetSequencer()
    rst = Signal()
    drain.latency = latency
    last = reset_at[-1] if reset_at else -1
    seen = []

    async def bench(ctx) -> None:
        for cycle in range(last + start_cycles(latency) + 20):
            ctx.set(rst, cycle in reset_at)
            *_, flush, clear, opened = await ctx.tick().sample(drain.restart.flush, drain.restart.clear, drain.open)
            seen.append((cycle - last, flush, clear, opened))

    simulate(ResetInserter(rst)(drain), bench)
    after = [row for row in seen if row[0] > 0]
    flushed = next(cycle for cycle, flush, *_ in after if not flush)
    cleared = next(cycle for cycle, _, clear, _ in after if not clear)
    opened = next(cycle for cycle, *_, opened in after if opened)
    assert opened == start_cycles(latency)
    # Packets of one beat are sent for as many cycles as in the table of the module.
    assert flushed == 9
    # A beat that enters in the flush's last cycle leaves before counters are released, and they are before the start.
    assert flushed - 1 + latency < cleared < opened - 3
    for cycle, flush, clear, is_open in after:
        assert (flush, clear, is_open) == (cycle < flushed, cycle < cleared, cycle >= opened)


@pytest.mark.parametrize(("core", "lanes", "options"), [
    ("validator", 1, {}), ("decoder", 2, {}), ("encoder", 1, {}), ("validator", 8, {"flows": 16, "id": 4})])
def test_a_component_takes_nothing_and_offers_nothing_until_it_has_run_empty(
        simulate, core: str, lanes: int, options: dict[str, Any]) -> None:
    """The core without AXI ports; its output is always taken, and it is reset during full beats. With flows each is
    cleared in a cycle of its own."""
    made = parameters(core, lanes=lanes, **options).create()
    rst = Signal()
    seen = []

    async def bench(ctx) -> None:
        ctx.set(made.i.valid, 1)
        ctx.set(made.i.payload.keep, (1 << len(made.i.payload.keep)) - 1)
        ctx.set(made.o.ready, 1)
        for cycle in range(2 * made.start_cycles + 60):
            ctx.set(rst, cycle == made.start_cycles + 40)
            ctx.set(made.i.payload.last, cycle % 3 == 0)
            *_, ready, valid = await ctx.tick().sample(made.i.ready, made.o.valid)
            seen.append((ready, valid))

    simulate(ResetInserter(rst)(made), bench)
    at = made.start_cycles + 40
    assert (1, 1) in seen[at - 8 : at], "traffic flows before"
    silent = seen[at + 1 : at + made.start_cycles]
    assert set(silent) == {(0, 0)}
    assert seen[at + made.start_cycles][0] == 1
