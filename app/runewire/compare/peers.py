"""Software to compare the cores with: each peer does one job on the bytes that it receives."""

import ctypes
import platform
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

import runewire_model
from runewire_model import ENCODINGS, decode

from .measure import Run, timed
from .works import WORKS, Job


class Peer(ABC):
    """One way to do a job in software. `name`: which way. `job`: what it does with a buffer in the job's source
    encoding."""

    name: str
    job: Job
    reads: str | None = None
    """The encoding of the buffer if it is not the job's source."""
    note: str = ""
    """A caveat for the comparison with a core, as the rest of a sentence that begins with the peer's name."""

    @abstractmethod
    def available(self) -> bool:
        """Whether `run` can be called here."""

    @property
    @abstractmethod
    def version(self) -> str:
        """Name and version of the software."""

    @property
    def missing(self) -> str:
        """The remedy if `available` is false."""
        return ""

    def suits(self, *, damaged: bool, packets: bool) -> bool:
        """Whether this kind of input gives a meaningful time.

        It does not if ill-formed text makes the peer stop early: a rate would mean nothing.
        """
        return True

    @abstractmethod
    def run(self, buffer: bytes) -> int:
        """Do the job. Returns 1 or 0 (well-formed or not), or the number of target units."""

    def bind(self, packets: Sequence[bytes]) -> Callable[[], int]:
        """A call that does the job for all `packets` and returns the sum of `run`'s results.

        Preparation that a program would do earlier happens here, so the call can be timed.
        """
        run = self.run

        def call() -> int:
            total = 0
            for packet in packets:
                total += run(packet)
            return total

        return call

    def timed(self, packets: Sequence[bytes]) -> Run:
        """The call of `bind`, timed with the peer's clock."""
        return timed(self.bind(packets))


class GoldenModel(Peer):
    """This project's reference decoder, in plain Python, with replacement."""

    name = "golden model"
    job: Job = "decode"

    def available(self) -> bool:
        return True

    @property
    def version(self) -> str:
        return f"runewire {runewire_model.__version__}"

    def run(self, buffer: bytes) -> int:
        return len(decode(buffer))


class CPythonDecode(Peer):
    """`bytes.decode`, strict (well-formed text only) or with replacement."""

    job: Job = "decode"
    note = "makes a string of CPython, with one byte a character where all are Latin-1"

    def __init__(self, errors: Literal["strict", "replace"]) -> None:
        self.name = f"CPython {errors}"
        self._errors = errors

    def suits(self, *, damaged: bool, packets: bool) -> bool:
        return self._errors == "replace" or not damaged

    def available(self) -> bool:
        return True

    @property
    def version(self) -> str:
        return f"{platform.python_implementation()} {platform.python_version()}"

    def run(self, buffer: bytes) -> int:
        return len(buffer.decode("utf-8", self._errors))


class CPythonEncode(Peer):
    """`str.encode` of an existing string; well-formed text only."""

    name = "CPython encode"
    job: Job = "encode"
    note = "copies a string that is all ASCII: CPython has one byte a character there"

    def suits(self, *, damaged: bool, packets: bool) -> bool:
        return not damaged

    def available(self) -> bool:
        return True

    @property
    def version(self) -> str:
        return f"{platform.python_implementation()} {platform.python_version()}"

    def run(self, buffer: bytes) -> int:
        return self.bind([buffer])()

    def bind(self, packets: Sequence[bytes]) -> Callable[[], int]:
        strings = [packet.decode(WORKS[self.job].source) for packet in packets]

        def call() -> int:
            total = 0
            for string in strings:
                total += len(string.encode())
            return total

        return call


class CPythonCodecs(Peer):
    """`bytes.decode` and, where the job has a target, `str.encode`, strict (well-formed text only) or with replacement.
    """

    def __init__(self, job: Job, errors: Literal["strict", "replace"] = "strict") -> None:
        self.name = f"CPython {job}"
        self.job = job
        self._errors = errors
        self._work = WORKS[job]

    def suits(self, *, damaged: bool, packets: bool) -> bool:
        return self._errors == "replace" or not damaged

    def available(self) -> bool:
        return True

    @property
    def version(self) -> str:
        return f"{platform.python_implementation()} {platform.python_version()}"

    def run(self, buffer: bytes) -> int:
        work = self._work
        if work.target is None:
            try:
                buffer.decode(work.source)
            except UnicodeDecodeError:
                return 0
            return 1
        made = buffer.decode(work.source, self._errors).encode(work.target)
        return len(made) // ENCODINGS[work.target].unit_bytes


