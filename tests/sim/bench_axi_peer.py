"""cocotb bench for AXI4-Stream alone: cocotbext-axi's own source and sink, with pauses on both."""

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


def fields(word: int, port: str) -> dict[str, int]:
    """The parts of ``m_axis_tuser`` ("tuser") or of the report port ("report"), as the description has them."""
    found = description()[port]["fields"]
    return {name: word >> field["lsb"] & (1 << field["width"]) - 1 for name, field in found.items()}


def every(word: int | list[int], size: int) -> list[int]:
    """A sideband of a frame, byte by byte."""
    return word if isinstance(word, list) else [word] * size


def result(frame: AxiStreamFrame) -> PacketResult:
    """A frame as cocotbext-axi receives it: the last beat's tuser counts, except for the record flags."""
    sidebands, size = parameters().sidebands, len(frame.tdata)
    words = [fields(word, "tuser") for word in every(frame.tuser, size)]
    told = words[-1]
    lanes = parameters().output_bytes
    marks = [word["marks"] >> 2 * (at % lanes) & 3 for at, word in enumerate(words) if "marks" in word]
    error = FirstError(ErrorKind(told["kind"]), told["offset"]) if told.get("kind") else None
    return PacketResult(bytes(frame.tdata), error,
                        {name.replace("-", "_"): told[name.replace("-", "_")] for name in sidebands.count},
                        tuple(mark & 2 > 0 for mark in marks if mark & 1))


def with_null_bytes(packet: bytes, chance: random.Random) -> list[tuple[int, int]]:
    """The packet's bytes, with null bytes in between, each with its bit of tkeep."""
    found = []
    for octet in packet:
        while chance.random() < 0.3:
            found.append((chance.getrandbits(8), 0))
        found.append((octet, 1))
    return found


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
    reports = None
    if "report" in description():
        reports = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_report"), dut.aclk, dut.aresetn,
                                reset_active_level=False)
        reports.set_pause_generator(pauses(backpressure, 3))
    for _ in range(description()["reset_cycles"]):
        await RisingEdge(dut.aclk)
    dut.aresetn.value = 1
    # Its source cannot send a packet without bytes.
    packets = [packet for packet in random_packets(parameters(), COUNT, seed=3, longest=30) if packet]
    chance, sidebands = random.Random(4), parameters().sidebands
    beside = [[chance.getrandbits(width) for width in (sidebands.user, sidebands.id, sidebands.dest)] for _ in packets]
    for packet, (user, tid, tdest) in zip(packets, beside, strict=True):
        lanes = with_null_bytes(packet, chance) if parameters().holes else [(octet, 1) for octet in packet]
        data, keep = bytes(octet for octet, _ in lanes), [kept for _, kept in lanes]
        noise = [chance.getrandbits(sidebands.user) for _ in data[1:]]
        await source.send(AxiStreamFrame(data, keep, tuser=[*noise, user], tid=tid, tdest=tdest))
    for number, (packet, (user, tid, tdest)) in enumerate(zip(packets, beside, strict=True)):
        frame = await with_timeout(sink.recv(compact=True), 100, "us")
        expected = parameters().compute(packet)
        assert result(frame) == expected, f"packet {number}: {packet.hex()}"
        last = fields(every(frame.tuser, 1)[-1], "tuser")
        assert parameters().packs_bytes or last["error"] == (expected.error is not None or user & 1)
        assert last.get("user", 0) == user
        assert (frame.tid or 0, frame.tdest or 0) == (tid, tdest)
        if reports is not None:
            report = await with_timeout(reports.recv(), 100, "us")
            told = fields(int.from_bytes(report.tdata, "little"), "report")
            assert told == {name: last[name] for name in told}
    assert sink.empty()
    assert reports is None or reports.empty()
