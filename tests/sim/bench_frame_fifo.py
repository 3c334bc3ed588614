"""cocotb bench of a validator with a frame FIFO after it, between another project's source and sink."""

import random
from typing import Any

import cocotb
from bench_axi_peer import parameters, pauses
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, with_timeout
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from runewire_sim.stimuli import random_packets

COUNT = 300
DRAIN = 500
"""Cycles until a wrongly preserved beat has come out."""


def well_formed(packet: bytes) -> bool:
    try:
        packet.decode()
    except UnicodeDecodeError:
        return False
    return True


@cocotb.test
@cocotb.parametrize(idle=[0.0, 0.5], backpressure=[0.0, 0.6])
async def bad_frames_are_dropped(dut: Any, idle: float, backpressure: float) -> None:
    """Ill-formed frames, and frames that arrived marked as bad: no other frame, and no part of these."""
    Clock(dut.aclk, 10, unit="ns").start(start_high=False)
    dut.aresetn.value = 0
    source, sink = (
        kind(AxiStreamBus.from_prefix(dut, prefix), dut.aclk, dut.aresetn, reset_active_level=False)
        for kind, prefix in ((AxiStreamSource, "s_axis"), (AxiStreamSink, "m_axis")))
    source.set_pause_generator(pauses(idle, 1))
    sink.set_pause_generator(pauses(backpressure, 2))
    await ClockCycles(dut.aclk, 2)
    dut.aresetn.value = 1
    chance = random.Random(f"{idle} {backpressure}")
    packets = [packet for packet in random_packets(parameters(), COUNT, seed=4, longest=30) if packet]
    marked = [chance.random() < 0.3 for _ in packets]
    for packet, bad in zip(packets, marked, strict=True):
        # On beats before the last, the bad-frame bit has no meaning.
        await source.send(AxiStreamFrame(packet, tuser=[chance.randrange(2) for _ in packet[1:]] + [int(bad)]))
    good = [packet for packet, bad in zip(packets, marked, strict=True) if well_formed(packet) and not bad]
    assert 0 < len(good) < sum(map(well_formed, packets)) < len(packets)
    for packet in good:
        frame = await with_timeout(sink.recv(compact=True), 1000, "us")
        assert bytes(frame.tdata) == packet
    await with_timeout(source.wait(), 1000, "us")
    await ClockCycles(dut.aclk, DRAIN)
    assert sink.empty()
