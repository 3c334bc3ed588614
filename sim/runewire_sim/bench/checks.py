"""A cocotb bench for any build of a core: your own simulator, your own flow.

Set ``RUNEWIRE_DESCRIPTION`` to the JSON file that `runewire generate` wrote with the Verilog, and name
``runewire_sim.bench.checks`` as cocotb's test module; ``RUNEWIRE_PACKETS_EACH`` (60) is the number of random
packets of each test, ``RUNEWIRE_SEED`` (0) their seed.
"""

import json
import os
from pathlib import Path
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, FallingEdge
from runewire_model import TranscoderParameters

from ..axi_stream import StreamBeat
from ..stalls import Stalls
from ..stimuli import random_packets, troublemakers
from .core_bench import CoreBench
from .drivers import number, ready

COUNT = int(os.environ.get("RUNEWIRE_PACKETS_EACH", "60"))
HOLES = 0.3
"""Probability of a null byte in a lane."""
SEED = int(os.environ.get("RUNEWIRE_SEED", "0"))


def description() -> dict[str, Any]:
    """The description of the core under test; raises KeyError when ``RUNEWIRE_DESCRIPTION`` is not set."""
    found: dict[str, Any] = json.loads(Path(os.environ["RUNEWIRE_DESCRIPTION"]).read_text(encoding="utf-8"))
    return found


def parameters() -> TranscoderParameters:
    """The parameters of the core under test."""
    found = description()
    return TranscoderParameters.of({"core": found["core"], **found["parameters"]})


def bench(dut: Any, source: float = 0.0, sink: float = 0.0) -> CoreBench:
    """The core in its bench, with pauses of these probabilities, and null bytes if it takes them anywhere."""
    core = parameters()
    stalls = Stalls(source, sink, SEED, HOLES if core.holes else 0.0)
    further = stalls.record_pauses if core.sidebands.record_report else stalls.rejects_pauses
    return CoreBench(dut, core, stalls.source_pauses, stalls.sink_pauses, stalls.report_pauses,
                     iter(stalls.null_bytes) if core.holes else None, further)


@cocotb.test
@cocotb.parametrize(source=[0.0, 0.5, 0.95], sink=[0.0, 0.5, 0.95])
async def random_packets_agree_with_the_model(dut: Any, source: float, sink: float) -> None:
    """Random and edge-biased packets under every mix of pauses."""
    core = bench(dut, source, sink)
    await core.reset(description()["reset_cycles"])
    for packet in random_packets(parameters(), COUNT, SEED, longest=40):
        core.source.send(packet)
    await core.finish(microseconds=1000 + 100 * COUNT)


@cocotb.test
async def known_troublemakers(dut: Any) -> None:
    """Packets that broke other decoders, each followed by an empty packet."""
    core = bench(dut, 0.2, 0.2)
    await core.reset(description()["reset_cycles"])
    for packet in troublemakers(parameters().reads).values():
        core.source.send(packet)
        core.source.send(b"")
    await core.finish()


@cocotb.test
async def outputs_are_quiet_and_known_after_reset(dut: Any) -> None:
    """No X on any handshake, nothing valid without input, ready as soon as the description says and no sooner."""
    core = bench(dut)
    await core.reset(description()["reset_cycles"])
    start = description()["start_cycles"]
    for cycle in range(1, start + 40):
        await FallingEdge(dut.aclk)
        assert number(dut.m_axis_tvalid) == 0
        assert parameters().sidebands.report_port == "none" or number(dut.m_report_tvalid) == 0
        assert not parameters().sidebands.record_report or number(dut.m_records_tvalid) == 0
        assert not parameters().sidebands.rejects or number(dut.m_rejects_tvalid) == 0
        assert number(dut.s_axis_tready) == (cycle >= start)
    await core.finish()


@cocotb.test
@cocotb.parametrize(cycles=[1, 3, 10, 25])
async def reset_inside_a_packet_leaves_nothing_behind(dut: Any, cycles: int) -> None:
    """Reset after some cycles of an endless packet; then packets that would show remains."""
    core = bench(dut, 0.0, 0.3)
    await core.reset(description()["reset_cycles"])
    width = parameters().input_bytes
    emoji = int.from_bytes((b"\xF0\x9F\x98\x80" * width)[:width], "little")
    core.source.send_beats([StreamBeat(emoji, (1 << width) - 1, False)] * 200)
    await ready(dut)
    await ClockCycles(dut.aclk, cycles)
    await core.reset(description()["reset_cycles"])
    for packet in random_packets(parameters(), 10, SEED, longest=20):
        core.source.send(packet)
    await core.finish()


@cocotb.test
async def beats_out_of_contract_are_reported(dut: Any) -> None:
    """The input's monitor names a hole in ``tkeep`` and a partial beat before the last, unless the core takes them."""
    full = (1 << parameters().input_bytes) - 1
    core = bench(dut)
    await core.reset(description()["reset_cycles"])
    core.source.send_beats([StreamBeat(0, full >> 1, False), StreamBeat(0, full & ~1, True)])
    await core.source.idle()
    if parameters().holes:
        await core.finish()
        return
    found = " ".join(core.input.errors)
    assert "a partial beat before the last" in found
    assert ("not contiguous" in found) == (full > 1), "one lane has no room for a hole"
