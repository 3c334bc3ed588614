"""Package: files that are written with the Verilog, for another tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from runewire_model import TranscoderParameters

__all__ = ["Package"]


@dataclass(frozen=True)
class Package:
    """A way into other people's tools. ``text``: what it is for, in a few words.

    ``files``: the text of each file by its name, beside the core's Verilog. ``attributes``: those that the top module's
    ports then have in the Verilog, by the port's name.
    """

    text: str
    files: Callable[[TranscoderParameters], dict[str, str]]
    attributes: Callable[[TranscoderParameters], dict[str, str]] = field(default=lambda parameters: {})
