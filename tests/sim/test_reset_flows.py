"""Resets of cores with flows: a character that is unfinished is forgotten, and no beat is left in any part."""

from typing import Any

import pytest
import runewire_rtl
from amaranth.hdl import ResetInserter, Signal
from amaranth.sim import Simulator
from runewire_model import parameters
from runewire_rtl.reset_sequencer import PHASE

UNFINISHED, PLAIN = 0xE2, 0x61
STARTED = 110
"""Cycles after which each of the cores has taken a packet that waited since the reset."""


def outputs(options: dict[str, Any]) -> list[bytes]:
    """The first packet after each of some resets, before which flow 1 has an unfinished character.

    While no beat is valid, `tid` is 1 in a single cycle, and in another one after each reset.
    """
    top = runewire_rtl.axi_top(parameters("validator", lanes=1, flows=2, id=1, **options))
    ports: Any = top
    reset = Signal(name="reset")
    found: list[bytes] = []

    async def send(ctx: Any, byte: int, flow: int, more: bool) -> None:
        for port, value in ((ports.s_axis_tdata, byte), (ports.s_axis_tid, flow), (ports.s_axis_tuser, more),
                            (ports.s_axis_tkeep, 1), (ports.s_axis_tlast, 1), (ports.s_axis_tvalid, 1)):
            ctx.set(port, value)
        await ctx.tick().until(ports.s_axis_tready)
        ctx.set(ports.s_axis_tvalid, 0)

    async def bench(ctx: Any) -> None:
        ctx.set(ports.m_axis_tready, 1)
        for late in range(2 * PHASE):
            await send(ctx, UNFINISHED, 1, more=True)
            await ctx.tick().until(ports.m_axis_tvalid & ports.m_axis_tlast)
            ctx.set(ports.s_axis_tid, 0)
            ctx.set(reset, 1)
            await ctx.tick()
            ctx.set(reset, 0)
            for cycle in range(3 * PHASE):
                ctx.set(ports.s_axis_tid, cycle == late)
                await ctx.tick()
            await send(ctx, PLAIN, 0, more=False)
            packet, last = b"", 0
            while not last:
                *_, data, kept, last = await ctx.tick().sample(
                    ports.m_axis_tdata, ports.m_axis_tkeep, ports.m_axis_tlast).until(ports.m_axis_tvalid)
                packet += bytes([data]) * kept
            found.append(packet)

    simulator = Simulator(ResetInserter(reset)(top))
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return found


def texts(options: dict[str, Any], count: int) -> list[bytes]:
    """A text after each of some resets, which come at different times in traffic while the output waits."""
    ports: Any = runewire_rtl.axi_top(parameters(lanes=1, flows=2, id=1, **options))
    reset = Signal(name="reset")
    found: list[bytes] = []

    async def send(ctx: Any, beats: int, cycles: int) -> None:
        """Packets of three beats: so many beats, or as many as the core takes in the cycles."""
        sent = 0
        for _ in range(cycles):
            for port, value in ((ports.s_axis_tdata, PLAIN + sent % 3), (ports.s_axis_tlast, sent % 3 == 2),
                                (ports.s_axis_tkeep, 1), (ports.s_axis_tvalid, sent < beats)):
                ctx.set(port, value)
            sent += ctx.get(ports.s_axis_tvalid & ports.s_axis_tready)
            await ctx.tick()
        ctx.set(ports.s_axis_tvalid, 0)

    async def bench(ctx: Any) -> None:
        for late in range(count):
            ctx.set(ports.m_axis_tready, 0)
            await send(ctx, 9, 12 + late)
            ctx.set(reset, 1)
            await ctx.tick()
            ctx.set(reset, 0)
            await send(ctx, 3, STARTED)
            ctx.set(ports.m_axis_tready, 1)
            text = b""
            for _ in range(40):
                *_, valid, data, kept, last = await ctx.tick().sample(
                    ports.m_axis_tvalid, ports.m_axis_tdata, ports.m_axis_tkeep, ports.m_axis_tlast)
                if not valid:
                    continue
                text += bytes(octet for at, octet in enumerate(data.to_bytes(4, "little")) if kept >> at & 1)
                if last:
                    break
            found.append(text)

    simulator = Simulator(ResetInserter(reset)(ports))
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return found


@pytest.mark.parametrize("options", [{"core": "decoder"}, {"core": "validator", "pipeline": "compact"}], ids=str)
def test_no_beat_of_before_the_reset_comes_out(options: dict[str, Any]) -> None:
    text = "".join(chr(PLAIN + at) for at in range(3))
    assert texts(options, 4) == [text.encode("utf-32le" if options["core"] == "decoder" else "utf-8")] * 4


@pytest.mark.slow
@pytest.mark.parametrize("pipeline", ["compact", "balanced", "fast"])
def test_no_byte_of_before_the_reset_comes_out(pipeline: str) -> None:
    assert outputs({"pipeline": pipeline}) == [bytes([PLAIN])] * (2 * PHASE)
