"""A cocotb bench that knows only AXI4-Stream: cocotbext-axi's own source and sink, with pauses on both."""

import itertools
import json
import os
import random
from pathlib import Path
from typing import Any

import cocotb
import runewire_model
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from runewire_model import ErrorKind, FirstError, PacketResult, TranscoderParameters
from runewire_sim.stimuli import random_packets

COUNT = 40


def description() -> Any:
    return json.loads(Path(os.environ["RUNEWIRE_DESCRIPTION"]).read_text())


def parameters() -> TranscoderParameters:
    return runewire_model.parameters(description()["core"], **description()["parameters"])


def pauses(probability: float, seed: int) -> Any:
    chance = random.Random(seed)
    return (chance.random() < probability for _ in itertools.count())


def result(frame: AxiStreamFrame) -> PacketResult:
    """A frame as the outsider sees it; the last beat's tuser counts, as the description says."""
    user = frame.tuser[-1] if isinstance(frame.tuser, list) else frame.tuser
    error = FirstError(ErrorKind(user >> 1 & 7), user >> 4) if user & 1 else None
    return PacketResult(bytes(frame.tdata), error)


@cocotb.test
@cocotb.parametrize(idle=[0.0, 0.5], backpressure=[0.0, 0.6])
async def an_outsider_drives_it(dut: Any, idle: float, backpressure: float) -> None:
    Clock(dut.aclk, 10, unit="ns").start(start_high=False)  # the first edge finds it in reset
    dut.aresetn.value = 0
    source, sink = (
        kind(AxiStreamBus.from_prefix(dut, prefix), dut.aclk, dut.aresetn, reset_active_level=False)
        for kind, prefix in ((AxiStreamSource, "s_axis"), (AxiStreamSink, "m_axis")))
    source.set_pause_generator(pauses(idle, 1))
    sink.set_pause_generator(pauses(backpressure, 2))
    for _ in range(description()["reset_cycles"]):
        await RisingEdge(dut.aclk)
    dut.aresetn.value = 1
    # Its source cannot send a packet without bytes.
    packets = [packet for packet in random_packets(parameters(), COUNT, seed=3, longest=30) if packet]
    for packet in packets:
        await source.send(AxiStreamFrame(packet))
    for number, packet in enumerate(packets):
        frame = await with_timeout(sink.recv(compact=True), 100, "us")
        assert result(frame) == parameters().compute(packet), f"packet {number}: {packet.hex()}"
    assert sink.empty()
