"""The Verilog that users get, as a design under test."""

from __future__ import annotations

from runewire_model import TranscoderParameters
from runewire_rtl.cut_points import cut_point
from runewire_rtl.verilog import for_synthesis, top_name, verilog_text


@cut_point
def core_text(parameters: TranscoderParameters) -> str:
    """The Verilog of a core as synthesis sees it, without its lines of comment, which have the version."""
    text = for_synthesis(verilog_text(parameters))
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))


def delivered(parameters: TranscoderParameters) -> str:
    """The whole core as Verilog. Its top module is called ``dut``."""
    return core_text(parameters).replace(f"module {top_name(parameters)} (", "module dut (")
