"""Failures that end a command early, reported to the user in one line."""

from pathlib import Path


class UsageFailure(Exception):
    """An error that the user can fix: one line on stderr, exit status 2."""


class ReaderGone(Exception):
    """Standard output was closed by its reader, as after ``| head``: no message."""


def os_failure(error: OSError, doing: str, path: Path | str | None = None) -> UsageFailure:
    """An error of the operating system as a message. ``doing``: for example "cannot write". ``path``: the file."""
    name = path if path is not None else error.filename
    return UsageFailure(f"{doing}{f' {name}' if name else ''}: {error.strerror or error}")
