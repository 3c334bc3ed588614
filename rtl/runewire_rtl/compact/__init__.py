"""The compact form of a core: fewest registers, with a global stall."""

from .core import Compact

__all__ = ["Compact"]
