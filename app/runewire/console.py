"""Consoles for standard output and error."""

import codecs
import contextlib
import io
import sys
from collections.abc import Callable, Iterator
from typing import NoReturn

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

FILE_WIDTH = 120
"""Columns of a table in a file or a pipe."""


LACKING = "runewire.lacking"
"""Name of the error handler for characters that the output's encoding lacks."""
SPELLED = {"…": "...", "–": "-", "×": "x", "·": ".", "│": "|", "◌": "", "²": "^2", "†": "+"}
"""Substitutes for characters of the command's own texts, for encodings that lack them."""


def readable_output() -> None:
    """Make standard output and error substitute characters that their encoding lacks, instead of raising.

    An error handler that the user chose, for example with ``PYTHONIOENCODING=ascii:replace``, remains.
    """
    codecs.register_error(LACKING, _spelled)
    for stream, usual in ((sys.stdout, ("strict",)), (sys.stderr, ("backslashreplace", "strict"))):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in (*usual, "surrogateescape"):
            stream.reconfigure(errors=LACKING)


def _spelled(error: UnicodeError) -> tuple[str | bytes, int]:
    """The error handler: a substitute from `SPELLED`, the undecodable byte of a file's name, or the number in hex."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    character = error.object[error.start]
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF and not error.encoding.startswith(("utf-16", "utf-32")):
        return bytes((number & 0xFF,)), error.start + 1
    code = f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
    return SPELLED.get(character, code), error.start + 1


def can_write(text: str) -> bool:
    """Whether standard output's encoding has all characters of ``text``."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


class PlainConsole(Console):
    """A console that leaves a broken pipe to the command's error handling."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError(32, "Broken pipe")


def output_console() -> PlainConsole:
    """Standard output: colours and the terminal's width on a terminal, plain lines otherwise."""
    return _console(stderr=False)


def error_console() -> PlainConsole:
    """Standard error."""
    return _console(stderr=True)


@contextlib.contextmanager
def step_progress(what: str) -> Iterator[Callable[[str], None]]:
    """Progress on a terminal: the step of ``what``, and its time so far. No output elsewhere."""
    console = error_console()
    columns = (SpinnerColumn("line"), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what)
        yield lambda step: bar.update(task, description=f"{what}: {step}")


def _console(stderr: bool) -> PlainConsole:
    terminal = (sys.stderr if stderr else sys.stdout).isatty()
    return PlainConsole(stderr=stderr, highlight=False, emoji=False, markup=False, soft_wrap=not terminal,
                        width=None if terminal else FILE_WIDTH)
