"""Where the command prints."""

import sys
from typing import NoReturn

from rich.console import Console

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


def _console(stderr: bool) -> PlainConsole:
    terminal = (sys.stderr if stderr else sys.stdout).isatty()
    return PlainConsole(stderr=stderr, highlight=False, emoji=False, markup=False, soft_wrap=not terminal,
                        width=None if terminal else FILE_WIDTH)
