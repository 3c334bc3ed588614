"""The two benches: the examples pass, in each simulator with the same results, and streams of other shapes do."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from runewire_model import TranscoderParameters, parameters
from runewire_rtl import generate
from runewire_sim.conformance.answers import read_answers
from runewire_sim.verilator import find_verilator

Try = Callable[..., Any]

AVALON = """\
// Four bytes a beat, the first one in the highest bits of the input and the lowest of the output.
module turner #(parameter LATE = 1) (
    input clk, input [31:0] d, input [1:0] empty, input sop, input eop, input v, input enable,
    output reg [31:0] q, output reg [1:0] q_empty, output reg q_eop, output reg q_v, output reg late);
    reg busy = 0;
    always @(posedge clk) begin
        q <= {d[7:0], d[15:8], d[23:16], d[31:24]};
        {q_empty, q_eop, q_v} <= {empty, eop, v && enable && LATE == 7 && (busy || sop)};
        if (v) busy <= !eop;
    end
endmodule
"""
AVALON_MAP = """\
[core]
top = "turner"
sources = ["turner.v"]
constants = {enable = 1}
parameters = {LATE = 7}
[input]
data = "d"
bytes = 4
order = "big"
valid = "v"
last = "eop"
first = "sop"
empty = "empty"
[output]
data = "q"
bytes = 4
valid = "q_v"
last = "q_eop"
empty = "q_empty"
errors = "pass"
"""
UNFRAMED = """\
// A decoder's automaton that knows no packets: `bad` is right once the last byte is in.
module automaton (input clk, input rst_n, input [7:0] d, input v, output bad);
    wire done_, bad_;
    reg [15:0] bytes = 0;
    byte_validator below (.clk(clk), .rst(!rst_n), .in_byte(d), .in_valid(v), .in_last(1'b0), .done(done_), .bad(bad_));
    always @(posedge clk) bytes <= !rst_n ? 0 : bytes + v;
    assign bad = bad_ && bytes != 0;
endmodule
"""
UNFRAMED_MAP = """\
[core]
top = "automaton"
sources = ["automaton.v", "byte_validator.v"]
reset = "!rst_n"
settle = 1
[input]
data = "d"
valid = "v"
[report]
error = "bad"
"""


@pytest.mark.icarus
@pytest.mark.parametrize(("name", "levels"), [("byte_validator", 1), ("byte_decoder", 3)])
def test_the_examples_pass(name: str, levels: int, example: Callable[..., Path], tried: Try, tmp_path: Path) -> None:
    run = tried(example(name))
    assert (run.status, run.failed) == (0, set()), run.said
    assert run.said.count(": pass") + run.said.count(" pass, ") == levels
    assert run.said.count("not tried: the port map has no such output") == 3 - levels
    assert "passes all" in (tmp_path / "out" / "results.html").read_text()


@pytest.fixture
def verilator(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the tests' Verilator on PATH. Compiling with optimisation would take longer than the runs."""
    tool = find_verilator()
    monkeypatch.setenv("MAKEFLAGS", "OPT_FAST=-O0")
    monkeypatch.setenv("PATH", f"{tool.root / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("VERILATOR_ROOT", str(tool.root))


@pytest.mark.slow
@pytest.mark.icarus
@pytest.mark.parametrize("simulator", ["verilator", "cocotb", "cocotb:verilator"])
@pytest.mark.parametrize("name", ["byte_validator", "byte_decoder"])
def test_simulators_and_benches_give_the_same_results(simulator: str, name: str, example: Callable[..., Path],
                                                      tried: Try, tmp_path: Path, verilator: None) -> None:
    assert tried(example(name)).status == 0
    results = tmp_path / "out" / "results.txt"
    expected = read_answers(results.read_text().splitlines(), 3)
    assert tried(tmp_path / f"{name}.toml", "--sim", simulator).status == 0
    assert read_answers(results.read_text().splitlines(), 3) == expected


@pytest.mark.slow
@pytest.mark.needs("ghdl")
@pytest.mark.parametrize(("changes", "trap"), [({}, None), ({'high <= x"9F"': "null"}, "surrogates")])
def test_a_core_in_vhdl_is_simulated_by_cocotb_and_ghdl(changes: dict[str, str], trap: str | None,
                                                        example: Callable[..., Path], tried: Try) -> None:
    """cocotb starts GHDL in the folder of the test: there it found no core."""
    run = tried(example("vhdl_validator", changes), "--sim", "cocotb:ghdl")
    assert run.status == int(trap is not None), run.said
    assert trap is None or trap in run.failed


@pytest.mark.slow
@pytest.mark.needs("ghdl")
def test_vhdl_that_does_not_compile_is_one_line(example: Callable[..., Path], tried: Try) -> None:
    run = tried(example("vhdl_validator", {"entity vhdl_validator is": "entity other is"}), "--sim", "cocotb:ghdl")
    assert run.status == 2
    assert "vhdl_validator" in run.said
    assert run.said.count("\n") == 1


@pytest.mark.icarus
@pytest.mark.parametrize("simulator", ["icarus", pytest.param("cocotb", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("change", "failed"), [
    ({}, False), ({'order = "big"\n': ""}, True), ({"LATE = 7": "LATE = 1"}, True),
    ({"enable = 1": "enable = 0"}, True), ({'empty = "q_empty"\n': ""}, True), ({'first = "sop"\n': ""}, True)])
def test_a_stream_as_avalon_has_it(simulator: str, change: dict[str, str], failed: bool, tried: Try,
                                   tmp_path: Path) -> None:
    text = AVALON_MAP.replace('sources = ["turner.v"]', 'sources = ["turner.v"]\npatience = 20')
    for old, new in change.items():
        text = text.replace(old, new)
    (tmp_path / "turner.v").write_text(AVALON)
    (tmp_path / "turner.toml").write_text(text)
    run = tried(tmp_path / "turner.toml", "--sim", simulator)
    assert run.status == int(failed), run.said
    assert ("row-ends" in run.failed) == failed


@pytest.mark.icarus
@pytest.mark.parametrize("simulator", ["icarus", pytest.param("cocotb", marks=pytest.mark.slow)])
def test_a_core_without_packets_is_reset_before_each(simulator: str, example: Callable[..., Path], tried: Try,
                                                     tmp_path: Path) -> None:
    example("byte_validator")
    (tmp_path / "automaton.v").write_text(UNFRAMED)
    (tmp_path / "automaton.toml").write_text(UNFRAMED_MAP)
    run = tried(tmp_path / "automaton.toml", "--sim", simulator)
    assert run.status == 0, run.said
    assert "back-to-back" not in run.said
    (tmp_path / "automaton.toml").write_text(UNFRAMED_MAP.replace("settle = 1", "settle = 0"))
    assert "truncated-at-end" in tried(tmp_path / "automaton.toml", "--sim", simulator).failed


@pytest.mark.icarus
def test_an_undefined_output_is_a_failure(example: Callable[..., Path], tried: Try) -> None:
    run = tried(example("byte_validator", {"bad  <= seen || wrong": "bad  <= 1'bx && seen || wrong"}))
    assert run.status == 1
    assert "got      undefined" in run.said


@pytest.mark.icarus
def test_another_simulator_s_results_are_judged(example: Callable[..., Path], tried: Try, tmp_path: Path) -> None:
    run = tried(example("byte_validator"), "--sim", "none")
    assert run.status == 0
    assert "bench.sv" in run.said
    assert not (tmp_path / "out" / "results.txt").exists()
    assert tried(tmp_path / "byte_validator.toml").status == 0
    results = tmp_path / "elsewhere.txt"
    text = (tmp_path / "out" / "results.txt").read_text()
    results.write_text(text)
    assert tried(tmp_path / "byte_validator.toml", "--results", results).status == 0
    results.write_text(text.replace(" 1 00000000", " 0 00000000", 1))
    assert tried(tmp_path / "byte_validator.toml", "--results", results).status == 1
    results.write_text(text.removesuffix("end\n"))
    run = tried(tmp_path / "byte_validator.toml", "--results", results)
    assert (run.status, run.said) == (2, "conformance: the results are not complete: the simulation ended early\n")


@pytest.mark.parametrize(("options", "environment", "message"), [
    (["--sim", "vcs"], {}, "no simulator 'vcs', there are icarus, verilator, cocotb"),
    ([], {"PATH": "/nowhere"}, "iverilog is not installed: apt-get install iverilog"),
])
def test_a_simulator_that_is_missing_is_one_line(options: list[str], environment: Mapping[str, str], message: str,
                                                 example: Callable[..., Path], tried: Try,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    run = tried(example("byte_validator"), *options)
    assert (run.status, run.said) == (2, f"conformance: {message}\n")


@pytest.mark.icarus
def test_verilog_that_does_not_compile_is_one_line(example: Callable[..., Path], tried: Try) -> None:
    run = tried(example("byte_validator", {"endmodule": "endmodul"}))
    assert run.status == 2
    assert run.said.startswith("conformance: iverilog failed: ")
    assert run.said.count("\n") == 1


def map_of(core: TranscoderParameters, top: str) -> str:
    """The port map of a core of ours."""
    output = f'encoding = "{core.writes.name}"' if core.target else f'errors = "pass"\nencoding = "{core.reads.name}"'
    return f"""\
[core]
top = "{top}"
sources = ["{top}.v"]
encoding = "{core.reads.name}"
clock = "aclk"
reset = "!aresetn"
[input]
data = "s_axis_tdata"
bytes = {core.input_bytes}
keep = "s_axis_tkeep"
valid = "s_axis_tvalid"
ready = "s_axis_tready"
last = "s_axis_tlast"
[output]
data = "m_axis_tdata"
bytes = {core.output_bytes}
{output}
keep = "m_axis_tkeep"
valid = "m_axis_tvalid"
ready = "m_axis_tready"
last = "m_axis_tlast"
[report]
error = "m_axis_tuser[0]"
kind = "m_axis_tuser[3:1]"
offset = "m_axis_tuser[35:4]"
"""


@pytest.mark.slow
@pytest.mark.icarus
@pytest.mark.parametrize(("core", "lanes", "options", "simulator"), [
    ("decoder", 1, {}, "icarus"), ("decoder", 8, {}, "icarus"), ("decoder", 64, {}, "verilator"),
    ("validator", 8, {}, "icarus"), ("decoder", 1, {"pipeline": "compact"}, "cocotb"),
    ("sanitizer", 4, {}, "icarus"), ("utf-16le to utf-8", 4, {}, "icarus"), ("utf-16be to utf-32le", 2, {}, "icarus"),
    ("utf-32le to utf-16be", 2, {}, "icarus"), ("utf-32be to utf-8", 1, {}, "icarus")])
def test_our_cores_pass_on_all_levels(core: str, lanes: int, options: dict[str, Any], simulator: str, tried: Try,
                                      tmp_path: Path, verilator: None) -> None:
    source, _, target = core.partition(" to ")
    params = TranscoderParameters(source, target, lanes=lanes) if target else parameters(core, lanes=lanes, **options)
    made = generate(params, tmp_path)
    (tmp_path / "map.toml").write_text(map_of(params, made.top))
    run = tried(tmp_path / "map.toml", "--sim", simulator, encoding=params.reads.name)
    assert (run.status, run.failed) == (0, set()), run.said
    assert run.said.count(" pass, ") == 3
