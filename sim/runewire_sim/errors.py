"""Errors of simulations."""

from runewire_jobs.errors import MissingToolError, ToolError

__all__ = ["MissingToolError", "SimulationError"]


class SimulationError(ToolError):
    """A simulator could not be built or failed; the message is one line, ``log`` its output."""
