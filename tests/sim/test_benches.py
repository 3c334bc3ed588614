"""cocotb benches on generated Verilog: our own, and one of another project."""

import sys
from pathlib import Path

import pytest
from runewire_model import DecoderParameters, EncoderParameters, TranscoderParameters, ValidatorParameters, parameters
from runewire_sim import SimulationError, generated
from runewire_sim.cocotb_job import run_bench

CORES: list[TranscoderParameters] = [
    kind for lanes in (1, 2, 4, 8) for kind in (
        ValidatorParameters(lanes=lanes), DecoderParameters(lanes=lanes),
        DecoderParameters(lanes=lanes, packing="sparse"), EncoderParameters(lanes=lanes))
]
COUNT = ("code-points", "utf16-units", "replacements", "bytes")
BESIDE: list[TranscoderParameters] = [
    ValidatorParameters(lanes=1, user=1, records=0x0A),
    ValidatorParameters(lanes=4, count=(*COUNT, "records", "bad-records"), records=0x61, user=64, id=5, dest=1,
                        report_port="beside"),
    DecoderParameters(lanes=2, offset_bits=16, count=COUNT, user=3, id=1, dest=8),
    EncoderParameters(lanes=2, count=COUNT, report_port="beside", user=2, id=64),
]
"""Cores with sidebands."""
PACKED: list[TranscoderParameters] = [
    parameters("packer", lanes=1, user=1), parameters("packer", lanes=4, user=3, id=2),
    DecoderParameters(lanes=2, null_bytes="anywhere"),
]
"""Cores that take null bytes anywhere."""
ON_VERILATOR: list[TranscoderParameters] = [DecoderParameters(lanes=2, packing="sparse")]


def slow_from(lanes: int, cores: list[TranscoderParameters]) -> list[object]:
    return [pytest.param(each, marks=[pytest.mark.slow] if each.lanes >= lanes else []) for each in cores]


def label(parameters: TranscoderParameters) -> str:
    return "-".join([parameters.core, str(parameters.lanes), parameters.packing,
                     *(name for name in parameters.sidebands.unusual)])


def bench(parameters: TranscoderParameters, module: str, simulator: str, **environment: str) -> None:
    design = generated(parameters)
    description = str(design.verilog.with_suffix(".json"))
    try:
        run_bench(design, module, simulator, {"RUNEWIRE_DESCRIPTION": description, **environment})
    except SimulationError as error:
        told = [line for line in error.log.splitlines() if " frame: " not in line]
        pytest.fail("\n".join([str(error), *told[-60:]]))


@pytest.mark.icarus
@pytest.mark.parametrize("parameters", [*slow_from(2, CORES), *slow_from(2, BESIDE), *slow_from(2, PACKED)], ids=label)
def test_checks_on_icarus(parameters: TranscoderParameters) -> None:
    bench(parameters, "runewire_sim.bench.checks", "icarus", RUNEWIRE_PACKETS_EACH="12")


@pytest.mark.slow
@pytest.mark.parametrize("parameters", ON_VERILATOR, ids=label)
def test_checks_on_verilator(parameters: TranscoderParameters) -> None:
    bench(parameters, "runewire_sim.bench.checks", "verilator")


@pytest.mark.icarus
@pytest.mark.parametrize("parameters", [*slow_from(4, CORES), *slow_from(2, BESIDE), *slow_from(2, PACKED)], ids=label)
def test_an_outsiders_source_and_sink(parameters: TranscoderParameters, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).parent)])
    bench(parameters, "bench_axi_peer", "icarus")


@pytest.mark.icarus
def test_a_failing_bench_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bench_that_fails.py").write_text(
        "import cocotb\n\n@cocotb.test\nasync def fails(dut):\n    assert False, 'it is broken'\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    with pytest.raises(SimulationError, match="icarus failed") as caught:
        run_bench(generated(ValidatorParameters(lanes=1)), "bench_that_fails", "icarus", {})
    assert "it is broken" in caught.value.log