class Numpy(Peer):
    """numpy operations on complete arrays that check UTF-16 or UTF-32."""

    missing = "pip install 'runewire[compare]'"

    def __init__(self, job: Literal["check utf-16le", "check utf-32le"]) -> None:
        self.name = f"numpy {job}"
        self.job = job
        self._numpy: Any = None
        try:
            import numpy
        except ImportError:
            return
        self._numpy = numpy

    def available(self) -> bool:
        return self._numpy is not None

    def suits(self, *, damaged: bool, packets: bool) -> bool:
        return not damaged

    @property
    def version(self) -> str:
        return f"numpy {self._numpy.__version__}"

    def run(self, buffer: bytes) -> int:
        numpy = self._numpy
        size = ENCODINGS[WORKS[self.job].source].unit_bytes
        if len(buffer) % size:
            return 0
        units = numpy.frombuffer(buffer, f"<u{size}")
        if size == 4:
            return int(not numpy.any((units > 0x10FFFF) | (units - numpy.uint32(0xD800) < 0x800)))
        kinds = units & 0xFC00
        high, low = kinds == 0xD800, kinds == 0xDC00
        return int(not len(units) or bool(not high[-1] and not low[0] and numpy.array_equal(high[:-1], low[1:])))


class StringZilla(Peer):
    """stringzilla's decoding to UTF-32, with replacement; its extension module is called through ctypes.

    Its Python interface yields code points one by one, which would take far longer than the decoding.
    """

    name = "stringzilla"
    job: Job = "decode"
    missing = "pip install 'runewire[compare]'"
    MAJOR = "5"
    """The version whose `sz_utf8_decode` has these arguments."""

    def __init__(self) -> None:
        self._function: Any = None
        self._room: Any = (ctypes.c_uint32 * 1)()
        try:
            import stringzilla

            if version("stringzilla").partition(".")[0] == self.MAJOR:
                self._function = ctypes.CDLL(stringzilla.__file__).sz_utf8_decode
        except (ImportError, OSError, AttributeError):
            return
        if self._function is not None:
            self._function.restype = ctypes.c_void_p
            self._function.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t,
                                       ctypes.c_void_p]

    def available(self) -> bool:
        return self._function is not None

    @property
    def version(self) -> str:
        return f"stringzilla {version('stringzilla')}"

    def run(self, buffer: bytes) -> int:
        # It writes 64 code points at a time.
        if len(self._room) < len(buffer) + 64:
            self._room = (ctypes.c_uint32 * (len(buffer) + 64))()
        made = ctypes.c_size_t()
        end = self._function(buffer, len(buffer), self._room, len(self._room), ctypes.byref(made))
        start = ctypes.cast(ctypes.c_char_p(buffer), ctypes.c_void_p).value or 0
        # A sequence that is cut off at the end is left for the next call, and is one U+FFFD.
        return made.value + ((end or start) < start + len(buffer))


class Arrow(Peer):
    """pyarrow's cast of a binary column to strings, which checks each in C++ up to its first error. The column is built
    beforehand."""

    name = "pyarrow"
    job: Job = "validate"
    missing = "pip install 'runewire[compare]'"

    def __init__(self) -> None:
        self._arrow: Any = None
        try:
            import pyarrow
        except ImportError:
            return
        self._arrow = pyarrow

    def suits(self, *, damaged: bool, packets: bool) -> bool:
        return not damaged

    def available(self) -> bool:
        return self._arrow is not None

    @property
    def version(self) -> str:
        return f"pyarrow {self._arrow.__version__}"

    def run(self, buffer: bytes) -> int:
        return self.bind([buffer])()

    def bind(self, packets: Sequence[bytes]) -> Callable[[], int]:
        column = self._arrow.array(packets, self._arrow.binary())
        text, count = self._arrow.string(), len(packets)
        ill_formed = self._arrow.ArrowInvalid

        def call() -> int:
            try:
                column.cast(text)
            except ill_formed:
                return 0
            return count

        return call


class Polars(Peer):
    """polars' cast of a binary column to strings, which validates each with simdutf8's SIMD routines.

    The column is built beforehand. It contains all packets, and is rejected at its first ill-formed packet.
    """

    name = "polars"
    job: Job = "validate"
    missing = "pip install 'runewire[compare]'"

    def __init__(self) -> None:
        self._polars: Any = None
        try:
            import polars
        except ImportError:
            return
        self._polars = polars

    def suits(self, *, damaged: bool, packets: bool) -> bool:
        return not (damaged and packets)

    def available(self) -> bool:
        return self._polars is not None

    @property
    def version(self) -> str:
        try:
            return f"polars {version('polars')}"
        except PackageNotFoundError:
            return "polars"

    def run(self, buffer: bytes) -> int:
        return self.bind([buffer])()

    def bind(self, packets: Sequence[bytes]) -> Callable[[], int]:
        column = self._polars.Series(packets, dtype=self._polars.Binary)
        text = self._polars.String
        ill_formed = self._polars.exceptions.ComputeError
        count = len(packets)

        def call() -> int:
            try:
                column.cast(text)
            except ill_formed:
                return 0
            return count

        return call
