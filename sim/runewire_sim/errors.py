"""What can keep a simulation from running."""

from runewire_jobs.errors import MissingToolError, ToolError

__all__ = ["MissingToolError", "SimulationError"]


class SimulationError(ToolError):
    """A simulator could not be built or broke off; the message is one line, ``log`` what it printed."""
