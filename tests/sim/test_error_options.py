"""U+0000 that is rejected, one replacement a run, the early error bit: generated Verilog, golden model, cycle model."""

from dataclasses import replace
from typing import Any

import pytest
from runewire_model import DecoderParameters, TranscoderParameters, ValidatorParameters
from runewire_model.report import Sidebands
from runewire_model.timeline import PacketCycles, timeline
from runewire_rtl import timing
from runewire_sim import Stalls, compare, generated, simulate
from runewire_sim.differences import early_difference
from runewire_sim.sidebands import NO_SIDEBANDS
from runewire_sim.stimuli import random_packets, troublemakers

REJECT: dict[str, Any] = {"reject_nul": True}
BOTH: dict[str, Any] = {"reject_nul": True, "replace_runs": True}
EARLY = Sidebands(early=True)
USER = Sidebands(early=True, user=1)
CORES: list[TranscoderParameters] = [
    TranscoderParameters("utf-8", "utf-32le", 2, **BOTH, sidebands=USER),
    TranscoderParameters("utf-16le", "utf-8", 2, pipeline="compact", **BOTH, sidebands=EARLY),
]
MORE: list[TranscoderParameters] = [
    ValidatorParameters(1, early=True), replace(ValidatorParameters(4, "compact", early=True, records=0x0A), **REJECT),
    replace(ValidatorParameters(8, early=True, records=0x0A, count=("replacements", "bad-records")), **REJECT),
    TranscoderParameters("utf-8", "utf-8", 4, replacement=0x3F, **BOTH, sidebands=EARLY),
    TranscoderParameters("utf-8", "utf-8", 4, errors="drop", **REJECT, sidebands=Sidebands("flag", early=True)),
    TranscoderParameters("utf-8", "utf-8", 2, **BOTH, pipeline="compact",
                         sidebands=replace(USER, report_port="beside")),
    TranscoderParameters("utf-8", "utf-16le", 4, **BOTH, bom="add", sidebands=EARLY),
    TranscoderParameters("utf-8", "latin-1", 4, **BOTH, bom="strip", sidebands=EARLY),
    TranscoderParameters("utf-8", "utf-32le", 4, packing="sparse", bom="add", pipeline="balanced", **BOTH,
                         sidebands=Sidebands("kind", early=True)),
    TranscoderParameters("utf-16", "utf-8", 2, errors="drop", **REJECT),
    TranscoderParameters("utf-16be", "utf-32le", 2, **BOTH), TranscoderParameters("utf-32", "utf-8", 2, **BOTH),
    TranscoderParameters("latin-1", "utf-8", 2, **BOTH), TranscoderParameters("latin-1", None, 2, **REJECT),
    TranscoderParameters("ascii", "utf-8", 2, **BOTH), TranscoderParameters("utf-32le", "utf-8", 2, "drop", **REJECT),
    DecoderParameters(4, null_bytes="anywhere", early=True, user=1),
    TranscoderParameters("utf-8", "utf-32le", 8, **BOTH, sidebands=EARLY),
    TranscoderParameters("utf-8", "utf-32le", 64, **BOTH, sidebands=EARLY),
    TranscoderParameters("utf-8", None, 64, **REJECT, sidebands=EARLY),
]
EVERY = pytest.mark.parametrize(
    "core", [*CORES, *(pytest.param(core, marks=pytest.mark.slow) for core in MORE)], ids=str)
STALLS = (Stalls(), Stalls(0.3, 0.3, 1), Stalls(0.0, 0.9, 2))


@EVERY
def test_hardware_and_model_agree_under_stalls(core: TranscoderParameters) -> None:
    for stalls in STALLS:
        packets = [*troublemakers(core.reads).values(), *core.reads.wrong,
                   *random_packets(core, 1000, stalls.seed, 4 * core.lanes + 8)]
        with simulate(generated(core), packets, stalls) as run:
            report = compare(core, packets, run)
        assert report.agree, (report.first_difference, report.protocol_errors)


@pytest.mark.parametrize("core", CORES, ids=str)
def test_every_beat_is_in_the_cycle_of_the_model(core: TranscoderParameters) -> None:
    stalls = Stalls(0.2, 0.3, 3)
    packets = [*random_packets(core, 300, 3, 30)]
    with simulate(generated(core), packets, stalls) as run:
        ends = [end for _, end in run.packets()]
    model = timeline(core, packets, timing(core), stalls.source_pauses.at, stalls.sink_pauses.at)
    assert [PacketCycles(end.first_in, end.last_in, end.first_out, end.last_out) for end in ends] == model.packets


@pytest.mark.parametrize("simulator", ["verilator", "amaranth"])
def test_an_error_bit_that_comes_late_is_found(simulator: str) -> None:
    core = ValidatorParameters(1, early=True)
    packet = b"abc\xFFdef"
    with simulate(generated(core), [packet], simulator=simulator) as run:
        (_, end), = run.packets()
    assert end.unflagged == 3
    assert early_difference(core, packet, NO_SIDEBANDS, end) is None
    late = replace(end, unflagged=4)
    assert early_difference(core, packet, NO_SIDEBANDS, late) == (
        "early error bit: hardware after 4 beats, model after 3")
