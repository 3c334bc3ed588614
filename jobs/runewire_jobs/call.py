"""A function call in a subprocess that dies with its parent.

For example ``answer(perform(task(divmod, 17, 5)))`` is ``(3, 2)``. A subprocess each, because a call may change classes
(broken copies of a core) and count processor time by process.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import IO, Any

from .errors import ToolError, worker_failure
from .fingerprint import PROJECT, sources
from .process import child

MAIN = f"from {__name__} import main; main()"
POLL_SECONDS = 0.5
"""Interval at which a caller checks whether the call is still wanted."""
GRACE_SECONDS = 10.0
"""Time for an unwanted subprocess to end its own children."""


def task(function: Callable[..., Any], *given: Any) -> bytes:
    """The call ``function(*given)``, pickled. The function must be importable by name."""
    return pickle.dumps((sources(*PROJECT), pickle.dumps((function, given))))


def answer(returned: bytes) -> Any:
    """The call's result, from the bytes that `perform` returned. Raises ToolError if the call raised anything."""
    raised, result = pickle.loads(returned)
    if raised:
        raise result
    return result


def perform(asked: bytes, unwanted: Callable[[], bool] = lambda: False) -> bytes:
    """Run a `task` in a subprocess. Once ``unwanted`` returns True, end the subprocess and its children.

    Raises ToolError when the call is unwanted or the subprocess dies.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        with _process(output, errors) as process:
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
            errors.seek(0)
            lines = errors.read().decode(errors="replace").split("\n")
            why = next((line for line in reversed(lines) if line.strip()), f"status {process.returncode}")
            if process.returncode < 0:
                why = f"ended by {signal.Signals(-process.returncode).name}"
            raise ToolError(f"a worker failed: {why}")
        output.seek(0)
        return output.read()


@contextlib.contextmanager
def _process(output: IO[bytes], errors: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """The subprocess, while the block lasts."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with child([sys.executable, "-c", MAIN], environment=environment, stdin=subprocess.PIPE, stdout=output,
               stderr=errors) as process:
        try:
            yield process
        finally:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_SECONDS)


def main() -> None:
    """The subprocess: it reads the task from standard input, and ends once that is closed."""
    asked, output = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    # The function may print, and may start programs that read.
    os.dup2(null, 0)
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, _end)
    with open(asked, "rb", closefd=False) as stream:
        fingerprint, call = pickle.load(stream)
    threading.Thread(target=_watch, args=(asked,), daemon=True).start()
    with open(output, "wb") as stream:
        pickle.dump(_called(fingerprint, call), stream)


def _called(fingerprint: str, call: bytes) -> tuple[bool, Any]:
    """Whether the call raised, and the exception or the result."""
    if fingerprint != sources(*PROJECT):
        return True, ToolError(f"a worker has another runewire than this machine, or another Amaranth: it has "
                               f"{importlib.metadata.version('runewire')}, and must have the same sources")
    try:
        function, given = pickle.loads(call)
        return False, function(*given)
    except ToolError as error:
        return True, error
    except Exception as error:
        return True, worker_failure(error)


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _watch(asked: int) -> None:
    """Ends this process and its children when standard input is closed."""
    os.read(asked, 1)
    os.kill(os.getpid(), signal.SIGTERM)
