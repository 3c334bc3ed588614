"""FuseSoC reads the core description and the generator, and runs their targets."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runewire_rtl import Generated
from runewire_sim.verilator import find_verilator

GENERATOR = Path(__file__).parents[3] / "integration" / "fusesoc"
PROJECT = """\
CAPI=2:
name: example:designs:text:1.0
filesets:
  rtl:
    depend: ["runewire:generators:runewire"]
  tb:
    files: [bench.sv]
    file_type: systemVerilogSource
generate:
  decoder:
    generator: runewire
    parameters: {parameters}
targets:
  lint:
    flow: lint
    flow_options: {{tool: verilator}}
    filesets: [rtl]
    generate: [decoder]
    toplevel: runewire_decoder_x2
  sim:
    flow: sim
    flow_options: {{tool: icarus}}
    filesets: [rtl, tb]
    generate: [decoder]
    toplevel: bench
"""
BENCH = """\
module bench;
    reg aclk = 0, aresetn = 0, sent = 0;
    wire ready;
    wire [63:0] data;
    wire valid;
    always #5 aclk = ~aclk;
    // U+00E9 in UTF-8: one beat, one scalar.
    runewire_decoder_x2 core (.aclk(aclk), .aresetn(aresetn), .s_axis_tdata(16'hA9C3), .s_axis_tkeep(2'b11),
        .s_axis_tvalid(aresetn && !sent), .s_axis_tready(ready), .s_axis_tlast(1'b1), .m_axis_tdata(data),
        .m_axis_tvalid(valid), .m_axis_tready(1'b1));
    always @(posedge aclk) begin
        aresetn <= 1;
        if (aresetn && ready) sent <= 1;
        if (valid) begin
            $display("scalar %h", data[31:0]);
            $finish;
        end
    end
endmodule
"""


@pytest.fixture
def fusesoc(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs FuseSoC in a folder of its own, where programs are this Python and its Verilator."""
    tool = find_verilator()
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, command in {"verilator": f"VERILATOR_ROOT='{tool.root}' exec '{tool.program}'",
                          "python3": f"exec '{sys.executable}'"}.items():
        (programs / name).write_text(f'#!/bin/sh\n{command} "$@"\n')
        (programs / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "XDG_CACHE_HOME": str(tmp_path),
                   "XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-W", "ignore", "-m", "fusesoc.main", *map(str, arguments)],
                              cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return run


def succeeded(done: subprocess.CompletedProcess[str]) -> str:
    """What a run says that must end well."""
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.icarus
@pytest.mark.parametrize(("target", "said"), [("lint", ""), ("sim", "PASS: 13 packets")])
def test_the_targets_run(target: str, said: str, packaged: Callable[..., Generated],
                         fusesoc: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    made = packaged("fusesoc", core="decoder", lanes=2)
    done = fusesoc("--cores-root", made.verilog.parent, "run", f"--target={target}", made.top)
    assert said in succeeded(done)
    assert "%Warning" not in done.stdout + done.stderr
    assert "deprecated" not in done.stdout + done.stderr


@pytest.mark.slow
def test_lint_finds_what_is_wrong(packaged: Callable[..., Generated], tmp_path: Path,
                                  fusesoc: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    made = packaged("fusesoc", core="decoder", lanes=2)
    shutil.copytree(made.verilog.parent, tmp_path / "cores")
    broken = tmp_path / "cores" / made.verilog.name
    broken.write_text(broken.read_text().replace("output wire [63:0] m_axis_tdata", "output wire [62:0] m_axis_tdata"))
    assert fusesoc("--cores-root", tmp_path / "cores", "run", "--target=lint", made.top).returncode != 0


@pytest.mark.icarus
@pytest.mark.parametrize(("target", "said"), [
    pytest.param("lint", "", marks=pytest.mark.slow), ("sim", "scalar 000000e9")])
def test_another_project_generates_a_core(target: str, said: str, tmp_path: Path,
                                          fusesoc: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "text.core").write_text(PROJECT.format(parameters="{core: decoder, lanes: 2}"))
    (project / "bench.sv").write_text(BENCH)
    done = fusesoc("--cores-root", GENERATOR, "--cores-root", project, "run", f"--target={target}", "text")
    assert said in succeeded(done)


@pytest.mark.parametrize(("parameters", "message"), [
    ("{core: decoder, lanes: 3}", "runewire: lanes must be a power of two from 1 to 64, got 3"),
    ("{lanes: 2}", "runewire: parameters need a core, such as {core: decoder, lanes: 8}, got lanes"),
    ("{core: decoder, width: 2}", "runewire: the decoder has no option 'width'"),
    ("{core: decoder, initial_values: maybe}", "runewire: initial_values must be one of yes, no, got 'maybe'"),
])
def test_wrong_parameters_are_told_in_a_line(parameters: str, message: str, tmp_path: Path) -> None:
    request = tmp_path / "request.yml"
    request.write_text(f'gapi: "1.0"\nfiles_root: /\nvlnv: a:b:c:0\nparameters: {parameters}\n')
    done = subprocess.run([sys.executable, GENERATOR / "generator.py", request], cwd=tmp_path, capture_output=True,
                          text=True, check=False)
    assert (done.returncode, done.stderr.count("\n"), list(tmp_path.iterdir())) == (1, 1, [request])
    assert done.stderr.startswith(message)


@pytest.mark.parametrize(("said", "initial_values"), [("yes", True), ("'yes'", True), ("no", False), ("'no'", False)])
def test_registers_have_initial_values_or_not(said: str, initial_values: bool, tmp_path: Path) -> None:
    """YAML reads a yes or no without quotes as true or false."""
    request = tmp_path / "request.yml"
    request.write_text('gapi: "1.0"\nvlnv: a:b:c:0\n'
                       f"parameters: {{core: validator, lanes: 1, pipeline: compact, initial_values: {said}}}\n")
    subprocess.run([sys.executable, GENERATOR / "generator.py", request], cwd=tmp_path, check=True)
    [description] = tmp_path.glob("*.json")
    assert json.loads(description.read_text())["initial_values"] is initial_values


@pytest.mark.slow
def test_parameters_of_every_kind(tmp_path: Path) -> None:
    request = tmp_path / "request.yml"
    options: dict[str, Any] = {"core": "validator", "lanes": 1, "records": 10, "count": ["records"], "report": "flag"}
    request.write_text(f'gapi: "1.0"\nvlnv: "a:b:c:1"\nparameters: {options}\n')
    subprocess.run([sys.executable, GENERATOR / "generator.py", request], cwd=tmp_path, check=True)
    [core] = tmp_path.glob("*.core")
    assert core.name == "runewire_validator_x1_report_flag_count_rec_records_0A.core"
    assert "\nname: a:b:c:1\n" in core.read_text()


def test_the_generator_does_not_import_fusesoc() -> None:
    assert "import fusesoc" not in (GENERATOR / "generator.py").read_text()
