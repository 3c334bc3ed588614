"""The simulators against each other: the same packets and stalls give the same results, cycle for cycle."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from runewire_model import DecoderParameters, EncoderParameters, PacketResult, TranscoderParameters, ValidatorParameters
from runewire_sim import MissingToolError, PacketEnd, Run, Stalls, Stats, generated, simulate
from runewire_sim.icarus import replayed
from runewire_sim.stimuli import random_packets
from runewire_sim.verilator import HEADER_PACKAGES

FLOW = DecoderParameters(1, flows=1, null_bytes="anywhere", pipeline="compact")
"""Stalls its input for a beat of each segment, or the next segment's."""
CORES: list[TranscoderParameters] = [
    ValidatorParameters(lanes=1),
    DecoderParameters(lanes=4),
    DecoderParameters(lanes=2, packing="sparse"),
    EncoderParameters(lanes=2),
    ValidatorParameters(2, count=("bytes", "records"), records=0x7F, user=3, id=1, dest=40, report_port="beside"),
    DecoderParameters(1, offset_bits=64, count=("code-points", "bytes"), user=64, id=64, report_port="only"),
    EncoderParameters(1, report="none", dest=8),
    FLOW,
]
EACH = ["verilator", "amaranth", pytest.param("icarus", marks=pytest.mark.icarus)]
FST_HEADER = bytes.fromhex("00 0000000000000149")
"""How a file in GTKWave's fast signal trace begins: a block of type 0 and 329 bytes."""
STALLS = (Stalls(), Stalls(0.4, 0.5, 7))


def outcome(run: Run) -> tuple[list[tuple[PacketResult, PacketEnd]], Stats]:
    with run:
        results = list(run.packets())
    assert run.protocol_errors == []
    return results, run.stats


@pytest.mark.parametrize("parameters", CORES, ids=str)
@pytest.mark.parametrize("stalls", [
    pytest.param(STALLS[0], marks=pytest.mark.slow, id="flowing"), pytest.param(STALLS[1], id="stalled")])
@pytest.mark.parametrize("other", ["amaranth", pytest.param("icarus", marks=pytest.mark.icarus)])
def test_equal_to_the_fast_lane(parameters: TranscoderParameters, stalls: Stalls, other: str) -> None:
    packets = list(random_packets(parameters, 60, seed=1, longest=40))
    design = generated(parameters)
    expected = outcome(simulate(design, packets, stalls))
    assert len(expected[0]) == len(packets)
    assert outcome(simulate(design, packets, stalls, simulator=other)) == expected


@pytest.mark.parametrize("name", EACH)
def test_a_stall_by_the_core_is_no_gap_of_the_source(name: str) -> None:
    packets = list(random_packets(FLOW, 40, seed=3, longest=6))
    for stalls in (Stalls(), Stalls(0.0, 0.5, 2)):
        results, stats = outcome(simulate(generated(FLOW), packets, stalls, simulator=name))
        assert results[-1][1].last_in >= stats.beats_in + 20
        assert [end.gaps for _, end in results] == [0] * len(packets)
    results, _ = outcome(simulate(generated(FLOW), packets, Stalls(0.3, 0.0, 2), simulator=name))
    # In the packets' first beats and in later ones.
    assert {end.gaps & 1 for _, end in results} == {0, 1}
    assert any(end.gaps > 1 for _, end in results)


@pytest.mark.slow
def test_cocotb_on_verilator_is_equal_to_the_fast_lane() -> None:
    parameters = DecoderParameters(lanes=2, packing="sparse")
    packets = list(random_packets(parameters, 60, seed=2, longest=40))
    design = generated(parameters)
    under_cocotb = Run(replayed(design, packets, STALLS[1], "verilator"))
    assert outcome(under_cocotb) == outcome(simulate(design, packets, STALLS[1]))


@pytest.mark.parametrize("name", EACH)
def test_no_packets(name: str) -> None:
    results, stats = outcome(simulate(generated(ValidatorParameters(lanes=1)), [], simulator=name))
    assert results == []
    assert (stats.beats_in, stats.beats_out, stats.busy_cycles) == (0, 0, 0)


@pytest.mark.parametrize("name", EACH)
def test_waves_show_ports_bytes_and_scalars(name: str, tmp_path: Path) -> None:
    waves = tmp_path / "waves.vcd"
    outcome(simulate(generated(DecoderParameters(lanes=2)), ["€€".encode()], Stalls(), waves, name))
    text = waves.read_text()
    for signal in ("s_axis_tdata", "m_axis_tvalid", "in_byte_0", "in_byte_1", "out_scalar_1", "out_error_kind"):
        assert f" {signal} " in text
    [code] = {line.split()[3] for line in text.splitlines() if " out_scalar_0 " in line}
    assert any(line.endswith(f"{0x20AC:b} {code}") for line in text.splitlines()), "no euro sign among the values"


@pytest.mark.parametrize("name", EACH)
def test_waves_show_what_goes_beside(name: str, tmp_path: Path) -> None:
    waves = tmp_path / "waves.vcd"
    parameters = ValidatorParameters(1, report="flag", count=("bytes",), records=0x0A, user=2, report_port="beside")
    outcome(simulate(generated(parameters), [b"a\n"], Stalls(), waves, name))
    text = waves.read_text()
    for signal in ("out_error", "out_bytes", "out_user", "out_record_ends_0", "out_record_bad_0", "report_bytes",
                   "m_report_tvalid"):
        assert f" {signal} " in text


@pytest.mark.icarus
def test_waves_as_fst(tmp_path: Path) -> None:
    waves = tmp_path / "waves.fst"
    outcome(simulate(generated(ValidatorParameters(lanes=1)), [b"a"], Stalls(), waves, "icarus"))
    assert waves.read_bytes()[:9] == FST_HEADER


@pytest.mark.slow
def test_waves_as_fst_from_the_fast_lane(tmp_path: Path, lacking: Callable[..., NoReturn]) -> None:
    waves = tmp_path / "waves.fst"
    try:
        run = simulate(generated(ValidatorParameters(lanes=1)), [b"a"], Stalls(), waves)
    except MissingToolError:
        lacking(*HEADER_PACKAGES.values())
    outcome(run)
    assert waves.read_bytes()[:9] == FST_HEADER


@pytest.mark.parametrize(("name", "file"), [
    ("amaranth", "w.fst"), ("verilator", "w.txt"), pytest.param("icarus", "w", marks=pytest.mark.icarus)])
def test_another_kind_of_waves_is_refused(name: str, file: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"got '{file}'"):
        simulate(generated(ValidatorParameters(lanes=1)), [], Stalls(), tmp_path / file, name)


def test_an_unknown_simulator_is_refused() -> None:
    with pytest.raises(ValueError, match="must be one of verilator, icarus, amaranth, got 'modelsim'"):
        simulate(generated(ValidatorParameters(lanes=1)), [], simulator="modelsim")


@pytest.mark.parametrize("name", EACH)
def test_an_error_while_packets_are_made_comes_through(name: str) -> None:
    def packets() -> Iterator[bytes]:
        yield b"a"
        raise RuntimeError("the well is dry")

    with pytest.raises(RuntimeError, match="the well is dry"):
        outcome(simulate(generated(ValidatorParameters(lanes=1)), packets(), simulator=name))
