"""``runewire release``, for a datasheet with three small cores."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from runewire import release
from runewire.cli import main
from runewire_benchmark import datasheet
from runewire_model import DecoderParameters, TranscoderParameters, __version__, parameters
from runewire_model.core_options import core_parameters
from runewire_model.errors import OCTETS
from runewire_model.transcoder import CORES as NAMED
from runewire_model.transcoder import TRANSCODER, widths
from runewire_rtl import generate, yowasp
from runewire_rtl.packages import PACKAGES
from runewire_sim.verilator import find_verilator

ROOT = Path(__file__).parents[2]
CORES = {"runewire_validator_x1", "runewire_decoder_x1", "runewire_validator_x2_and_report_port_records_0A_user1"}


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a datasheet, of the project's own rows for small cores, one with options added."""
    folder = tmp_path_factory.mktemp("datasheet")
    own = Path(str(datasheet.folder()))
    names = ("validator-x1-ecp5-85k-8-distributed", "validator-x1-ice40-hx8k-hx",
             "decoder-x1-dense-ecp5-85k-8-distributed")
    for name in names:
        (folder / f"{name}.json").write_text((own / f"{name}.json").read_text())
    plain = json.loads((own / "validator-x2-ecp5-85k-8-distributed.json").read_text())
    marked = plain | {"records": 10, "report_port": "beside", "user": 1}
    (folder / "marked.json").write_text(json.dumps(marked))
    return folder


@pytest.fixture(scope="module")
def made(sheet: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of that datasheet."""
    folder = tmp_path_factory.mktemp("made") / "release"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUNEWIRE_CACHE", str(tmp_path_factory.mktemp("cache")))
        return released(folder, sheet)


def released(folder: Path, sheet: Path) -> Path:
    handler = signal.getsignal(signal.SIGTERM)
    assert main(["release", "-o", str(folder), "--datasheet", str(sheet)]) == 0
    signal.signal(signal.SIGTERM, handler)
    return folder


def test_each_core_has_a_folder_with_all_packages_and_is_on_the_page(made: Path) -> None:
    assert {path.name for path in made.iterdir()} == {*CORES, "LICENSE", "README.md", "SHA256SUMS"}
    entry = made / "runewire_decoder_x1"
    names = {path.name for path in entry.iterdir()}
    assert {"runewire_decoder_x1.v", "runewire_decoder_x1.json", "runewire_decoder_x1.veo"} < names
    assert {name for package in PACKAGES.values() for name in package.files(DecoderParameters(1))} < names
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


def test_the_licence_is_the_project_s(made: Path) -> None:
    assert (made / "LICENSE").read_bytes() == (Path(__file__).parents[2] / "LICENSE").read_bytes()
    assert "[LICENSE](LICENSE)" in (made / "README.md").read_text()


def test_checksums_are_of_all_files(made: Path) -> None:
    sums = dict(reversed(line.split("  ")) for line in (made / "SHA256SUMS").read_text().splitlines())
    files = {path.relative_to(made).as_posix(): path for path in made.rglob("*") if path.is_file()}
    assert sums == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()
                    if name != "SHA256SUMS"}


@pytest.mark.slow
def test_the_same_bytes_again(made: Path, sheet: Path, tmp_path: Path) -> None:
    """In another process, folder, locale and time zone, with other hash seeds and umask, and an empty cache."""
    (tmp_path / "again").mkdir()
    surroundings = {"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Kathmandu",
                    "RUNEWIRE_CACHE": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-m", "runewire.cli", "release", "-o", "again", "--datasheet", sheet],
                          cwd=tmp_path, env={**os.environ, **surroundings}, umask=0o077, capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "again/README.md\n", "")
    assert (tmp_path / "again" / "SHA256SUMS").read_bytes() == (made / "SHA256SUMS").read_bytes()


def shown() -> list[str]:
    """The commands of all pages that generate a core, without placeholders."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    found = {command for page in pages
             for command in re.findall(r"runewire generate ((?:(?!-o )[-\w,]+ ?)+)", page.read_text(encoding="utf-8"))}
    return sorted(each for each in found if not {"ENCODING", "NAME", "--from-description"} & {*each.split()})


