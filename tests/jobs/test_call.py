"""Calls in subprocesses: their results, their errors, and their end."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runewire_jobs import call
from runewire_jobs.errors import MissingToolError, ToolError
from runewire_jobs.fingerprint import PROJECT, sources


def called(function: object, *given: object) -> object:
    """The result of a call in a subprocess."""
    return call.answer(call.perform(call.task(function, *given)))  # type: ignore[arg-type]


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
    raised, error = call._called(sources(*PROJECT), pickle.dumps((missing, ())))
    assert raised
    assert type(error) is MissingToolError
    with pytest.raises(MissingToolError, match=r"^no compiler$"):
        call.answer(pickle.dumps((raised, error)))


def test_another_runewire_is_refused() -> None:
    with pytest.raises(ToolError, match=r"^a worker has another runewire than this machine, or another Amaranth: "):
        call.answer(call.perform(pickle.dumps(("another", b""))))


def test_a_call_ends_with_the_process_that_asked_for_it(
    sleep: Callable[[str], None], processes: Any, tmp_path: Path,
) -> None:
    task = call.task(sleep, str(tmp_path / "a"))
    asks = f"from runewire_jobs.call import perform; perform({task!r})"
    asking = subprocess.Popen([sys.executable, "-c", asks], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    try:
        pid = processes.number(tmp_path / "a")
        assert processes.alive(pid)
    finally:
        asking.kill()
        asking.wait()
    assert processes.gone(pid)
