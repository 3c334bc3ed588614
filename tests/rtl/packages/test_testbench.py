"""The test bench in packages: it passes with the core, and fails with a core that differs slightly."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runewire_model import parameters
from runewire_rtl import Generated
from runewire_rtl.packages import testbench as bench
from runewire_rtl.packages.testbench import packets

CORES: list[dict[str, Any]] = [
    {"core": "validator", "lanes": 4, "count": ("bytes", "bad-records"), "records": 0x0A, "user": 3, "id": 2, "dest": 1,
     "report_port": "beside"},
    {"core": "transcoder", "from": "ascii", "to": None, "lanes": 1, "report": "flag"},
    {"core": "transcoder", "from": "utf-16be", "to": "latin-1", "lanes": 2, "errors": "drop", "report_port": "only"},
    {"core": "encoder", "lanes": 1, "report": "none"},
    {"core": "decoder", "lanes": 2, "packing": "sparse", "offset_bits": 16},
    {"core": "packer", "lanes": 4, "user": 2},
    {"core": "encoder", "lanes": 1, "null_bytes": "anywhere"},
    {"core": "validator", "lanes": 2, "records": 0x0A, "record_report": True},
    {"core": "sanitizer", "lanes": 2, "records": 0x0A, "record_report": True, "user": 1},
    {"core": "transcoder", "from": "utf-8", "to": "utf-16be", "lanes": 1, "records": 0x0A, "report_port": "only"},
    {"core": "splitter", "lanes": 4, "longest": 8, "user": 3},
    {"core": "validator", "lanes": 2, "split": 0x0A, "longest": 16},
    {"core": "filter", "lanes": 4, "longest": 16, "rejects": True},
]


def simulated(made: Generated, verilog: Path, folder: Path) -> tuple[int, str]:
    """The exit status of a simulation with the core in ``verilog``, and what it prints."""
    bench = made.verilog.parent / f"{made.top}_tb.sv"
    subprocess.run(["iverilog", "-g2012", "-Wall", "-Wno-timescale", "-s", f"{made.top}_tb", "-o", folder / "sim",
                    verilog, bench], check=True, stderr=subprocess.STDOUT, stdout=subprocess.PIPE)
    done = subprocess.run(["vvp", "-n", folder / "sim"], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.icarus
@pytest.mark.parametrize("options", [
    *(pytest.param(options, id=options["core"]) for options in CORES[:3]),
    *(pytest.param(options, id=options["core"], marks=pytest.mark.slow) for options in CORES[3:]),
])
def test_it_passes_with_the_core(options: dict[str, Any], packaged: Callable[..., Generated], tmp_path: Path) -> None:
    made = packaged("fusesoc", **options)
    status, said = simulated(made, made.verilog, tmp_path)
    assert status == 0, said
    assert said.startswith("PASS: ")


def test_null_bytes_are_anywhere_for_cores_that_take_them_there() -> None:
    def keeps(**options: Any) -> set[int]:
        text = bench.testbench(parameters(lanes=4, **options))
        return {int(value, 16) >> 32 & 0xF for value in re.findall(r"beats\[\d+\] = 37'h(\w+);", text)}

    full = {0b0000, 0b0001, 0b0011, 0b0111, 0b1111}
    assert keeps(core="validator") <= full
    assert keeps(core="packer") - full >= {0b1011, 0b1101, 0b0110}
    assert keeps(core="validator", null_bytes="anywhere") - full


def test_records_that_are_cut_are_expected_so() -> None:
    text = bench.testbench(parameters(core="splitter", lanes=4, longest=8, user=3))
    assert "!== {cuts[packet], 3'd0}" in text
    assert any(line.strip() == "cuts[0] = 1'd1;" for line in text.splitlines())


def test_a_filter_s_packets_have_short_records_that_stay() -> None:
    core = parameters(core="filter", lanes=4, longest=16)
    assert any(len(core.compute(packet).output) > 40 for packet in packets(core))


RECORD_REPORT = CORES[7]
FILTER = CORES[-1]


@pytest.mark.slow
@pytest.mark.icarus
@pytest.mark.parametrize(("options", "port", "instead", "message"), [
    (CORES[0], "m_axis_tdata", "m_axis_tdata & 32'hDFDFDFDF", "FAIL: byte "),
    (CORES[0], "m_axis_tkeep", "4'hF", "FAIL: byte "),
    (CORES[0], "m_axis_tlast", "1'b1", "FAIL: packet 0 ends at byte 4, expected"),
    (CORES[0], "m_axis_tuser", "m_axis_tuser ^ 111'h10", "FAIL: packet 0 has tuser"),
    (CORES[0], "m_report_tdata", "1'b0", "FAIL: packet 0 has the report 0"),
    (CORES[0], "m_axis_tvalid", "1'b0", "FAIL: nothing moves"),
    (RECORD_REPORT, "m_records_tdata", "m_records_tdata ^ 1'b1", "FAIL: record 0 of the record report is "),
    (RECORD_REPORT, "m_records_tvalid", "1'b0", "FAIL: nothing moves"),
    (FILTER, "m_rejects_tdata", "m_rejects_tdata & 32'hDFDFDFDF", "FAIL: byte "),
    (FILTER, "m_rejects_tkeep", "4'hF", "FAIL: byte "),
    (FILTER, "m_rejects_tlast", "1'b1", "FAIL: reject 0 ends at byte 4, expected"),
    *((FILTER, "m_rejects_tuser", f"m_rejects_tuser ^ ({{68{{m_rejects_tlast}}}} & 68'h1 << {bit})",
       "FAIL: reject 0 has tuser") for bit in (0, 3, 35, 67)),
    (FILTER, "m_rejects_tuser", "m_rejects_tuser | {68{~m_rejects_tlast}}", "FAIL: reject 0 has tuser"),
    (FILTER, "m_rejects_tvalid", "1'b0", "FAIL: nothing moves"),
], ids=lambda value: value["core"] if isinstance(value, dict) else value)
def test_it_fails_with_another(options: dict[str, Any], port: str, instead: str, message: str,
                               packaged: Callable[..., Generated], broken_port: Callable[..., str],
                               tmp_path: Path) -> None:
    made = packaged("fusesoc", **options)
    broken = tmp_path / "broken.v"
    broken.write_text(broken_port(made.verilog.read_text(), made.top, port, instead))
    status, said = simulated(made, broken, tmp_path)
    assert status != 0
    assert message in said
    assert "PASS" not in said


@pytest.mark.parametrize("options", [{}, {"records": 0x0A}], ids=["plain", "records"])
def test_packets_are_well_formed_ill_formed_cut_short_and_empty(options: dict[str, Any]) -> None:
    params = parameters("validator", lanes=4, **options)
    sent = packets(params)
    errors = {params.compute(packet).error is None for packet in sent}
    assert errors == {True, False}
    assert b"" in sent
    assert any(len(packet) % 4 for packet in sent)
