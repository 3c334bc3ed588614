"""Cores with a skid buffer at the output: the golden answers, to the cycle of the model. Narrow cores get one here, so
that the tests are quick; `test_cycles` simulates a wide one as it is generated."""

import sys
from pathlib import Path

import pytest
from runewire_model import DecoderParameters, EncoderParameters, TranscoderParameters, ValidatorParameters, packet_beats
from runewire_model.core_cycles import Leaving
from runewire_model.packet_beats import has_output_skid
from runewire_model.timeline import PacketCycles, timeline
from runewire_rtl import timing
from runewire_sim import Stalls, VerilogDesign, simulate
from runewire_sim.stimuli import random_packets

STALLS = (Stalls(), Stalls(0, 0.5, 2), Stalls(0.2, 0.3, 3), Stalls(0, 0.9, 6))
FAMILY = "gowin-5a"
CORES = {
    "validator": ValidatorParameters(4, family=FAMILY),
    "sparse decoder": DecoderParameters(4, packing="sparse", family="xilinx-7"),
    "tags": ValidatorParameters(2, family=FAMILY, user=2, id=1, dest=3),
    "record flags and report port": ValidatorParameters(4, family=FAMILY, records=0x0A, report_port="beside"),
    "record report": ValidatorParameters(2, family=FAMILY, records=0x41, record_report=True),
    "null bytes anywhere": DecoderParameters(2, packing="sparse", family=FAMILY, null_bytes="anywhere"),
}


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cores of any width have the skid buffer."""
    monkeypatch.setattr(packet_beats, "SKID_LANES", 1)
    monkeypatch.setattr(sys.modules["runewire_rtl.parameters"], "_TIMINGS", {})


def assert_equal(core: TranscoderParameters) -> None:
    """Golden answers, and the cycles of each packet, under several stalls."""
    for stalls in STALLS:
        packets = list(random_packets(core, 30, stalls.seed, 4 * core.lanes))
        with simulate(VerilogDesign(core, "", Path()), packets, stalls, simulator="amaranth") as run:
            results, ends = zip(*run.packets(), strict=True)
        assert list(results) == [core.compute(packet) for packet in packets]
        model = timeline(core, packets, timing(core), stalls.source_pauses.at, stalls.sink_pauses.at, stalls.further)
        stamps = [PacketCycles(end.first_in, end.last_in, end.first_out, end.last_out) for end in ends]
        assert stamps == model.packets


@pytest.mark.parametrize("name", CORES)
def test_cores_with_a_skid_buffer_agree_with_both_models(narrow: None, name: str) -> None:
    core = CORES[name]
    assert has_output_skid(core)
    assert_equal(core)


@pytest.mark.parametrize("name", ["validator", "sparse decoder"])
def test_the_cycle_model_knows_the_skid_buffer(narrow: None, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Without it the model says other cycles than the hardware."""
    step = Leaving.step

    def without(self: Leaving, cycle: int) -> None:
        self._way.time = self._way.time._replace(skid=False)
        step(self, cycle)

    monkeypatch.setattr(Leaving, "step", without)
    with pytest.raises(AssertionError):
        assert_equal(CORES[name])


def test_only_wide_cores_of_two_families_have_one() -> None:
    found = {(family, lanes) for family in ("ecp5", "ice40", "gowin-5a", "xilinx-7", "generic")
             for lanes in (32, 64, 256) if has_output_skid(ValidatorParameters(lanes, family=family))}
    assert found == {(family, lanes) for family in ("gowin-5a", "xilinx-7") for lanes in (64, 256)}
    assert not has_output_skid(ValidatorParameters(64, "compact", FAMILY))
    assert has_output_skid(DecoderParameters(64, packing="sparse", family=FAMILY))
    for packed in (DecoderParameters(64, family=FAMILY), EncoderParameters(16, family=FAMILY)):
        assert not has_output_skid(packed)
