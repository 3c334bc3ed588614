"""The command, called as a user would."""

import contextlib
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

import pytest
from runewire.cli import main


@dataclass(frozen=True)
class Outcome:
    """Result of a command: its exit status and output."""

    status: int
    out: str
    err: str


Command = Callable[..., Outcome]


@pytest.fixture
def runewire(capsys: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """Runs the command in this process."""
    handler = signal.getsignal(signal.SIGTERM)

    def call(*arguments: object) -> Outcome:
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    yield call
    signal.signal(signal.SIGTERM, handler)


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., Any]]:
    """Runs the command in this process with a given encoding of standard output. Returns the exit status, and the texts
    on standard output and standard error."""
    handler = signal.getsignal(signal.SIGTERM)

    def call(encoding: str, *arguments: object) -> tuple[int, str]:
        raw = io.BytesIO()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding, newline="\n"))
            patched.setattr(sys, "stderr", io.TextIOWrapper(raw, encoding, "backslashreplace", "\n"))
            status = main([str(argument) for argument in arguments])
            sys.stdout.flush()
            sys.stderr.flush()
            sys.stdout.detach()
            sys.stderr.detach()
        return status, raw.getvalue().decode(encoding)

    yield call
    signal.signal(signal.SIGTERM, handler)


@pytest.fixture
def spawn() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts the command in a subprocess, which ends with the test."""
    with contextlib.ExitStack() as stack:
        def start(*arguments: object, stdin: int = subprocess.DEVNULL,
                  stdout: int | IO[bytes] = subprocess.PIPE) -> subprocess.Popen[bytes]:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
            command = [sys.executable, "-m", "runewire.cli", *map(str, arguments)]
            process = stack.enter_context(subprocess.Popen(
                command, env=environment, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE))
            stack.callback(process.kill)
            return process

        yield start
