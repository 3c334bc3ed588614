"""Input that can be read more than once, and output that appears whole or not at all."""

import contextlib
import mmap
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from runewire_jobs.files import draft_folder, replacing

from .usage_errors import ReaderGone, UsageFailure, os_failure

STANDARD = Path("-")
"""Standard input or output."""
STANDARD_OUTPUT = "standard output"


@contextlib.contextmanager
def input_bytes(path: Path) -> Iterator[memoryview]:
    """The content of a file or, for ``-``, of standard input, mapped rather than held in memory.

    Raises UsageFailure.
    """
    with contextlib.ExitStack() as stack:
        try:
            content = _mapped(path, stack)
        except OSError as error:
            raise os_failure(error, "cannot read", "standard input" if path == STANDARD else path) from error
        yield stack.enter_context(memoryview(content))


def _mapped(path: Path, stack: contextlib.ExitStack) -> mmap.mmap | bytes:
    stream: IO[bytes] = sys.stdin.buffer
    if path != STANDARD:
        stream = stack.enter_context(path.open("rb"))
    if path == STANDARD or not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        spool = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115, the stack closes it
        while block := stream.read(1 << 20):
            spool.write(block)
        spool.flush()
        stream = spool
    if os.fstat(stream.fileno()).st_size == 0:
        return b""  # an empty file cannot be mapped
    return stack.enter_context(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))


@contextlib.contextmanager
def writing(path: Path) -> Iterator[Path]:
    """A path to write to instead of ``path``; if the block succeeds, the file is moved there.

    On any exception nothing remains. A device or a pipe is written to directly. Raises UsageFailure.
    """
    if _direct(path):
        yield path
        return
    with contextlib.ExitStack() as stack:
        with _failing(path):
            draft = stack.enter_context(replacing(path))
        yield draft
        with _failing(path):
            stack.close()


def _direct(path: Path) -> bool:
    """Whether ``path`` is written to without a draft: a device or a pipe. Raises UsageFailure for a folder."""
    if path.is_dir():
        raise UsageFailure(f"cannot write {path}: it is a folder")
    return path.exists() and not path.is_file()


@contextlib.contextmanager
def _failing(name: Path | str) -> Iterator[None]:
    """Turns an OSError of the block into a UsageFailure that names the file."""
    try:
        yield
    except OSError as error:
        raise os_failure(error, "cannot write", name) from error


def check_file(path: Path) -> None:
    """Raises UsageFailure where `writing` to ``path`` would; leaves no trace. ``-`` is standard output."""
    if path != STANDARD and not _direct(path):
        with _failing(path):
            draft_folder(Path(os.path.realpath(path))).cleanup()


def check_folder(path: Path) -> None:
    """Raises UsageFailure if files could not be written into ``path``, or it could not be created."""
    nearest = next(each for each in (path, *path.absolute().parents) if os.path.lexists(each))
    if not nearest.is_dir():
        raise UsageFailure(f"cannot write to the folder {path}: {nearest} is no folder")
    try:
        tempfile.TemporaryDirectory(dir=nearest, prefix=".runewire.").cleanup()
    except OSError as error:
        raise os_failure(error, "cannot write to the folder", path) from error


@contextlib.contextmanager
def made_folder(path: Path) -> Iterator[None]:
    """Create a folder if there is none. On any exception every created folder that is empty is removed.

    Raises UsageFailure.
    """
    missing = [each for each in (path, *path.parents) if not each.exists()]
    try:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise os_failure(error, "cannot make the folder", path) from error
        yield
    except BaseException:
        for each in missing:
            with contextlib.suppress(OSError):
                each.rmdir()
        raise


class Output:
    """A binary stream that reports its failures as UsageFailure, with its name."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream = stream
        self._name = name

    def write(self, data: bytes) -> None:
        with self._failing():
            self._stream.write(data)

    def flush(self) -> None:
        with self._failing():
            self._stream.flush()

    @contextlib.contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if isinstance(error, BrokenPipeError) and self._name == STANDARD_OUTPUT:
                raise ReaderGone from error
            raise os_failure(error, "cannot write", self._name) from error


@contextlib.contextmanager
def output_stream(path: Path) -> Iterator[Output]:
    """A stream to ``path``, which appears complete or not at all as in `writing`; ``-`` is standard output."""
    if path == STANDARD:
        output = Output(sys.stdout.buffer, STANDARD_OUTPUT)
        yield output
        output.flush()
        return
    with writing(path) as draft:
        with _failing(path):
            stream = draft.open("wb")
        output = Output(stream, str(path))
        try:
            yield output
            output.flush()
        finally:
            # A failed write leaves its data in the buffer, and closing fails again; once reported is enough.
            with contextlib.suppress(OSError):
                stream.close()


def write_bytes(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``, completely or not at all; raises UsageFailure."""
    with output_stream(path) as stream:
        stream.write(content)
