"""The packer: any kept bytes in, full beats out, against the golden model and the cycle model."""

from collections.abc import Iterator
from itertools import pairwise, product

import pytest
import runewire_rtl
from amaranth.hdl import ClockDomain, Module
from amaranth.sim import Simulator
from runewire_model import TranscoderParameters, parameters
from runewire_model.timeline import PacketCycles, timeline
from runewire_rtl import timing
from runewire_sim import Stalls, compare, generated, simulate
from runewire_sim.axi_stream.beats import spread
from runewire_sim.stimuli import random_packets

LANES = (1, 2, 8, pytest.param(16, marks=pytest.mark.slow), pytest.param(64, marks=[pytest.mark.slow]))
STALLS = (Stalls(holes=0.3), Stalls(0.3, 0.4, 1, 0.3), Stalls(0.1, 0.1, 2, 0.9), Stalls(0, 0.9, 3, 0.05), Stalls())


def packer(lanes: int, **options: object) -> TranscoderParameters:
    return parameters("packer", lanes=lanes, **options)


def beats(packets: list[bytes], width: int, stalls: Stalls) -> list[list[bytes]]:
    """The kept bytes of each beat that the simulators send."""
    holes = iter(stalls.null_bytes)
    return [[bytes(octet for lane, octet in enumerate(data) if keep >> lane & 1)
             for data, keep, _ in spread(packet, width, holes)] for packet in packets]


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("pipeline", ["fast", "compact"])
def test_random_holes_and_stalls(lanes: int, pipeline: str, simulator: str) -> None:
    """Noise is in the lanes that are not kept."""
    core = packer(lanes, pipeline=pipeline, user=3, id=2, dest=9)
    for stalls in STALLS:
        packets = [b"", *random_packets(core, 400, stalls.seed, 5 * lanes + 3), b"", b"", b"\xFF"]
        with simulate(generated(core), packets, stalls, simulator=simulator) as run:
            report = compare(core, packets, run)
        assert report.agree, (report.first_difference, report.protocol_errors)
        assert report.stats is not None
        assert report.stats.bytes_out == report.stats.bytes_in == sum(map(len, packets))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("pipeline", ["fast", "balanced", "compact"])
def test_every_beat_is_in_the_cycle_of_the_model(lanes: int, pipeline: str, simulator: str) -> None:
    core = packer(lanes, pipeline=pipeline)
    for stalls in STALLS:
        packets = list(random_packets(core, 300, stalls.seed, 3 * lanes))
        model = timeline(core, beats(packets, lanes, stalls), timing(core), stalls.source_pauses.at,
                         stalls.sink_pauses.at)
        with simulate(generated(core), packets, stalls, simulator=simulator) as run:
            ends = [end for _, end in run.packets()]
        stamps = [PacketCycles(end.first_in, end.last_in, end.first_out, end.last_out) for end in ends]
        assert stamps == model.packets
        assert (run.stats.beats_in, run.stats.beats_out) == (len(model.input.taken), len(model.output.taken))


@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_a_beat_per_cycle_whatever_it_keeps(lanes: int) -> None:
    """Packets of one beat, of none, and long ones follow each other; the sink does not stall."""
    core = packer(lanes)
    for rate in (0.0, 0.1, 0.5, 0.9):
        sent = beats(list(random_packets(core, 300, 4, 4 * lanes)), lanes, Stalls(holes=rate))
        model = timeline(core, sent, timing(core))
        assert model.input.waits == []
        assert model.input.gaps == []
        assert all(packet.last_out - packet.last_in == timing(core).latency for packet in model.packets)


Beats = list[tuple[int, bool]]
"""``tkeep`` and ``tlast`` of each beat."""


def every_packet(lanes: int) -> Iterator[Beats]:
    """All packets of up to three beats: every ``tkeep``, beats without a byte among them."""
    for size in (1, 2, 3):
        for keeps in product(range(1 << lanes), repeat=size):
            yield [(keep, place == size - 1) for place, keep in enumerate(keeps)]


@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("pipeline", ["fast", "compact"])
def test_every_short_packet_after_its_neighbour(lanes: int, pipeline: str) -> None:
    """Each byte is its place in the input; lanes that are not kept have FF, which never comes out."""
    packets = list(every_packet(lanes))
    packets += [packet for pair in pairwise(reversed(packets)) for packet in pair]
    assert received(lanes, pipeline, packets) == expected(lanes, packets)


def numbered(lanes: int, packets: list[Beats]) -> Iterator[tuple[list[int], int, bool]]:
    """The bytes of each beat, its ``tkeep`` and ``tlast``."""
    for place, (keep, last) in enumerate(beat for packet in packets for beat in packet):
        yield [(place * lanes + lane) % 251 if keep >> lane & 1 else 255 for lane in range(lanes)], keep, last


def expected(lanes: int, packets: list[Beats]) -> list[bytes]:
    found = [bytearray()]
    for data, keep, last in numbered(lanes, packets):
        found[-1] += bytes(octet for lane, octet in enumerate(data) if keep >> lane & 1)
        if last:
            found.append(bytearray())
    return [bytes(packet) for packet in found[:-1]]


def received(lanes: int, pipeline: str, packets: list[Beats]) -> list[bytes]:
    """The packets that come out; only a last beat may be partial, and keeps its first lanes."""
    top = runewire_rtl.axi_top(packer(lanes, pipeline=pipeline))
    m = Module()
    m.domains.sync = ClockDomain("sync")
    m.submodules.top = top
    found: list[bytes] = []

    async def send(ctx):
        for data, keep, last in numbered(lanes, packets):
            ctx.set(top.s_axis_tdata, int.from_bytes(bytes(data), "little"))
            ctx.set(top.s_axis_tkeep, keep)
            ctx.set(top.s_axis_tlast, last)
            ctx.set(top.s_axis_tvalid, 1)
            await ctx.tick().until(top.s_axis_tready)
        ctx.set(top.s_axis_tvalid, 0)

    async def receive(ctx):
        ctx.set(top.m_axis_tready, 1)
        packet = b""
        while len(found) < len(packets):
            data, keep, last = await ctx.tick().sample(
                top.m_axis_tdata, top.m_axis_tkeep, top.m_axis_tlast).until(top.m_axis_tvalid)
            size = int(keep).bit_length()
            assert keep == (1 << size) - 1
            assert last or size == lanes
            packet += int(data).to_bytes(lanes, "little")[:size]
            if last:
                found.append(packet)
                packet = b""

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(send)
    simulator.add_testbench(receive)
    simulator.run()
    return found