def test_the_cores_that_pages_show_are_in_it() -> None:
    assert len(shown()) > 15
    cores = {*release.measured(datasheet.load(None)), *release.named()}
    for command in shown():
        name, *rest = command.split()
        given_words = re.findall(r"--(\S+)(?: ([^-]\S*))?", " ".join(rest))
        options = {flag.replace("-", "_"): value for flag, value in given_words}
        given = {name: int(value, 16) if name in OCTETS else int(value) if value.isdecimal() else value or True
                 for name, value in options.items() if name not in ("package", "initial_values", "from")}
        core = core_parameters(name, from_=options.get("from"), **given)
        assert core in cores, command


def test_each_named_core_is_in_it_in_each_width() -> None:
    assert {*release.named()} >= {parameters(core, lanes=lanes) for core in NAMED for lanes in widths(core)}
    assert {core.core for core in release.named()} == {*NAMED, TRANSCODER}


def test_an_archive_has_the_same_files_and_bytes(made: Path, sheet: Path, tmp_path: Path, runewire,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<title>runewire</title>")
    digests = set()
    for name, umask in (("a.zip", 0o022), ("b.zip", 0o077)):
        before = os.umask(umask)
        outcome = runewire("release", "-o", tmp_path / name, "--datasheet", sheet, "--site", tmp_path / "site")
        os.umask(before)
        assert (outcome.status, outcome.out) == (0, f"{tmp_path / name}\n")
        digests.add(hashlib.sha256((tmp_path / name).read_bytes()).hexdigest())
        (tmp_path / "site" / "index.html").touch()
    assert len(digests) == 1
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        files = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
        assert {name.partition("/")[0] for name in archive.namelist()} == {f"runewire-{__version__}"}
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    plain = {path.relative_to(made).as_posix(): path.read_bytes() for path in made.rglob("*") if path.is_file()}
    assert {*files} == {*plain, "site/index.html"}
    assert all(files[name] == content for name, content in plain.items() if name not in ("README.md", "SHA256SUMS"))
    assert b"site/index.html" in files["SHA256SUMS"]
    assert b"[site/index.html](site/index.html)" in files["README.md"]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    release.archive(made, tmp_path / "dated.zip")
    with zipfile.ZipFile(tmp_path / "dated.zip") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(2023, 11, 14, 22, 13, 20)}


def test_a_folder_without_a_page_is_no_site(sheet: Path, tmp_path: Path, runewire) -> None:
    outcome = runewire("release", "-o", tmp_path / "a.zip", "--datasheet", sheet, "--site", tmp_path)
    assert (outcome.status, outcome.err) == (2, f"runewire: --site must be a folder with an index.html, as `make site` "
                                             f"makes one, got {tmp_path}\n")
    assert list(tmp_path.iterdir()) == []


def test_cores_without_measurements_are_on_the_page_with_their_commands(sheet: Path) -> None:
    entries = datasheet.load(sheet)
    page = release.page([*release.measured(entries), release.EXAMPLE_CORE], entries, False)
    assert page.count("\n| [runewire_validator_x8](runewire_validator_x8/) | validator, 8 lanes | "
                      "`runewire generate validator --lanes 8 -o build` |\n") == 1


