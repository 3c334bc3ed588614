"""The counters of a record buffer: they stay at all ones, and start again at once."""

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator
from runewire_rtl.filtering import record_buffer
from runewire_rtl.filtering.record_buffer import RecordBuffer
from runewire_rtl.pipeline.restart import Restart


def test_a_counter_stays_at_all_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_buffer, "COUNT_WIDTH", 3)
    m = Module()
    up = Signal()
    restart = Signal()
    random = Random(43)
    buffer: Any = SimpleNamespace(restart=Restart.never())
    value, after = RecordBuffer._count(buffer, m, "count", up, restart)

    async def bench(context: Any) -> None:
        count = 0
        reached = set()
        for _ in range(3000):
            ups, ends = random.random() < 0.9, random.random() < 0.08
            context.set(up, ups)
            context.set(restart, ends)
            assert context.get(value) == min(count, 7)
            assert context.get(after) == min(count + ups, 7)
            reached.add(count)
            count = 0 if ends else count + ups
            await context.tick()
        assert max(reached) > 8

    simulator = Simulator(m)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
