"""The generated files: identical on every run, complete, with names that say something."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from runewire_model import __version__
from runewire_rtl import (
    Generated,
    describe,
    generate,
    parameters,
    top_name,
    verilog_text,
)


@pytest.mark.parametrize("seed", ["0", "4711"])
def test_another_process_writes_the_same_bytes(tmp_path: Path, seed: str) -> None:
    """Under another hash seed and in another directory, so that neither affects the files."""
    params = parameters("decoder", lanes=2)
    first = generate(params, tmp_path / "first")
    code = ("import sys, pathlib; from runewire_rtl import generate, parameters; "
            "generate(parameters('decoder', lanes=2), pathlib.Path(sys.argv[1]))")
    path = os.pathsep.join(filter(None, sys.path))
    subprocess.run([sys.executable, "-c", code, tmp_path / "second"], check=True,
                   env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path})
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
