"""What can keep a simulation from running."""


class MissingToolError(Exception):
    """A program that a simulator needs is missing; the message names it and the command that installs it."""


class SimulationError(Exception):
    """A simulator could not be built or broke off; the message is one line, ``log`` what it printed."""

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log
