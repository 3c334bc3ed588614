"""The software that the cores are compared with: each peer does one job on the bytes that it is given."""

import ctypes
import ctypes.util
import os
import platform
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import runewire_model
from runewire_model import decode

from .measure import Run, timed

Job = Literal["validate", "decode", "encode"]
JOBS: tuple[Job, ...] = ("decode", "validate", "encode")


class Peer(ABC):
    """One way to do a job in software: `name` says which, `job` what it does with a buffer of UTF-8."""

    name: str
    job: Job
    note: str = ""
    """What is to be known when this peer is set beside a core, as the rest of a sentence that begins with its name."""

    @abstractmethod
    def available(self) -> bool:
        """Whether `run` can be called here."""

    @property
    @abstractmethod
    def version(self) -> str:
        """Name and version of what does the work."""

    @property
    def missing(self) -> str:
        """What would make this peer available; of use where `available` is false."""
        return ""

    def suits(self, *, damaged: bool, packets: bool) -> bool:
        """Whether this kind of input is worth timing.

        It is not where ill-formed text makes the peer stop early: bytes a second would mean nothing.
        """
        return True

    @abstractmethod
    def run(self, buffer: bytes) -> int:
        """Do the job and return 1 or 0 (well-formed or not), or the number of code points or bytes made."""

    def bind(self, packets: Sequence[bytes]) -> Callable[[], int]:
        """A call that does the job for all `packets` and returns the sum of what `run` returns for each.

        What a program would have done beforehand is done here, so that the call can be timed.
        """
        run = self.run

        def call() -> int:
            total = 0
            for packet in packets:
                total += run(packet)
            return total

        return call

    def timed(self, packets: Sequence[bytes]) -> Run:
        """What `bind` gives, by the clock that counts for this peer."""
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
    """`str.encode`, from a string that is there already; well-formed text only."""

    name = "CPython encode"
    job: Job = "encode"

    def suits(self, *, damaged: bool, packets: bool) -> bool:
        return not damaged

    def available(self) -> bool:
        return True

    @property
    def version(self) -> str:
        return f"{platform.python_implementation()} {platform.python_version()}"

    def run(self, buffer: bytes) -> int:
        return len(buffer.decode().encode())

    def bind(self, packets: Sequence[bytes]) -> Callable[[], int]:
        strings = [packet.decode() for packet in packets]

        def call() -> int:
            total = 0
            for string in strings:
                total += len(string.encode())
            return total

        return call


class Polars(Peer):
    """polars' cast of a binary column to strings, which validates it with simdutf8's SIMD routines.

    The column is made beforehand. All packets are one column; it is rejected at its first ill-formed packet.
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


_SYMBOLS = {
    "validate": ("simdutf_validate_utf8", "_ZN7simdutf13validate_utf8EPKcm"),
    "decode": ("simdutf_convert_utf8_to_utf32", "_ZN7simdutf21convert_utf8_to_utf32EPKcmPDi"),
}
"""For each job the function of simdutf's C interface (8.0 on), and of C++ as the Itanium ABI names it."""


def find_simdutf() -> str | None:
    """A user's libsimdutf: the file that RUNEWIRE_SIMDUTF names, or what the system's loader finds."""
    named = os.environ.get("RUNEWIRE_SIMDUTF")
    return named or ctypes.util.find_library("simdutf")


class Simdutf(Peer):
    """A libsimdutf of the user's, called through ctypes, to validate or to convert to UTF-32.

    A library that cannot be loaded, or has neither the C nor the C++ function, makes the peer unavailable,
    and `missing` says why. Converting stops at the first error, so that job is for well-formed text.
    """

    def __init__(self, job: Literal["validate", "decode"], path: str | None) -> None:
        self.name = "libsimdutf" if job == "validate" else "libsimdutf UTF-32"
        self.job = job
        self._path = path
        self._function: Any = None
        self._missing = "install libsimdutf, or name it in RUNEWIRE_SIMDUTF"
        self._output: Any = (ctypes.c_uint32 * 1)()
        if path is None:
            return
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            self._missing = f"cannot load {path}: {error}"
            return
        for symbol in _SYMBOLS[job]:
            if hasattr(library, symbol):
                function = getattr(library, symbol)
                break
        else:
            self._missing = f"{path} has none of {', '.join(_SYMBOLS[job])}"
            return
        function.restype = ctypes.c_bool if job == "validate" else ctypes.c_size_t
        function.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        if job == "decode":
            function.argtypes.append(ctypes.c_void_p)
        self._function = function

    def suits(self, *, damaged: bool, packets: bool) -> bool:
        return self.job == "validate" or not damaged

    def available(self) -> bool:
        return self._function is not None

    @property
    def missing(self) -> str:
        return self._missing

    @property
    def version(self) -> str:
        # The library does not tell its version at run time; the name of its file does as a rule.
        return Path(self._path or "simdutf").resolve().name

    def inside(self, buffer: bytes) -> Callable[[int, int], bool]:
        """What validates `buffer` from one place up to another."""
        # The library takes an address, and `c_char_p` is that of the bytes object, which the call keeps alive.
        start = ctypes.cast(ctypes.c_char_p(buffer), ctypes.c_void_p).value or 0

        def check(first: int, end: int, kept: bytes = buffer) -> bool:
            return bool(self._function(ctypes.c_char_p(start + first), end - first))

        return check

    def run(self, buffer: bytes) -> int:
        if self.job == "validate":
            return int(self._function(buffer, len(buffer)))
        if len(self._output) < len(buffer):
            self._output = (ctypes.c_uint32 * len(buffer))()
        return int(self._function(buffer, len(buffer), self._output))
