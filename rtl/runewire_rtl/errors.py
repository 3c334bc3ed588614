"""What can go wrong with the programs that the project calls."""


class ToolError(Exception):
    """A program did not do its work; the message is one line, ``log`` what the program printed."""

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log


class MissingToolError(ToolError):
    """A program is not installed; the message names it and the command that installs it."""
