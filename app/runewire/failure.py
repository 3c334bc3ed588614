"""What ends a command early, told to the user in one line."""

from pathlib import Path


class UsageFailure(Exception):
    """Something the user can put right: one line for stderr, exit status 2."""


class ReaderGone(Exception):
    """Nobody reads standard output any more, as after ``| head``: not worth a word."""


def os_failure(error: OSError, doing: str, path: Path | str | None = None) -> UsageFailure:
    """A failure of the operating system in words: ``doing`` as in "cannot write", and on what."""
    name = path if path is not None else error.filename
    return UsageFailure(f"{doing}{f' {name}' if name else ''}: {error.strerror or error}")