def test_the_example_is_the_tutorial_s() -> None:
    page = (ROOT / "docs" / "tutorials" / "first-core.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r'^```\w+ title="(.*?)"\n(.*?)^```', page, flags=re.MULTILINE | re.DOTALL))
    folder = Path(release.__file__).parent / release.EXAMPLE
    assert {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} == shown


@pytest.mark.slow
@pytest.mark.icarus
def test_the_example_runs(tmp_path: Path) -> None:
    """With Icarus; Verilator, as on the page, is slow to build, and the tutorial's test runs it."""
    shutil.copytree(Path(release.__file__).parent / release.EXAMPLE, tmp_path / "example")
    generate(release.EXAMPLE_CORE, tmp_path)
    subprocess.run(["iverilog", "-g2012", "-o", "sim", "../runewire_validator_x8.v", "text_gate.v", "bench.sv"],
                   cwd=tmp_path / "example", check=True)
    done = subprocess.run(["vvp", "-n", "sim"], cwd=tmp_path / "example", capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[:2] == ["bad packets 0, last one bad at byte 0",
                                            "bad packets 1, last one bad at byte 3"]


def lint(program: Path | str, *files: str) -> list[str]:
    """Verilator's default lint; a test bench among the files is its top."""
    benches = [Path(file).stem for file in files if file.endswith("_tb.sv")]
    # 5.006 takes no --top-module=NAME.
    return [str(program), "--lint-only", "--timing", *(word for bench in benches for word in ("--top-module", bench)),
            *files]


def readers(path: Path, verilog: Path) -> list[list[str]]:
    """How Icarus, Verilator's default lint and Yosys are asked to read a file of a release."""
    bench = path.name.endswith("_tb.sv")
    files = [verilog.name, path.name] if bench else [path.name]
    yosys = f"read_verilog -sv {'-formal ' if '_formal' in path.name else ''}{path.name}"
    icarus = ["iverilog", "-Wall", "-o", os.devnull]
    return [
        *([[*icarus, "-g2005", *files]] if path == verilog else []),
        [*icarus, "-g2012", *files],
        lint(find_verilator().program, *files),
        [*yowasp.command("yosys"), "-q", "-p",
         yosys + ("" if bench else "; hierarchy -check -auto-top")],
    ]


@pytest.mark.slow
@pytest.mark.icarus
@pytest.mark.parametrize("core", sorted(CORES))
def test_tools_read_every_file_without_python(core: str, made: Path) -> None:
    """No output, except Verilator's statistics. Yosys skips test benches, which are for simulators."""
    verilog, = (made / core).glob("*.v")
    files = sorted([verilog, *(made / core).glob("*.sv")])
    assert [path.name.removeprefix(core) for path in files] == [".v", "_formal.sv", "_tb.sv"]
    environment = {**os.environ, "VERILATOR_ROOT": str(find_verilator().root)}
    for path in files:
        for words in readers(path, verilog):
            done = subprocess.run(words, cwd=made / core, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            said = [line for line in done.stdout.splitlines() if not line.startswith("- ")]
            assert (done.returncode, said) == (0, []), words


@pytest.mark.needs("verilator")
@pytest.mark.parametrize("core", sorted(CORES))
def test_debians_verilator_reads_every_file(core: str, made: Path) -> None:
    """5.006 rejected an assertion in another one's else branch, and warned about sums of different widths."""
    for files in ([f"{core}.v"], [f"{core}_formal.sv"], [f"{core}.v", f"{core}_tb.sv"], [f"{core}_tb.sv", f"{core}.v"]):
        done = subprocess.run(lint("/usr/bin/verilator", *files), cwd=made / core, capture_output=True, text=True,
                              check=False)
        assert (done.returncode, done.stderr) == (0, ""), files


@pytest.mark.slow
@pytest.mark.icarus
def test_the_command_on_the_page_says_pass(made: Path) -> None:
    page = (made / "README.md").read_text()
    [command] = re.findall(r"^```sh\n(cd .*?)```", page, flags=re.MULTILINE | re.DOTALL)
    [checked] = re.findall(r"`(sha256sum .*?)`", page)
    assert subprocess.run(checked, shell=True, cwd=made, stdout=subprocess.DEVNULL, check=False).returncode == 0
    done = subprocess.run(f"set -e\n{command}", shell=True, cwd=made, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("PASS")


def test_a_release_goes_on_where_it_was_interrupted(sheet: Path, tmp_path: Path,
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNEWIRE_CACHE", str(tmp_path / "cache"))
    begun: list[TranscoderParameters] = []

    def short(core: TranscoderParameters, directory: Path, **_: object) -> None:
        begun.append(core)
        if len(begun) == 2:
            raise KeyboardInterrupt
        (directory / "core.v").write_text(str(core))

    monkeypatch.setattr("runewire.release.generate", short)
    entries = datasheet.load(sheet)
    cores = release.measured(entries)
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    with pytest.raises(KeyboardInterrupt):
        release.write(tmp_path / "first", cores, entries, lambda core: None)
    told: list[TranscoderParameters] = []
    release.write(tmp_path / "second", cores, entries, told.append)
    assert told == cores
    assert begun == [told[0], told[1], *told[1:]]
    assert (tmp_path / "second" / "runewire_decoder_x1" / "core.v").read_text() == "decoder, 1 lane"


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
    monkeypatch.setenv("RUNEWIRE_CACHE", str(tmp_path / "cache"))
    outcome = runewire("release", "-o", tmp_path / "release", "--datasheet", sheet)
    assert outcome.err == f"runewire: cannot write the release {tmp_path / 'release'}: No space left on device\n"
    assert list(tmp_path.iterdir()) == [tmp_path / "cache"]
