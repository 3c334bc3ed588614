"""Calls in processes of their own, here and on a cluster: what comes of them, what failed, and how they end."""

import contextlib
import hashlib
import importlib
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runewire import apart, workers
from runewire_proofs import Engine, Entry, Ledger
from runewire_rtl import parameters
from runewire_rtl.errors import MissingToolError, ToolError
from runewire_sim import generated
from runewire_sim.mutation import Asked, judged
from runewire_sim.pairs import pairs
from runewire_sim.soak import Played, play


def called(function: object, *given: object) -> object:
    """What a call in a process of its own gives."""
    return apart.answer(apart.apart(apart.task(function, *given)))  # type: ignore[arg-type]


def test_a_call_is_made_in_another_process() -> None:
    assert called(os.getpid) != os.getpid()
    assert called(divmod, 17, 5) == (3, 2)


def test_what_it_prints_is_not_its_answer(capfd: pytest.CaptureFixture[str]) -> None:
    assert called(print, "words") is None
    assert called(subprocess.call, ["cat"]) == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("function", "given", "message"), [
    (int, "x", r"a worker failed: ValueError: invalid literal for int\(\) with base 10: 'x'"),
    (os._exit, 3, r"a worker failed: status 3"),
    (os.abort, None, r"a worker failed: ended by SIGABRT"),
])
def test_how_it_failed_is_told_in_one_line(function: object, given: object, message: str) -> None:
    with pytest.raises(ToolError, match=f"^{message}$"):
        called(function, *([] if given is None else [given]))


def missing() -> None:
    raise MissingToolError("no compiler")


def test_an_error_of_a_tool_comes_back_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    raised, error = apart._done(apart.sources(), pickle.dumps((missing, ())))
    assert raised
    assert type(error) is MissingToolError
    with pytest.raises(MissingToolError, match=r"^no compiler$"):
        apart.answer(pickle.dumps((raised, error)))


def test_another_runewire_is_refused() -> None:
    with pytest.raises(ToolError, match=r"^a worker has another runewire than this machine, or another Amaranth: "):
        apart.answer(apart.apart(pickle.dumps(("another", b""))))


def alive(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError, FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


SLEEPER = """\
from pathlib import Path
from runewire_sim.processes import child

def sleep(file):
    with child(["sleep", "1000"]) as process:
        Path(file).write_text(f"{process.pid}\\n")
        process.wait()
"""
"""A module with a function that starts a program in a session of its own, says its number, and waits for it."""


@pytest.fixture
def sleep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    (tmp_path / "sleeping.py").write_text(SLEEPER)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("sleeping").sleep
    del sys.modules["sleeping"]


def number(file: Path) -> int:
    """The number that is written there, which may take a while."""
    deadline = time.monotonic() + 60
    while not file.exists() or not file.read_text().endswith("\n"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return int(file.read_text())


def gone(pid: int) -> bool:
    """Whether a process ends soon."""
    deadline = time.monotonic() + 20
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pid)


def test_at_the_end_all_that_calls_have_started_is_ended(sleep: Callable[[str], None], tmp_path: Path) -> None:
    files = [tmp_path / name for name in "abc"]
    with workers.workers(2, None) as found:
        assert found is not None
        assert found.places() == 2
        calls = [found.submit(sleep, str(file)) for file in files]
        pids = [number(file) for file in files[:2]]
        assert all(map(alive, pids))
    assert all(map(gone, pids))
    assert calls[2].cancelled()
    assert not files[2].exists()
    with pytest.raises(ToolError, match=r"^the work was ended$"):
        workers.result(calls[0])


def entries_without_times(file: Path) -> list[Entry]:
    """The entries of a record of proofs of which no part has mutants, with no engine's time."""
    entries = Ledger.of(file.read_text()).entries.values()
    return [replace(entry, sound=replace(entry.sound, seconds=0)) for entry in entries]


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
def test_a_cluster_does_what_this_process_does(
    runewire: Callable[..., Any], two_workers: str, tmp_path: Path,
) -> None:
    command = ("prove", "validator", "--lanes", 1, "--pipeline", "compact", "--part", "skid", "--no-mutants", "--json")
    asked = Asked.of(parameters("validator", lanes=1, pipeline="compact", report="flag"), 3, 1, Engine.find(), 20)
    files = [tmp_path / "here.json", tmp_path / "there.json"]
    for file, where in zip(files, ((), ("--scheduler", two_workers)), strict=True):
        outcome = runewire(*command, file, *where)
        assert (outcome.status, outcome.err) == (0, "")
    here, there = (entries_without_times(file) for file in files)
    assert here == there
    assert [entry.sound.verdict for entry in here] == ["proven"]
    with workers.workers(1, two_workers) as found:
        assert found is not None
        assert workers.result(found.submit(judged, asked, [1, 3])) == judged(asked, [1, 3])


def test_a_cluster_tells_what_failed_and_ends_what_nobody_waits_for(
    sleep: Callable[[str], None], two_workers: str, tmp_path: Path,
) -> None:
    design = generated(pairs()[0])
    verilog = hashlib.sha256(design.verilog.read_bytes()).hexdigest()[:16]
    with workers.workers(1, two_workers) as found:
        assert found is not None
        assert found.places() == 2
        with pytest.raises(ToolError, match=r"^a worker failed: ValueError: invalid literal"):
            workers.result(found.submit(int, "x"))
        passed = workers.result(found.submit(play, 0, 0, True, {design.top: verilog}))
        assert passed == Played(0, design.top, verilog)
        found.submit(sleep, str(tmp_path / "a"))
        pid = number(tmp_path / "a")
        assert alive(pid)
    assert gone(pid)


@pytest.mark.parametrize("command", [
    ("soak",), ("prove", "validator", "--lanes", 1), ("mutate", "validator", "--lanes", 1)])
def test_a_scheduler_that_does_not_answer_is_one_line(
    runewire: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, command: tuple[object, ...],
) -> None:
    monkeypatch.setattr("runewire.clusters.CONNECT_SECONDS", 0.5)
    monkeypatch.setattr(Engine, "find", lambda: Engine([], "", ""))
    outcome = runewire(*command, "--scheduler", "tcp://127.0.0.1:1")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith("runewire: no Dask scheduler answers at tcp://127.0.0.1:1: ")


def test_a_call_ends_with_the_process_that_asked_for_it(sleep: Callable[[str], None], tmp_path: Path) -> None:
    task = apart.task(sleep, str(tmp_path / "a"))
    asks = f"from runewire.apart import apart; apart({task!r})"
    asking = subprocess.Popen([sys.executable, "-c", asks], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    try:
        pid = number(tmp_path / "a")
        assert alive(pid)
    finally:
        asking.kill()
        asking.wait()
    assert gone(pid)


def test_what_workers_say_that_cannot_work() -> None:
    lost, broken = Future[bytes](), Future[bytes]()
    lost.cancel()
    broken.set_exception(ModuleNotFoundError("No module named 'runewire'\nand more"))
    with pytest.raises(ToolError, match=r"^the cluster was lost; what was done is kept, run the same again$"):
        workers.result(lost)
    with pytest.raises(ToolError, match=r"^a worker failed: ModuleNotFoundError: No module named 'runewire'$"):
        workers.result(broken)


def test_one_job_is_this_process() -> None:
    with workers.workers(1, None) as found:
        assert found is None
