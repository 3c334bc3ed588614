"""The filter: packets without their ill-formed records, and these on a stream of their own, under stalls."""

from collections import deque
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from runewire_model import TranscoderParameters, parameters
from runewire_model.filtering import Reject
from runewire_model.report import Sidebands
from runewire_model.timeline import PacketCycles, timeline
from runewire_rtl import timing
from runewire_sim import Stalls, compare, generated, simulate
from runewire_sim.axi_stream.beats import beats_with_holes
from runewire_sim.rejects import RejectComparison, reject_end, rejected_record
from runewire_sim.results import PacketEnd, RejectedRecord
from runewire_sim.sidebands import SentSidebands
from runewire_sim.stimuli import random_packets
from runewire_sim.verilator import run

CORES: list[TranscoderParameters] = [
    parameters("filter", lanes=1, longest=4, rejects=True),
    parameters("filter", lanes=8, longest=64, rejects=True, user=3, id=2, dest=9),
]
MORE: list[TranscoderParameters] = [
    parameters("filter", lanes=1, longest=1, rejects=True),
    parameters("filter", lanes=2, longest=64, pipeline="balanced", records=0x2C, user=32),
    parameters("filter", lanes=4, longest=4, rejects=True, family="ice40"),
    parameters("filter", lanes=8),
    parameters("filter", lanes=64, longest=1024, rejects=True, id=1),
    parameters("filter", lanes=4, longest=16, rejects=True, user=3, null_bytes="anywhere"),
]
EVERY = pytest.mark.parametrize(
    "core", [*CORES, *(pytest.param(core, marks=pytest.mark.slow) for core in MORE)], ids=str)
STALLS = (Stalls(), Stalls(0.3, 0.4, 1), Stalls(0.0, 0.9, 2), Stalls(0.7, 0.0, 3), Stalls(0.0, 0.1, 4, rejects=0.95))


def sent(core: TranscoderParameters, seed: int, count: int = 200) -> list[bytes]:
    """Random packets, and records that end, or are ill-formed, before, at and after each border of a beat and of the
    buffer."""
    sidebands, lanes = core.sidebands, core.lanes
    delimiter, longest = bytes([sidebands.filter or 0]), min(sidebands.longest or 0, 8 * lanes)
    random = Random(seed)
    packets = [b"", *random_packets(core, count, seed, 6 * lanes + 3), b""]
    for size in {*range(2 * lanes + 2), *range(longest - 2, longest + 3)}:
        for wrong in (b"", b"\xFF", b"\xE2\x82", b"\xED\xA0\x80"):
            for tail in (b"", delimiter, delimiter * 2):
                packets.append(b"a" * size + wrong + tail)
    random.shuffle(packets)
    joined = random.sample(packets, min(60, len(packets)))
    whole = sidebands.longest or 0
    return [*packets[:400], delimiter.join(joined), b"x" * (3 * whole), b"x" * whole + delimiter + b"y" * (whole + 1),
            delimiter * (3 * lanes), (b"\xFF" + delimiter) * 40, b"a" + delimiter]


