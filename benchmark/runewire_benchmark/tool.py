"""Command-line tools: a process that reads a text from a file and writes what it keeps to another."""

import os
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from .measure import Run, Sample

COPIES = 16
"""The text is given so many times in one file: the start of the process is then a few percent of the time."""
UTF_8 = "C.UTF-8"
"""A locale in which text is UTF-8."""


@dataclass(frozen=True)
class Tool:
    """A command that copies lines. `maker`: words in its version, as systems have others of the same name."""

    command: tuple[str, ...]
    maker: str

    @property
    def missing(self) -> str | None:
        """The remedy if the command is not there, or another's; None if it is."""
        return None if self.maker in self.version else f"install {self.maker.strip('()')}"

    @property
    def version(self) -> str:
        """The first line that it states of its version; empty without the command."""
        if shutil.which(self.command[0]) is None:
            return ""
        said = subprocess.run([self.command[0], "--version"], capture_output=True, text=True, errors="replace")
        return (said.stdout.splitlines() or [""])[0]

    def timed(self, lines: Sequence[bytes]) -> Run:
        """A process for each call, on `COPIES` of the text; its processor time is divided by their number.

        The answer is the CRC-32 of what it keeps of one copy. Raises ValueError where it keeps different things.
        """
        text = b"".join(lines) * COPIES

        def run(times: int) -> Sample:
            with tempfile.TemporaryFile(buffering=0) as given, tempfile.TemporaryFile(buffering=0) as kept:
                given.write(text)
                nanoseconds = sum(self._call(given, kept) for _ in range(times))
                output = os.pread(kept.fileno(), os.fstat(kept.fileno()).st_size, 0)
            one = output[:len(output) // COPIES]
            if one * COPIES != output:
                raise ValueError(f"{self.command[0]} does not keep the same of each copy of a text")
            return Sample(nanoseconds // COPIES, zlib.crc32(one))

        return run

    def _call(self, given: IO[bytes], kept: IO[bytes]) -> int:
        """Nanoseconds of processor time that one process takes."""
        for file in (given, kept):
            file.seek(0)
        process = subprocess.Popen(self.command, stdin=given, stdout=kept, stderr=subprocess.DEVNULL,
                                   env={**os.environ, "LC_ALL": UTF_8})
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return int(1e9 * (used.ru_utime + used.ru_stime))
