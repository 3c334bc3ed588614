"""The command under failures: interrupted, closed pipes, a full disk, random input."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from runewire.cli import main
from runewire_model import ValidatorParameters
from runewire_sim import generated, verilator


@pytest.fixture(autouse=True)
def built_before() -> None:
    """These tests do not concern the build; an optimised one is made in a subprocess."""
    verilator.build(generated(ValidatorParameters(lanes=1)), quick=False)


def running(what: str) -> list[str]:
    """The command lines of processes that mention ``what``."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if what in (command := path.read_text(errors="replace").replace("\0", " ")):
                found.append(command)
    return found


@pytest.mark.parametrize(("simulator", "name", "status"), [
    ("verilator", signal.SIGINT, 130), pytest.param("verilator", signal.SIGTERM, 143, marks=pytest.mark.slow),
    pytest.param("amaranth", signal.SIGINT, 130, marks=pytest.mark.slow),
    pytest.param("icarus", signal.SIGINT, 130, marks=[pytest.mark.icarus, pytest.mark.slow])])
def test_interrupting_leaves_nothing(name: signal.Signals, status: int, simulator: str, tmp_path: Path, spawn) -> None:
    source = tmp_path / "packets"
    source.write_text(f"{'78' * 1000}\n" * (20_000 if simulator == "verilator" else 1000))
    made = tmp_path / "made"
    made.mkdir()
    process = spawn("simulate", "validator", "--lanes", "1", "--packets", source, "--simulator", simulator,
                    "--output", made / "output", "--results", made / "results", "--waves", made / "waves.vcd")
    deadline = time.monotonic() + 60
    while not any(path.stat().st_size for path in made.rglob("results")):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(name)
    _, err = process.communicate(timeout=20)
    assert process.returncode == status
    assert b"Traceback" not in err
    assert list(made.iterdir()) == []
    assert not running(str(made))


def test_a_reader_that_goes_away(tmp_path: Path, spawn) -> None:
    """As `runewire ... | head -c 1` does."""
    source = tmp_path / "text"
    source.write_bytes(b"x" * 3_000_000)
    process = spawn("simulate", "validator", "--lanes", "1", source, "--output", "-")
    process.stdout.read(1)
    process.stdout.close()
    err = process.stderr.read()
    assert (process.wait(), err) == (141, b"")


@pytest.mark.parametrize("arguments", [
    ("explain", "abc"), ("simulate", "validator", "--lanes", "1", "/dev/null"),
    ("simulate", "validator", "--lanes", "1", __file__, "--output", "-"), ("explain", "abc", "--svg", "-")])
