"""The compact arrangement of a core: few registers, which wait together."""

from .core import Compact

__all__ = ["Compact"]
