"""A child process that ends with a block of code, together with all processes that it started."""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import IO

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def _signals_deferred() -> Iterator[None]:
    """Defers the signals that end this process to the block's end: no child is lost between fork and return."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[tuple[int, FrameType | None]] = []
    before = {name: signal.signal(name, lambda number, frame: caught.append((number, frame))) for name in SIGNALS}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
        for number, _ in caught:
            signal.raise_signal(number)


@contextlib.contextmanager
def child(command: Sequence[str | Path], *, directory: Path | None = None,
          environment: Mapping[str, str] | None = None, stdin: int | None = subprocess.DEVNULL,
          stdout: int | IO[bytes] = subprocess.PIPE,
          stderr: int | IO[bytes] = subprocess.STDOUT) -> Iterator[subprocess.Popen[bytes]]:
    """Run ``command`` while the block lasts; at its end kill the process and its children.

    It has its own session, so the terminal's Ctrl-C reaches only this process.
    """
    process = None
    try:
        with _signals_deferred():
            process = subprocess.Popen([str(part) for part in command], cwd=directory, env=environment, stdin=stdin,
                                       stdout=stdout, stderr=stderr, start_new_session=True)
        yield process
    finally:
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
