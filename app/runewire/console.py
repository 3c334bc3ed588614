"""Where the command prints."""

import codecs
import contextlib
import io
import sys
from collections.abc import Callable, Iterator
from typing import NoReturn

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

FILE_WIDTH = 120
"""Columns of a table that goes to a file or a pipe."""


LACKING = "runewire.lacking"
"""The name of the error handler for characters that an output's encoding lacks."""
SPELLED = {"…": "...", "–": "-", "×": "x", "·": ".", "│": "|", "◌": "", "²": "^2", "†": "+"}
"""What stands for the characters of the command's own texts in an encoding that lacks them."""


def readable_output() -> None:
    """Have standard output and error spell characters that their encoding lacks, where they would raise.

    An error handler that the user asked for, as in ``PYTHONIOENCODING=ascii:replace``, stays.
    """
    codecs.register_error(LACKING, _spelled)
    for stream, usual in ((sys.stdout, "strict"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in (usual, "surrogateescape"):
            stream.reconfigure(errors=LACKING)


def _spelled(error: UnicodeError) -> tuple[str | bytes, int]:
    """The error handler: `SPELLED`, the byte of a file's name that was no text, or the number in hex."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    character = error.object[error.start]
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF and not error.encoding.startswith(("utf-16", "utf-32")):
        return bytes((number & 0xFF,)), error.start + 1
    code = f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
    return SPELLED.get(character, code), error.start + 1


def can_write(text: str) -> bool:
    """Whether standard output's encoding has all characters of a text."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


class PlainConsole(Console):
    """A console that leaves a broken pipe to the command's own error handling."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError(32, "Broken pipe")


def output_console() -> PlainConsole:
    """Standard output: colour and the terminal's width when it is one, plain lines else."""
    return _console(stderr=False)


def error_console() -> PlainConsole:
    """Standard error."""
    return _console(stderr=True)


@contextlib.contextmanager
def step_progress(what: str) -> Iterator[Callable[[str], None]]:
    """The step of ``what`` and the time that it takes so far, on a terminal; nothing elsewhere."""
    console = error_console()
    columns = (SpinnerColumn("line"), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what)
        yield lambda step: bar.update(task, description=f"{what}: {step}")


def _console(stderr: bool) -> PlainConsole:
    terminal = (sys.stderr if stderr else sys.stdout).isatty()
    return PlainConsole(stderr=stderr, highlight=False, emoji=False, markup=False, soft_wrap=not terminal,
                        width=None if terminal else FILE_WIDTH)
