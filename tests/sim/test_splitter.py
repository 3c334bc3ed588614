"""The splitter, alone and before other cores: each record's packet against the golden model and the cycle model."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from runewire_model import TranscoderParameters, parameters
from runewire_model.report import Sidebands
from runewire_model.timeline import PacketCycles, timeline
from runewire_rtl import timing
from runewire_sim import Stalls, compare, generated, simulate
from runewire_sim.axi_stream.beats import spread
from runewire_sim.stimuli import random_packets

SPLIT: dict[str, Any] = {"split": 0x0A}
CORES: list[TranscoderParameters] = [
    parameters("splitter", lanes=1, delimiter="drop", longest=4, user=2),
    parameters("splitter", lanes=4, longest=8, user=3, id=2, dest=9),
    parameters("validator", lanes=2, **SPLIT, user=1, longest=16, count=("bytes",)),
]
MORE: list[TranscoderParameters] = [
    *(parameters("splitter", lanes=lanes, delimiter=delimiter, empty=empty)
      for lanes in (1, 8) for delimiter in ("keep", "drop") for empty in ("keep", "drop")),
    parameters("splitter", lanes=2, pipeline="balanced", delimiter="drop", longest=2),
    parameters("splitter", lanes=4, null_bytes="anywhere", records=0x2C),
    parameters("splitter", lanes=64, user=1, longest=64),
    parameters("splitter", lanes=64, delimiter="drop", empty="drop"),
    parameters("decoder", lanes=4, **SPLIT, delimiter="drop", empty="drop", packing="sparse", null_bytes="anywhere"),
    parameters("sanitizer", lanes=8, **SPLIT, pipeline="compact", longest=16, delimiter="drop", report_port="beside"),
    TranscoderParameters("utf-8", "utf-16le", 4, bom="add", sidebands=Sidebands(**SPLIT, user=1)),
    TranscoderParameters("ascii", "utf-8", 8, sidebands=Sidebands(**SPLIT)),
    parameters("validator", lanes=8, **SPLIT, records=0x0A, count=("bad-records",)),
]
EVERY = pytest.mark.parametrize(
    "core", [*CORES, *(pytest.param(core, marks=pytest.mark.slow) for core in MORE)], ids=str)
STALLS = (Stalls(), Stalls(0.3, 0.4, 1), Stalls(0.0, 0.9, 2), Stalls(0.7, 0.0, 3))


def sent(core: TranscoderParameters, stalls: Stalls) -> list[bytes]:
    """Random packets; records that end before, at and after each border of a beat; and ill-formed ones."""
    delimiter = bytes([core.sidebands.split or 0])
    lanes = core.input_bytes
    borders = [b"a" * size + tail for size in range(2 * lanes + 2) for tail in (b"", delimiter, delimiter * 2)][:60]
    joined = Random(stalls.seed).sample(borders, len(borders))
    return [b"", *random_packets(core, 200, stalls.seed, 5 * lanes + 3), delimiter, *borders, b"".join(joined),
            delimiter * (3 * lanes), b"\xE2\x82" + delimiter + b"\xAC" + delimiter, b""]


def beats(core: TranscoderParameters, packets: list[bytes], stalls: Stalls) -> Iterator[Any]:
    """The packets for the cycle model: the kept bytes of each beat if null bytes are anywhere."""
    holes = iter(stalls.null_bytes)
    for packet in packets:
        yield packet if core.packer is None else [
            bytes(octet for lane, octet in enumerate(part) if keep >> lane & 1)
            for part, keep, _ in spread(packet, core.input_bytes, holes)]


@EVERY
def test_each_record_is_a_packet_in_the_cycles_of_the_model(core: TranscoderParameters) -> None:
    for stalls in STALLS:
        if core.packer is not None:
            stalls = replace(stalls, holes=0.3)
        packets = sent(core, stalls)
        with simulate(generated(core), packets, stalls) as run:
            report = compare(core, packets, run)
        assert report.agree, (report.first_difference, report.protocol_errors)
        assert report.packets == sum(len(core.answers(packet)) for packet in packets) > 50
        with simulate(generated(core), packets, stalls) as run:
            ends = [end for _, end in run.packets()]
        model = timeline(core, list(beats(core, packets, stalls)), timing(core), stalls.source_pauses.at,
                         stalls.sink_pauses.at, stalls.further)
        stamps = [PacketCycles(end.first_in, end.last_in, end.first_out, end.last_out) for end in ends]
        assert stamps == model.packets
        assert (run.stats.beats_in, run.stats.beats_out) == (len(model.input.taken), len(model.output.taken))


def test_simulators_agree_on_each_record(simulator: str) -> None:
    core, stalls = CORES[1], Stalls(0.2, 0.3, 7)
    packets = sent(core, stalls)[:120]
    with simulate(generated(core), packets, stalls, simulator=simulator) as run:
        assert compare(core, packets, run).agree


@pytest.mark.parametrize(("packets", "cycles"), [
    ([b"abcdefg\n" * 50], 50), ([b"abc\n" * 100], 100), ([b"ab\n" + b"abcdefg\n" * 100], 101), ([b"a" * 8000], 1000)],
    ids=["a beat a record", "two records a beat", "a beat a record, across beats", "one record"])
def test_a_row_per_cycle(packets: list[bytes], cycles: int) -> None:
    """No cycle is lost between output beats, wherever records lie."""
    core = parameters("splitter", lanes=8)
    found = timeline(core, packets, timing(core))
    assert found.output.gaps == []
    assert len(found.output.taken) == cycles
