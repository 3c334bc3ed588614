"""Errors of the external programs that the project calls."""


class ToolError(Exception):
    """A program failed. The message is one line; ``log`` is the program's output."""

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log


class MissingToolError(ToolError):
    """A program is not installed; the message names it and the command that installs it."""
