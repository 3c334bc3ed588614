"""Callers: two kinds of calling software, in this process or in a worker, and the calls in this process.

A binding takes packets and returns the call that is timed: what a program has beforehand is done outside the call.
"""

import ctypes
import importlib
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Protocol

import runewire_model
from runewire_model import ENCODINGS

from .measure import Run, Sample, timed
from .tasks import TASKS, Job

Binding = Callable[[Sequence[bytes]], Callable[[], int]]


class Caller(Protocol):
    """How software is called: what would bring it, None if it is there, its version, and calls that are timed."""

    @property
    def missing(self) -> str | None: ...

    @property
    def version(self) -> str: ...

    def timed(self, packets: Sequence[bytes]) -> Run: ...


@dataclass(frozen=True)
class InPython:
    """A call in this process. ``package``: the package that it needs, of this major version where one is given.

    ``said``: the answer as a number, made of the call's result.
    """

    binding: Callable[[Sequence[bytes]], Callable[[], Any]]
    package: str = ""
    major: str = ""
    said: Callable[[Any], int] = int

    @property
    def missing(self) -> str | None:
        try:
            if self.package in ("", "runewire"):
                return None
            importlib.import_module(self.package)
            if not self.major or version(self.package).partition(".")[0] == self.major:
                return None
        except ImportError:
            pass
        return "pip install 'runewire[compare]'"

    @property
    def version(self) -> str:
        if self.package == "runewire":
            return f"runewire {runewire_model.__version__}"
        if self.package:
            return f"{self.package} {version(self.package)}"
        return f"{platform.python_implementation()} {platform.python_version()}"

    def timed(self, packets: Sequence[bytes]) -> Run:
        return timed(self.binding(packets), said=self.said)


class Process(Protocol):
    """A process that does jobs and times itself: `Node`, `Simdutf`."""

    @property
    def version(self) -> str: ...

    def lacks(self, job: str) -> str | None: ...

    def work(self, job: str, packets: Sequence[bytes], times: int) -> Sample: ...


@dataclass(frozen=True)
class InProcess:
    """A call in a process of its own, by the process's name of the job."""

    process: Process
    job: str

    @property
    def missing(self) -> str | None:
        return self.process.lacks(self.job)

    @property
    def version(self) -> str:
        return self.process.version

    def timed(self, packets: Sequence[bytes]) -> Run:
        return lambda times: self.process.work(self.job, packets, times)


def each(function: Callable[[bytes], int]) -> Binding:
    """Calls ``function`` for every packet and adds up."""
    def bind(packets: Sequence[bytes]) -> Callable[[], int]:
        def call() -> int:
            total = 0
            for packet in packets:
                total += function(packet)
            return total

        return call

    return bind


def codec(job: Job, errors: str = "strict") -> Binding:
    """CPython's codecs: `bytes.decode`, and `str.encode` if the task has a target."""
    task = TASKS[job]
    source, target = task.source, task.target

    def check(packet: bytes) -> int:
        try:
            packet.decode(source)
        except UnicodeDecodeError:
            return 0
        return 1

    def convert(packet: bytes) -> int:
        assert target is not None
        return len(packet.decode(source, errors).encode(target)) // ENCODINGS[target].unit_bytes

    return each(check if target is None else convert)


def encode(packets: Sequence[bytes]) -> Callable[[], int]:
    """`str.encode` of strings that are there already."""
    strings = [packet.decode("utf-32le") for packet in packets]

    def call() -> int:
        total = 0
        for string in strings:
            total += len(string.encode())
        return total

    return call


def numpy_utf16(packet: bytes) -> int:
    """Whether UTF-16LE is well-formed, by operations on the whole array."""
    import numpy

    if len(packet) % 2:
        return 0
    kinds = numpy.frombuffer(packet, "<u2") & 0xFC00
    high, low = kinds == 0xD800, kinds == 0xDC00
    return int(not len(kinds) or bool(not high[-1] and not low[0] and numpy.array_equal(high[:-1], low[1:])))


def numpy_utf32(packet: bytes) -> int:
    """Whether UTF-32LE is well-formed, by operations on the whole array."""
    import numpy

    if len(packet) % 4:
        return 0
    units = numpy.frombuffer(packet, "<u4")
    return int(not numpy.any((units > 0x10FFFF) | (units - numpy.uint32(0xD800) < 0x800)))


def stringzilla(packets: Sequence[bytes]) -> Callable[[], int]:
    """stringzilla's decoding to UTF-32 with replacement, in its extension module through ctypes.

    Its interface for Python gives the code points one by one, which would take far longer than the decoding.
    """
    import stringzilla

    function = ctypes.CDLL(stringzilla.__file__).sz_utf8_decode
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    # It writes 64 code points at a time.
    room = (ctypes.c_uint32 * (max(map(len, packets), default=0) + 64))()

    def decode(packet: bytes) -> int:
        made = ctypes.c_size_t()
        end = function(packet, len(packet), room, len(room), ctypes.byref(made))
        start = ctypes.cast(ctypes.c_char_p(packet), ctypes.c_void_p).value or 0
        # A sequence that the end cuts off is left for the next call, and is one U+FFFD.
        return made.value + ((end or start) < start + len(packet))

    return each(decode)(packets)


def _cast(column: Any, text: Any, ill_formed: type[Exception]) -> Callable[[], int]:
    """The cast of a binary column to strings, which stops at the first ill-formed packet: how many there are, or 0."""
    count = len(column)

    def call() -> int:
        try:
            column.cast(text)
        except ill_formed:
            return 0
        return count

    return call


def arrow(packets: Sequence[bytes]) -> Callable[[], int]:
    """pyarrow's cast of a binary column to strings, which checks each in C++."""
    import pyarrow

    return _cast(pyarrow.array(packets, pyarrow.binary()), pyarrow.string(), pyarrow.ArrowInvalid)


def polars(packets: Sequence[bytes]) -> Callable[[], int]:
    """polars' cast of a binary column to strings, which validates it with simdutf8's SIMD routines."""
    import polars

    return _cast(polars.Series(packets, dtype=polars.Binary), polars.String, polars.exceptions.ComputeError)