def test_standard_output_on_a_full_disk(arguments: tuple[str, ...], spawn) -> None:
    with open("/dev/full", "wb") as full:
        process = spawn(*arguments, stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.startswith(b"runewire: cannot write")
    assert b"No space left on device" in err
    assert err.count(b"\n") == 1


WRITERS = [
    ("generate", "validator", "--lanes", 1, "-o", "{}"),
    ("simulate", "validator", "--lanes", 1, __file__, "--results", "{}/x"),
    ("simulate", "validator", "--lanes", 1, __file__, "--output", "{}/x"),
    ("simulate", "validator", "--lanes", 1, __file__, "--simulator", "amaranth", "--waves", "{}/x.vcd"),
    ("explain", "abc", "--svg", "{}/x"),
    ("soak", "--minutes", 0.001, "--seed", 39, "--resume", "{}/x"),
]
"""Commands that write into the folder {}."""
MEASURED = [
    ("compare", __file__, "--size", "2K", "--repeat", 3, "--json", "{}/x"),
    ("compare", __file__, "--size", "2K", "--repeat", 3, "--html", "{}/x"),
    ("synth", "validator", "--lanes", 1, "--target", "xilinx-7", "--json", "{}/x"),
]
PROVEN = ("prove", "validator", "--lanes", 1, "--part", "window", "--no-mutants", "--json", "{}/x")
SWEPT = ("sweep", "--cores", "validator", "--lanes", 1, "--targets", "xilinx-7", "--beside", "", "--output", "{}/x")
"""Commands that measure first, with programs that need a disk of their own."""
EVERY = [*WRITERS, *MEASURED, SWEPT, pytest.param(PROVEN, marks=pytest.mark.needs("berkeley-abc"))]
TIGHT = """\
import resource, sys
from runewire.cli import main
from runewire_sim.soak import traffic
traffic.CYCLES, traffic.PACKETS = 6000, 400
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
sys.exit(main(sys.argv[1:]))
"""
"""The command on a disk where no file may have more than 100 bytes, for root too; rounds of a soak are short."""


def written(arguments: tuple[object, ...], folder: Path) -> list[str]:
    return [str(word).format(folder) if "{}" in str(word) else str(word) for word in arguments]


@pytest.mark.parametrize("arguments", EVERY, ids=lambda words: "-".join(map(str, (words[0], words[-2]))))
def test_a_folder_that_cannot_be_written_to(arguments: tuple[object, ...], tmp_path: Path, runewire) -> None:
    """A file has the folder's name, which stops root too."""
    (tmp_path / "file").touch()
    outcome = runewire(*written(arguments, tmp_path / "file"))
    assert outcome.status == 2
    assert outcome.err.startswith("runewire: cannot ")
    assert str(tmp_path / "file") in outcome.err
    assert outcome.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


@pytest.mark.parametrize("arguments", [
    words for words in WRITERS if "--waves" not in words
], ids=lambda words: "-".join(map(str, (words[0], words[-2]))))
def test_a_disk_that_fills_up(arguments: tuple[object, ...], tmp_path: Path) -> None:
    """One line on stderr, and no incomplete file."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-B", "-c", TIGHT, *written(arguments, tmp_path)], env=environment,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("runewire: cannot ")
    assert "File too large" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("arguments", MEASURED,
                         ids=lambda words: "-".join(map(str, (words[0], words[-2]))))
def test_a_device_that_is_full(arguments: tuple[object, ...], runewire) -> None:
    outcome = runewire(*arguments[:-1], "/dev/full")
    assert (outcome.status, outcome.err) == (2, "runewire: cannot write /dev/full: No space left on device\n")


def test_no_command_gives_the_help(runewire) -> None:
    outcome = runewire()
    assert (outcome.status, outcome.err) == (0, "")
    assert "simulate" in outcome.out


def test_no_standard_output_at_all() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([f"{sys.executable} -m runewire.cli explain a >&-"], shell=True, env=environment,
                          capture_output=True)
    assert (done.returncode, done.stderr) == (2, b"runewire: standard output is closed\n")


def test_a_cache_that_cannot_be_made(tmp_path: Path, spawn, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("RUNEWIRE_CACHE", str(tmp_path / "file" / "cache"))
    process = spawn("simulate", "validator", "--lanes", "1", "/dev/null")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert err.startswith(b"runewire: cannot use ")
    assert str(tmp_path / "file").encode() in err
    assert err.count(b"\n") == 1


WORDS = st.sampled_from([
    "generate", "simulate", "explain", "plan", "datasheet", "validator", "decoder", "encoder", "--lanes", "--errors",
    "--bom", "--packing", "--pipeline", "--packets", "--results", "--output", "-o", "--simulator", "--stall", "--seed",
    "--waves", "--svg", "--minutes", "--resume", "--json", "--part", "--timeout", "--target", "0", "1", "3", "-1",
    "1e9", "nan", "replace", "drop", "keep", "", "--", "U+41", "ff fe", "U+FFFFFFFF", "\udcff", "😀", "/dev/full",
    "/nowhere/x", "/dev/null", "amaranth"])


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(WORDS, max_size=7))
@example(words=["simulate", "validator", "/dev/null", "--lanes", "1", "--stall", "nan"])
@example(words=["explain", "U+FFFFFFFF"])
@example(words=["explain", "generate", "\udcff"])  # a message with a byte that is no character, to a strict stream
def test_any_words_give_at_most_one_line_and_no_traceback(words: list[str], tmp_path: Path,
                                                          capsysbinary: pytest.CaptureFixture[bytes],
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    handler = signal.getsignal(signal.SIGTERM)
    try:
        status = main(words)
    finally:
        signal.signal(signal.SIGTERM, handler)
    captured = capsysbinary.readouterr()
    assert status in (0, 2)
    if status == 2 and words:
        assert captured.err.startswith(b"runewire: ")
        assert captured.err.count(b"\n") == 1


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=60) | st.text("0123456789abcdefABCDEF \n\r", max_size=60).map(str.encode))
def test_any_packet_file_is_read_or_refused_in_one_line(content: bytes, tmp_path: Path, runewire) -> None:
    packets, results = tmp_path / "packets", tmp_path / "results"
    packets.write_bytes(content)
    results.unlink(missing_ok=True)
    outcome = runewire("simulate", "validator", "--lanes", 1, "--packets", packets, "--results", results)
    if outcome.status == 0:
        count = content.count(b"\n") + (not content.endswith(b"\n") and content != b"")
        assert len(results.read_text().splitlines()) == count
    else:
        assert outcome.status == 2
        assert outcome.err.count("\n") == 1
        assert not results.exists()
