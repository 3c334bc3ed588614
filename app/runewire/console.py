"""Where the command prints."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import NoReturn

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

FILE_WIDTH = 120
"""Columns of a table that goes to a file or a pipe."""


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
