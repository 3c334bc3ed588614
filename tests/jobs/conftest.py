"""A call that starts a program and waits for it, to see both end."""

import contextlib
import importlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SLEEPER = """\
from pathlib import Path
from runewire_jobs.process import child

def sleep(file):
    with child(["sleep", "1000"]) as process:
        Path(file).write_text(f"{process.pid}\\n")
        process.wait()
"""
"""A module whose function starts a program in its own session, writes its process number to a file, and waits."""


@pytest.fixture
def sleep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    (tmp_path / "sleeping.py").write_text(SLEEPER)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("sleeping").sleep
    del sys.modules["sleeping"]


class Processes:
    """Looks at processes by their numbers."""

    @staticmethod
    def alive(pid: int) -> bool:
        with contextlib.suppress(ProcessLookupError, FileNotFoundError):
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        return False

    def gone(self, pid: int) -> bool:
        """Whether a process ends soon."""
        deadline = time.monotonic() + 20
        while self.alive(pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        return not self.alive(pid)

    @staticmethod
    def number(file: Path) -> int:
        """The process number in a file that may not be written yet."""
        deadline = time.monotonic() + 60
        while not file.exists() or not file.read_text().endswith("\n"):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        return int(file.read_text())


@pytest.fixture
def processes() -> Processes:
    return Processes()