@EVERY
def test_output_and_rejects_together_are_the_input_in_the_cycles_of_the_model(core: TranscoderParameters) -> None:
    for stalls in STALLS:
        if core.holes:
            stalls = replace(stalls, holes=0.3)
        packets = sent(core, stalls.seed)
        with simulate(generated(core), packets, stalls) as done:
            ends: list[PacketEnd] = []
            report = compare(core, packets, done, on_chunk=lambda chunk, ends=ends: ends.extend(
                () if chunk.end is None else [chunk.end]))
        assert report.agree, (report.first_difference, report.protocol_errors)
        assert report.packets == len(packets)
        beats = beats_with_holes(packets, core.lanes, iter(stalls.null_bytes)) if stalls.holes else packets
        model = timeline(core, beats, timing(core), stalls.source_pauses.at, stalls.sink_pauses.at, stalls.further)
        assert model.packets == [PacketCycles(end.first_in, end.last_in, end.first_out, end.last_out) for end in ends]
        assert (done.stats.beats_in, done.stats.beats_out) == (len(model.input.taken), len(model.output.taken))
        rows = sum(-(-len(reject.data) // core.lanes) for packet in packets for reject in core.rejects(packet))
        assert len(model.rejects.taken) == (rows if core.sidebands.rejects else 0)
        assert report.rejected == sum(len(core.rejects(packet)) for packet in packets) > 100


def test_simulators_agree_to_the_cycle(simulator: str) -> None:
    core, stalls = CORES[1], Stalls(0.2, 0.3, 7, rejects=0.6)
    packets = sent(core, 7, 40)[:60]
    with simulate(generated(core), packets, stalls, simulator=simulator) as done:
        assert compare(core, packets, done).agree
    with simulate(generated(core), packets, stalls) as other:
        assert compare(core, packets, other).agree
    assert done.stats == other.stats


def test_rejects_of_the_hardware_say_why() -> None:
    core = CORES[0]
    with simulate(generated(core), [b"a\n\xFF\n", b"abcde\nb\xC0\x80"]) as done:
        outputs = [result.output for result, _ in done.packets()]
    assert outputs == [b"a\n", b""]
    said = [reject_end(core.sidebands, each.tuser) for each in done.rejects]
    assert [each.data for each in done.rejects] == [b"\xFF\n", b"abcde\n", b"b\xC0\x80"]
    assert [(None if end.error is None else (end.error.kind.name, end.error.offset), end.record, end.long)
            for end in said] == [(("HEADER_BITS", 0), 1, False), (None, 0, True), (("OVERLONG", 1), 1, False)]


def test_a_sink_that_takes_no_reject_stops_the_core_and_loses_none() -> None:
    """With the rejects' sink away most of the time, all takes as long as that sink needs."""
    core = CORES[1]
    packets = [(b"\xFF" + b"a" * 20 + b"\n") * 30 for _ in range(4)]
    cycles = []
    for rejects in (0.0, 0.9):
        with simulate(generated(core), packets, Stalls(seed=5, rejects=rejects)) as done:
            assert compare(core, packets, done).agree
        cycles.append(done.stats.cycles)
    assert cycles[1] > 5 * cycles[0]


@pytest.mark.parametrize(("record", "packets", "beats"), [
    (b"abcdefg\n", 1, 100), (b"abcdefghijklmno\n", 1, 200), (b"abc\n", 1, 100)],
    ids=["a beat a record", "two beats a record", "half a beat a record"])
def test_a_row_of_a_record_per_cycle(record: bytes, packets: int, beats: int) -> None:
    core = parameters("filter", lanes=8, longest=64)
    with simulate(generated(core), [record * 100] * packets) as done:
        ends = [end for _, end in done.packets()]
    assert done.stats.busy_cycles <= beats + timing(core).latency + 16
    assert ends[0].last_out - ends[0].last_in < beats + timing(core).latency + 16


@pytest.mark.parametrize("lanes", [1, 8])
def test_latency_of_a_packet_of_one_beat(lanes: int) -> None:
    core = parameters("filter", lanes=lanes, longest=64)
    for packet in (b"a" * lanes, b"", b"\xFF"):
        with simulate(generated(core), [packet]) as done:
            ((_, end),) = done.packets()
        assert end.last_out - end.last_in == timing(core).latency


def test_a_difference_of_rejects_is_told() -> None:
    core = parameters("filter", lanes=1, longest=4, rejects=True, id=3)
    model = rejected_record(core.sidebands, Reject(b"\xFF\n", 1, None, True), SentSidebands(0, 5))

    def told(*came: RejectedRecord) -> str | None:
        comparison = RejectComparison(core)
        comparison.expect(7, b"a\n\xFF\n", SentSidebands(0, 5))
        comparison.take(deque(came))
        found = comparison.finish()
        assert found is None or found[0] in (0, 7)
        return None if found is None else found[1]

    right = rejected_record(core.sidebands, core.rejects(b"a\n\xFF\n")[0], SentSidebands(0, 5))
    assert told(right) is None
    assert told() == "rejects: hardware nothing, model ff0a"
    assert told(right, right) == "rejects: hardware ff0a, model nothing"
    assert told(replace(right, data=b"\xFE\n")) == "rejects: hardware fe0a, model ff0a"
    assert told(replace(right, tid=4)) == "rejects, tid and tdest: hardware 0x4 0x0, model 0x5 0x0"
    assert "rejects, tuser of ff0a: hardware 0x" in str(told(model))


def test_pauses_of_the_rejects_are_their_own() -> None:
    stalls: Any = Stalls(0.1, 0.2, 3, rejects=0.9)
    assert stalls.rejects_pauses.threshold == int(0.9 * 2**64)
    assert Stalls(0.1, 0.2, 3).rejects_pauses.threshold == int(0.2 * 2**64)
    assert Stalls(0.1, 0.2, 3).rejects_pauses.key != stalls.sink_pauses.key
    with pytest.raises(ValueError, match=r"stall must be from 0 to 0.99, got 1"):
        Stalls(rejects=1.0)
    assert Sidebands().reject_end == ()


def test_a_reset_in_traffic_leaves_no_record_behind() -> None:
    """Registers and memories start at random values, and resets end traffic at random times."""
    for core, seeds in ((CORES[0], 6), (CORES[1], 40)):
        for seed in range(seeds):
            packets = [b"\xFFa\n" * 3, *sent(core, seed, 12)[:12]]
            with run(generated(core), packets, Stalls(0.1, 0.3 * (seed % 3), seed), plus=("+resets=12",)) as results:
                report = compare(core, packets, results)
            assert report.agree, (seed, report.first_difference, report.protocol_errors)
