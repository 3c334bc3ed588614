"""Package: files that are written with the Verilog, for another tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from runewire_model import TranscoderParameters


@dataclass(frozen=True)
class Package:
    """Files for another tool. ``text``: their purpose, in a few words.

    ``files``: the text of each file by its name; the files are written next to the core's Verilog. ``attributes``:
    attributes of the top module's ports in the Verilog, by port name. ``checks``: Verilog for simulation at the end of
    the top module, between ```ifndef SYNTHESIS`` and ```endif``.
    """

    text: str
    files: Callable[[TranscoderParameters], dict[str, str]]
    attributes: Callable[[TranscoderParameters], dict[str, str]] = field(default=lambda parameters: {})
    checks: Callable[[TranscoderParameters], str] = field(default=lambda parameters: "")
