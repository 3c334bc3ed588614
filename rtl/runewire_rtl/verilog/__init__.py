"""Verilog of a core: its ports, its netlist, and the text."""

from .generation import (
    TIMESCALE,
    Generated,
    axi_top,
    bit_range,
    describe,
    for_synthesis,
    generate,
    template_text,
    top_name,
    verilog_text,
)

__all__ = ["TIMESCALE", "Generated", "axi_top", "bit_range", "describe", "for_synthesis", "generate", "template_text",
           "top_name", "verilog_text"]
