"""The cores in Amaranth, and their export to Verilog."""

import importlib
from typing import TYPE_CHECKING, Any

# Import now: a function inside the module has the same name, and the name must mean the function.
from .parameters import (
    DecoderParameters,
    EncoderParameters,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
    hardware,
    parameters,
    timing,
)

if TYPE_CHECKING:
    from .transcoder import Transcoder
    from .verilog import Generated, axi_top, describe, generate, template_text, top_name, verilog_text

__all__ = [
    "DecoderParameters",
    "EncoderParameters",
    "Generated",
    "SanitizerParameters",
    "Transcoder",
    "TranscoderParameters",
    "ValidatorParameters",
    "axi_top",
    "describe",
    "generate",
    "hardware",
    "parameters",
    "template_text",
    "timing",
    "top_name",
    "verilog_text",
]

_HOME = {
    "Transcoder": "transcoder",
    "Generated": "verilog",
    "axi_top": "verilog",
    "describe": "verilog",
    "generate": "verilog",
    "template_text": "verilog",
    "top_name": "verilog",
    "verilog_text": "verilog",
}
"""The module that defines each name; a name is imported at its first use."""


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    return found
