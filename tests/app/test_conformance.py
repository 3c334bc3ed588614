"""``runewire conformance``: the written kit is whole, and works without runewire."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from runewire_model.conformance import TRAPS
from runewire_rtl import parameters
from runewire_rtl.ports import ports
from runewire_sim.conformance.port_map import Core, Input, Output, Report


@pytest.fixture
def kit(tmp_path: Path, runewire) -> Path:
    outcome = runewire("conformance", "--write", tmp_path / "kit")
    assert (outcome.status, outcome.out, outcome.err) == (0, f"{tmp_path / 'kit' / 'README.md'}\n", "")
    return tmp_path / "kit"


def run(kit: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The kit's program in a Python with the standard library alone."""
    return subprocess.run([sys.executable, "-S", "-E", "-s", kit / "run.py", *map(str, arguments)], cwd=kit,
                          capture_output=True, text=True, check=False)


@pytest.mark.icarus
def test_a_stranger_s_first_command_passes(kit: Path) -> None:
    [command] = re.findall(r"^python3 run.py (.*)$", (kit / "README.md").read_text(), flags=re.MULTILINE)
    done = run(kit, command)
    assert (done.returncode, done.stderr) == (0, "")
    assert "FAIL" not in done.stdout
    assert "level verdict      pass, " in done.stdout
    assert (kit / "byte_validator_conformance" / "results.html").is_file()


def test_the_program_imports_the_standard_library_and_cocotb(kit: Path) -> None:
    for path in [*kit.rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else \
                [str(node.module)] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            for name in names:
                top = name.partition(".")[0]
                assert top in sys.stdlib_module_names or top == "conformance" \
                    or (path.stem.startswith("cocotb") and top in ("cocotb", "cocotb_tools")), (path, name)


def test_the_kit_has_a_licence_and_the_vectors_of_every_encoding(kit: Path) -> None:
    assert "CC0 1.0 Universal" in (kit / "LICENSE").read_text()
    assert {path.stem for path in (kit / "vectors").glob("*.json")} == {*TRAPS, "schema"}
    for name in TRAPS:
        assert json.loads((kit / "vectors" / f"{name}.json").read_text())["encoding"] == name
    assert not [path for path in kit.rglob("*") if path.suffix == ".pyc"]


def test_encodings_can_be_chosen(tmp_path: Path, runewire) -> None:
    assert runewire("conformance", "--write", tmp_path, "--encoding", "utf-8,utf-16be").status == 0
    assert {path.stem for path in (tmp_path / "vectors").glob("*.json")} == {"utf-8", "utf-16be", "schema"}
    outcome = runewire("conformance", "--write", tmp_path / "none", "--encoding", "utf-9")
    assert (outcome.status, outcome.err[:41]) == (2, "runewire: --encoding must be one of utf-8")
    assert not (tmp_path / "none").exists()


def test_the_same_version_writes_the_same_bytes(kit: Path, tmp_path: Path, runewire) -> None:
    runewire("conformance", "--write", tmp_path / "again")
    files = sorted(path.relative_to(kit) for path in kit.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(tmp_path / "again") for path in (tmp_path / "again").rglob("*")
                           if path.is_file())
    for name in files:
        assert (kit / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_the_readme_s_first_port_map_is_the_example(kit: Path) -> None:
    first, second = re.findall(r"```toml\n(.*?)```", (kit / "README.md").read_text(), flags=re.DOTALL)
    assert tomllib.loads(first) == tomllib.loads((kit / "examples" / "byte_validator.toml").read_text())
    decoder = parameters("decoder", lanes=8)
    said = tomllib.loads(second)
    named = {re.sub(r"\W.*", "", value.lstrip("!")) for table in said.values() for value in table.values()
             if isinstance(value, str)}
    assert {port.name for port in ports(decoder)} <= named
    assert (said["input"]["bytes"], said["output"]["bytes"]) == (decoder.input_bytes, decoder.output_bytes)


def test_the_readme_has_every_key_of_a_port_map(kit: Path) -> None:
    text = (kit / "README.md").read_text()
    for title, table in (("core", Core), ("input", Input), ("output", Output), ("report", Report)):
        section = text.partition(f"| `[{title}]` | default |")[2].partition("\n\n")[0]
        for key in table.__dataclass_fields__:
            assert re.search(rf"^\| [^|]*`{key}`", section, re.MULTILINE), (title, key)


def test_the_readme_s_vector_is_one(kit: Path) -> None:
    [shown] = re.findall(r"```json\n(.*?)```", (kit / "README.md").read_text(), flags=re.DOTALL)
    assert json.loads(shown) in json.loads((kit / "vectors" / "utf-8.json").read_text())["vectors"]
