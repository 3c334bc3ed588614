"""A core that says early that it has room: a beat that is sent after it never waits, and beats may come in every
cycle."""

from random import Random
from typing import Any

import pytest
from amaranth.hdl import Const, Module
from amaranth.sim import Simulator
from runewire_model import parameters
from runewire_rtl.early_room import EarlyRoom
from runewire_rtl.pipeline.restart import Restart
from runewire_rtl.reset_sequencer import Drain

BEATS = 400


@pytest.mark.parametrize("lanes", [1, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("ahead", [2, 5])
@pytest.mark.parametrize("stalls", [0, 0.3])
def test_a_beat_that_is_sent_after_room_was_seen_never_waits(lanes: int, ahead: int, stalls: float) -> None:
    packer = EarlyRoom(parameters("packer", lanes=lanes), ahead)
    m = Module()
    packer._MustUse__silence = True  # its parts are described without it
    packer._join(m, Drain(Restart.never(), Const(1)))
    room = packer.room
    random = Random(lanes)
    sent = came = cycles = 0

    async def bench(context: Any) -> None:
        nonlocal sent, came, cycles
        on_the_way = [False] * ahead
        stall = False
        i, o = packer.i, packer.o
        context.set(i.payload.keep, -1)
        while came < BEATS:
            stall = random.random() < stalls if random.random() < 0.1 else stall
            context.set(o.ready, not stall)
            context.set(i.valid, on_the_way[0])
            on_the_way = [*on_the_way[1:], bool(context.get(room))]
            assert context.get(i.ready | ~i.valid), f"cycle {cycles}: beat {sent} would wait"
            sent += context.get(i.valid)
            came += context.get(o.valid & o.ready)
            cycles += 1
            await context.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert stalls or cycles < BEATS + 50, "beats do not come in every cycle"
