"""Native simdutf: the user's libsimdutf, driven by a small C++ program."""

import ctypes.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from .measure import Sample
from .worker import Worker

REMEDY = "install libsimdutf, or name it in RUNEWIRE_SIMDUTF"
PLACES = 4
"""Packet lists that the program keeps, so that a long text is sent only once: one list per encoding."""
_COMPILERS = ("g++", "clang++", "c++")


def find_simdutf() -> str | None:
    """The user's libsimdutf: the file named by RUNEWIRE_SIMDUTF, or the one that the system's loader finds."""
    named = os.environ.get("RUNEWIRE_SIMDUTF")
    return named or ctypes.util.find_library("simdutf")


def find_compiler() -> str | None:
    """The first C++ compiler on PATH."""
    return next((found for name in _COMPILERS if (found := shutil.which(name))), None)


class Simdutf:
    """The program ``native.cpp`` with the library at ``path``, compiled and started at its first use.

    ``missing``: what prevents it: no library, no compiler, or a library that does not load. The process ends with this
    object.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._worker: Worker | None = None
        self._missing: str | None = REMEDY if path is None else None
        self._file = Path()
        self._jobs: list[str] = []
        self._places: list[Sequence[bytes] | None] = [None] * PLACES
        self._next = 0

    @property
    def missing(self) -> str | None:
        """The remedy if it cannot run; None if it can."""
        if self._worker is None and self._missing is None:
            self._missing = self._start()
        return self._missing

    def lacks(self, job: str) -> str | None:
        """The remedy if ``job`` cannot run; None if the library has its functions."""
        return self.missing or (None if job in self._jobs else f"{self._file} has no function for it")

    @property
    def version(self) -> str:
        """The version in the library's pkg-config file; without one the library's file name."""
        stated = self._file.parent / "pkgconfig" / "simdutf.pc"
        if stated.exists():
            for line in stated.read_text(encoding="utf-8").splitlines():
                if line.startswith("Version:"):
                    return f"simdutf {line.partition(':')[2].strip()}"
        return self._file.resolve().name

    def _start(self) -> str | None:
        assert self._path is not None
        compiler = find_compiler()
        if compiler is None:
            return "install g++: calls of libsimdutf are compiled when they are measured"
        source = resources.files(__package__) / "native.cpp"
        with tempfile.TemporaryDirectory() as folder, resources.as_file(source) as file:
            program = Path(folder) / "native"
            try:
                subprocess.run([compiler, "-std=c++17", "-O2", "-o", program, file, "-ldl"], check=True,
                               capture_output=True, text=True)
                # The folder is removed, the running program stays.
                worker = Worker([str(program), self._path])
            except (OSError, subprocess.CalledProcessError) as error:
                said = error.stderr if isinstance(error, subprocess.CalledProcessError) else str(error)
                return f"{compiler} does not compile the calls of libsimdutf: {(said.splitlines() or ['?'])[0]}"
        greeting = worker.greeting or {"error": f"{self._path} ends the program that loads it"}
        if "error" in greeting:
            return f"cannot load {self._path}: {greeting['error']}"
        self._worker, self._file, self._jobs = worker, Path(greeting["path"]), greeting["jobs"]
        return None

    def work(self, job: str, packets: Sequence[bytes], times: int) -> Sample:
        """Do ``job`` on all packets ``times`` times, timed by the processor time of the program.

        The answer is the sum over the packets in the last repetition. For lines it is the sum of the 1-based numbers of
        the ill-formed ones. Raises ValueError if the library lacks the job.
        """
        lacks = self.lacks(job)
        if lacks is not None:
            raise ValueError(f"no libsimdutf: {lacks}")
        assert self._worker is not None
        for place, known in enumerate(self._places):
            if known is packets:
                return self._worker.ask(f"{job}\n{times} {place}\n".encode(), [])
        place = self._next
        self._places[place], self._next = packets, (place + 1) % PLACES
        numbers = " ".join(map(str, (times, place, len(packets), *map(len, packets))))
        return self._worker.ask(f"{job}\n{numbers}\n".encode(), packets)
