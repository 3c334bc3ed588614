"""Null bytes anywhere: a core behind its packer, against the golden model and the cycle model."""

from dataclasses import replace
from typing import Any

import pytest
from runewire_model import ENCODINGS, DecoderParameters, JoinedTiming, TranscoderParameters, ValidatorParameters
from runewire_model.report import Sidebands
from runewire_model.timeline import PacketCycles, cycles, most_waits, timeline
from runewire_rtl import timing
from runewire_sim import Chunk, Stalls, compare, generated, simulate
from runewire_sim.axi_stream.beats import beats_with_holes
from runewire_sim.cpython_oracle import reference
from runewire_sim.stimuli import random_packets

ANYWHERE: dict[str, Any] = {"null_bytes": "anywhere"}
CORES: list[TranscoderParameters] = [
    DecoderParameters(2, **ANYWHERE, user=2, id=3, dest=4),
    TranscoderParameters("utf-16be", "utf-8", 2, bom="add", pipeline="compact", sidebands=Sidebands(**ANYWHERE)),
]
MORE: list[TranscoderParameters] = [
    ValidatorParameters(4, **ANYWHERE, records=0x0A, count=("bytes", "bad-records")),
    DecoderParameters(4, packing="sparse", **ANYWHERE),
    DecoderParameters(1, pipeline="compact", **ANYWHERE),
    DecoderParameters(8, bom="add", **ANYWHERE),
    ValidatorParameters(8, pipeline="compact", **ANYWHERE),
    ValidatorParameters(128, **ANYWHERE),
    TranscoderParameters("utf-32", None, 2, sidebands=Sidebands(**ANYWHERE)),
    TranscoderParameters("utf-16", "utf-8", 4, bom="add", sidebands=Sidebands(**ANYWHERE)),
    TranscoderParameters("utf-8", "utf-8", 2, errors="drop", pipeline="balanced", sidebands=Sidebands(**ANYWHERE)),
]
EVERY = pytest.mark.parametrize(
    "core", [*CORES, *(pytest.param(core, marks=pytest.mark.slow) for core in MORE)], ids=str)
STALLS = (Stalls(holes=0.3), Stalls(0.3, 0.4, 1, 0.3), Stalls(0.1, 0.1, 2, 0.9), Stalls(0, 0.9, 3, 0.05), Stalls())


@EVERY
def test_holes_change_no_result_and_every_beat_is_in_the_cycle_of_the_model(core: TranscoderParameters) -> None:
    """Noise is in the lanes that are not kept."""
    for stalls in STALLS:
        packets = list(random_packets(core, 300, stalls.seed, 4 * core.lanes + 2))
        with simulate(generated(core), packets, stalls) as run:
            report = compare(core, packets, run)
        assert report.agree, (report.first_difference, report.protocol_errors)
        with simulate(generated(core), packets, stalls) as run:
            ends = [end for _, end in run.packets()]
        sent = list(beats_with_holes(packets, core.input_bytes, iter(stalls.null_bytes)))
        model = timeline(core, sent, timing(core), stalls.source_pauses.at, stalls.sink_pauses.at)
        assert [PacketCycles(end.first_in, end.last_in, end.first_out, end.last_out) for end in ends] == model.packets
        assert (run.stats.beats_in, run.stats.beats_out) == (len(model.input.taken), len(model.output.taken))


@EVERY
def test_without_holes_the_closed_form_holds(core: TranscoderParameters) -> None:
    packets = list(random_packets(core, 60, 5, 6 * core.lanes))
    time = timing(core)
    assert isinstance(time, JoinedTiming)
    stepped = timeline(core, packets, time)
    sizes = [*map(len, packets)]
    if not most_waits(core, sizes):
        assert stepped.cycles == cycles(core, sizes, time)
    # An added mark takes a cycle of its own.
    if core.pipeline != "compact" and not core.mark:
        assert stepped.input.waits == []


TEXTS = 7_500
"""Texts of each encoding and width: 200,000 in all."""


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [1, 8, pytest.param(64, marks=pytest.mark.records)])
@pytest.mark.parametrize("source", ENCODINGS)
def test_texts_with_holes_are_what_cpython_makes_of_them(source: str, lanes: int) -> None:
    """A core of fewer lanes where that is the widest."""
    sidebands = Sidebands(**ANYWHERE)
    core = TranscoderParameters(source, "utf-8", 1, sidebands=sidebands)
    core = replace(core, lanes=min(lanes, core.most_lanes))
    packets = list(random_packets(core, TEXTS, lanes, 3 * core.input_bytes + 8))
    for part, stalls in enumerate(STALLS[:3]):
        some = packets[part::3]
        results: list[tuple[bytes, int | None]] = []
        output = bytearray()

        def take(chunk: Chunk, output: bytearray = output, results: list[tuple[bytes, int | None]] = results) -> None:
            output.extend(chunk.output)
            if chunk.end is not None:
                error = chunk.end.told(sidebands).error
                results.append((bytes(output), None if error is None else error.offset))
                output.clear()

        with simulate(generated(core), some, stalls) as run:
            report = compare(core, some, run, on_chunk=take)
        assert report.agree, (report.first_difference, report.protocol_errors)
        assert results == [reference(core, packet) for packet in some]
