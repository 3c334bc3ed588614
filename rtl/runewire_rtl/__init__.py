"""The cores in Amaranth, and their export to Verilog."""

from .decoder import Decoder
from .encoder import Encoder
from .parameters import (
    DecoderParameters,
    EncoderParameters,
    Parameters,
    ValidatorParameters,
    hardware,
    parameters,
)
from .validator import Validator
from .verilog import Generated, axi_top, describe, generate, template_text, top_name, verilog_text

__all__ = [
    "Decoder",
    "DecoderParameters",
    "Encoder",
    "EncoderParameters",
    "Generated",
    "Parameters",
    "Validator",
    "ValidatorParameters",
    "axi_top",
    "describe",
    "generate",
    "hardware",
    "parameters",
    "template_text",
    "top_name",
    "verilog_text",
]
