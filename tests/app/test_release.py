"""``runewire release``, of a datasheet with three small cores."""

import hashlib
import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from runewire import datasheet
from runewire.cli import main
from runewire_rtl import yowasp
from runewire_rtl.packages import PACKAGES
from runewire_sim.verilator import find_verilator

CORES = {"runewire_validator_x1", "runewire_decoder_x1", "runewire_validator_x2_records_0A"}


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a datasheet, of the project's own rows for small cores, one with an option added."""
    folder = tmp_path_factory.mktemp("datasheet")
    own = Path(str(datasheet.folder()))
    for name in ("validator-x1-ecp5-85k-8-block", "validator-x1-ice40-hx8k-hx", "decoder-x1-dense-ecp5-85k-8-block"):
        (folder / f"{name}.json").write_text((own / f"{name}.json").read_text())
    marked = json.loads((own / "validator-x2-ecp5-85k-8-block.json").read_text()) | {"records": 10}
    (folder / "marked.json").write_text(json.dumps(marked))
    return folder


@pytest.fixture(scope="module")
def made(sheet: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of that datasheet."""
    folder = tmp_path_factory.mktemp("made") / "release"
    handler = signal.getsignal(signal.SIGTERM)
    assert main(["release", "-o", str(folder), "--datasheet", str(sheet)]) == 0
    signal.signal(signal.SIGTERM, handler)
    return folder


def test_each_core_has_a_folder_with_all_packages_and_is_on_the_page(made: Path) -> None:
    assert {path.name for path in made.iterdir()} == {*CORES, "README.md", "SHA256SUMS"}
    entry = made / "runewire_decoder_x1"
    names = {path.name for path in entry.iterdir()}
    assert {"runewire_decoder_x1.v", "runewire_decoder_x1.json", "runewire_decoder_x1.veo"} < names
    params = next(each.parameters for each in datasheet.load() if (each.core, each.lanes) == ("decoder", 1))
    assert {name for package in PACKAGES.values() for name in package.files(params)} < names
    assert [path for path in made.parent.iterdir() if path != made] == []


def test_the_page_has_the_rows_of_the_datasheet(made: Path, sheet: Path) -> None:
    page = (made / "README.md").read_text()
    rows = re.findall(r"^\| \[(\w+)\]\((\w+)/\) \| (.*) \|$", page, flags=re.MULTILINE)
    entries = datasheet.load(sheet)
    assert len(rows) == len(entries) == 4
    for (name, folder, cells), entry in zip(rows, entries, strict=True):
        assert name == folder
        assert (made / folder).is_dir()
        assert cells.split(" | ")[0] == entry.name
        assert {str(entry.luts), str(entry.ffs), f"{entry.clock_mhz:.0f}", entry.device} < {*cells.split(" | ")}


def test_checksums_are_of_all_files(made: Path) -> None:
    sums = dict(reversed(line.split("  ")) for line in (made / "SHA256SUMS").read_text().splitlines())
    files = {path.relative_to(made).as_posix(): path for path in made.rglob("*") if path.is_file()}
    assert sums == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()
                    if name != "SHA256SUMS"}


@pytest.mark.slow
def test_the_same_bytes_again(made: Path, sheet: Path, tmp_path: Path, runewire) -> None:
    (tmp_path / "again").mkdir()
    outcome = runewire("release", "-o", tmp_path / "again", "--datasheet", sheet)
    assert (outcome.status, outcome.out, outcome.err) == (0, f"{tmp_path / 'again' / 'README.md'}\n", "")
    assert (tmp_path / "again" / "SHA256SUMS").read_bytes() == (made / "SHA256SUMS").read_bytes()


@pytest.mark.slow
@pytest.mark.icarus
def test_tools_read_every_file_without_python(made: Path) -> None:
    tool = find_verilator()
    for folder in sorted(made / name for name in CORES):
        verilog, = folder.glob("*.v")
        bench, = folder.glob("*_tb.sv")
        subprocess.run(["iverilog", "-g2012", "-o", "sim", verilog.name, bench.name], cwd=folder, check=True)
        said = subprocess.run(["vvp", "-n", "sim"], cwd=folder, capture_output=True, text=True, check=True).stdout
        assert said.startswith("PASS")
        subprocess.run([tool.program, "--lint-only", verilog], env={**os.environ, "VERILATOR_ROOT": str(tool.root)},
                       check=True)
        formal, = folder.glob("*_formal.sv")
        subprocess.run([*yowasp.command("yosys"), "-q", "-p", f"read_verilog {verilog.name}; "
                        f"read_verilog -sv -formal {formal.name}; hierarchy -check -top {verilog.stem}"],
                       cwd=folder, check=True)


def test_a_folder_that_is_not_empty(sheet: Path, tmp_path: Path, runewire) -> None:
    (tmp_path / "mine").touch()
    outcome = runewire("release", "-o", tmp_path, "--datasheet", sheet)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == f"runewire: cannot write a release to {tmp_path}: the folder is not empty\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_datasheet_without_cores(tmp_path: Path, runewire) -> None:
    (tmp_path / "sheet").mkdir()
    outcome = runewire("release", "-o", tmp_path / "release", "--datasheet", tmp_path / "sheet")
    assert (outcome.status, outcome.err) == (2, "runewire: the datasheet has no cores\n")


def test_nothing_is_left_of_a_release_that_fails(sheet: Path, tmp_path: Path, runewire: Callable[..., object],
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("runewire.release.generate", full)
    outcome = runewire("release", "-o", tmp_path / "release", "--datasheet", sheet)
    assert outcome.err == f"runewire: cannot write the release {tmp_path / 'release'}: No space left on device\n"
    assert list(tmp_path.iterdir()) == []
