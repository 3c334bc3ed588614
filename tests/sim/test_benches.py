"""cocotb benches on generated Verilog: our own, and one of another project."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from runewire_model import DecoderParameters, EncoderParameters, TranscoderParameters, ValidatorParameters, parameters
from runewire_sim import SimulationError, generated
from runewire_sim.cocotb_job import run_bench
from runewire_sim.design import VerilogDesign

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
REPORTING = parameters("validator", lanes=2, records=0x0A, count=("bytes",), user=3, id=2, dest=1, report_port="beside")
RECORDS = parameters("validator", lanes=2, records=0x0A, record_report=True)
FILTER = parameters("filter", lanes=2, longest=16, rejects=True)
SPLIT = parameters("validator", lanes=2, split=0x0A)
OF_RECORDS: list[TranscoderParameters] = [REPORTING, RECORDS, FILTER, SPLIT]
"""Cores whose ports the bench must find broken."""
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
@pytest.mark.parametrize("parameters", [
    *slow_from(2, CORES), *slow_from(2, BESIDE), *slow_from(2, PACKED), *slow_from(2, OF_RECORDS)], ids=label)
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


STUCK = "packets are still inside after "
"""The bench's message if a beat never comes."""


def field(core: TranscoderParameters, port: str, name: str) -> str:
    """The port with the lowest bit of a field inverted, on the beats that have the field."""
    side = core.sidebands
    fields, beat = {"m_axis_tuser": (side.told, "m_axis_tlast"), "m_report_tdata": (side.told, "1'b1"),
                    "m_records_tdata": (side.record_beat, "1'b1"),
                    "m_rejects_tuser": (side.reject_end, "m_rejects_tlast")}[port]
    lsb = next(each.lsb for each in fields if each.name == name)
    return f"{port} ^ ({beat} << {lsb})"


BROKEN: list[tuple[TranscoderParameters, str, str, str]] = [
    (REPORTING, "m_axis_tdata", "m_axis_tdata & 16'hDFDF", "hardware .*, model "),
    (REPORTING, "m_axis_tdata", "m_axis_tdata ^ {15'd0, m_axis_tvalid & ~m_axis_tready}",
     "payload changed while valid waited"),
    (REPORTING, "m_axis_tkeep", "2'b11", "hardware .*, model "),
    (REPORTING, "m_axis_tlast", "1'b1", "hardware .*, model "),
    (REPORTING, "m_axis_tlast", "m_axis_tlast & ~m_axis_tkeep[1]", STUCK),
    (REPORTING, "m_axis_tvalid", "1'b0", STUCK),
    *((REPORTING, "m_axis_tuser", field(REPORTING, "m_axis_tuser", name), message) for name, message in (
        ("error", "bad: hardware "), ("kind", "first error: hardware "), ("offset", "first error: hardware "),
        ("bytes", "bytes: hardware "))),
    (REPORTING, "m_axis_tuser", "m_axis_tuser ^ ({75{m_axis_tkeep[0]}} & 75'h2 << 71)", "marks of records: hardware "),
    (REPORTING, "m_axis_tid", "m_axis_tid ^ 2'b10", "tid: hardware "),
    (REPORTING, "m_axis_tdest", "1'b0", "tdest: hardware "),
    *((REPORTING, "m_report_tdata", field(REPORTING, "m_report_tdata", name), f"{message}: hardware ")
      for name, message in (("offset", "first error"), ("bytes", "bytes"))),
    (REPORTING, "m_report_tvalid", "1'b0", STUCK),
    *((RECORDS, "m_records_tdata", field(RECORDS, "m_records_tdata", name), "record report: hardware ") for name in (
        "record", "kind", "offset", "packet")),
    (RECORDS, "m_records_tvalid", "1'b0", STUCK),
    (FILTER, "m_axis_tdata", "m_axis_tdata & 16'hDFDF", "hardware .*, model "),
    (FILTER, "m_rejects_tdata", "m_rejects_tdata & 16'hDFDF", "rejects: hardware "),
    (FILTER, "m_rejects_tkeep", "2'b11", "rejects"),
    (FILTER, "m_rejects_tlast", "1'b1", "rejects"),
    (FILTER, "m_rejects_tlast", "m_rejects_tlast & ~m_rejects_tkeep[1]", "rejects: hardware "),
    *((FILTER, "m_rejects_tuser", field(FILTER, "m_rejects_tuser", name), "rejects, tuser of ") for name in (
        "kind", "offset", "record", "long")),
    (FILTER, "m_rejects_tvalid", "1'b0", STUCK),
    (SPLIT, "m_axis_tlast", "m_axis_tlast & m_axis_tkeep[1]", "packet 0a: hardware "),
]


@pytest.mark.slow
@pytest.mark.icarus
@pytest.mark.parametrize(("core", "port", "instead", "message"), BROKEN, ids=lambda value: (
    value.core if isinstance(value, TranscoderParameters) else value[:60]))
def test_the_bench_finds_a_broken_port(core: TranscoderParameters, port: str, instead: str, message: str,
                                       broken_port: Callable[..., str], tmp_path: Path) -> None:
    """The bench's random packets, each under pauses of all sides, on a core whose top has another value at one port."""
    design = generated(core)
    broken = tmp_path / "broken.v"
    broken.write_text(broken_port(design.verilog.read_text(), design.top, port, instead))
    with pytest.raises(SimulationError, match="icarus failed") as caught:
        run_bench(VerilogDesign(core, design.top, broken), "runewire_sim.bench.checks", "icarus", {
            "RUNEWIRE_DESCRIPTION": str(design.verilog.with_suffix(".json")), "RUNEWIRE_PACKETS_EACH": "30",
            "COCOTB_TEST_FILTER": "random_packets_agree_with_the_model/source=0.5/sink=0.5",
            "RUNEWIRE_CACHE": str(tmp_path)})
    said = re.findall(r"AssertionError: (.*)", caught.value.log)[0]
    assert re.search(message, said), said
