"""Waves for people: beside the ports, each byte and scalar of the streams under a name of its own."""

from pathlib import Path
from typing import NamedTuple

from runewire_model import TranscoderParameters

from .design import Design
from .results import TUSER_FIELDS

KINDS = {".vcd": "VCD", ".fst": "FST"}
"""The kinds of waves, by the file's extension."""
TOP = "runewire_waves"
"""The module that `annotated` puts around a core."""


def waves_kind(path: Path) -> str:
    """"VCD" or "FST"; raises ValueError for another extension."""
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise ValueError(f"waves are written as {' or '.join(KINDS)}, got {path.name!r}")
    return kind


class Field(NamedTuple):
    """``width`` bits of the port ``port`` from bit ``lsb`` on, under a name of their own."""

    name: str
    port: str
    lsb: int
    width: int


def fields(parameters: TranscoderParameters) -> list[Field]:
    """What is named: the units in and out by lane, and the parts of ``m_axis_tuser``."""
    found = []
    for side, port, octets, encoding in (
            ("in", "s_axis_tdata", parameters.input_bytes, parameters.reads),
            ("out", "m_axis_tdata", parameters.output_bytes, parameters.writes)):
        width = 8 * encoding.unit_bytes
        found += [Field(f"{side}_{encoding.unit}_{lane}", port, lane * width, width)
                  for lane in range(8 * octets // width)]
    found += [Field(f"out_{name}", "m_axis_tuser", lsb, width) for name, (lsb, width) in TUSER_FIELDS.items()]
    return found


def annotated(design: Design) -> bytes:
    """The design's Verilog with a module `TOP` added: the core, its ports, and the named parts of them."""
    widths = {
        "aclk": 1, "aresetn": 1, "s_axis_tdata": 8 * design.parameters.input_bytes,
        "s_axis_tkeep": design.parameters.input_bytes, "s_axis_tvalid": 1, "s_axis_tlast": 1, "m_axis_tready": 1,
        "s_axis_tready": 1, "m_axis_tdata": 8 * design.parameters.output_bytes,
        "m_axis_tkeep": design.parameters.output_bytes, "m_axis_tvalid": 1, "m_axis_tlast": 1, "m_axis_tuser": 36,
    }
    outputs = ("s_axis_tready", "m_axis_tdata", "m_axis_tkeep", "m_axis_tvalid", "m_axis_tlast", "m_axis_tuser")
    ports = ",\n".join(
        f"  {'output' if name in outputs else 'input'}{_range(width)} {name}" for name, width in widths.items())
    named = "".join(
        f"  wire{_range(width)} {name} = {port}[{lsb + width - 1}:{lsb}];\n"
        for name, port, lsb, width in fields(design.parameters))
    connections = ", ".join(f".{name}({name})" for name in widths)
    wrapper = (f"\nmodule {TOP} (\n{ports}\n);\n{named}"
               f"  wire in_moves = s_axis_tvalid & s_axis_tready;\n  wire out_moves = m_axis_tvalid & m_axis_tready;\n"
               f"  {design.top} core ({connections});\nendmodule\n")
    return design.verilog.read_bytes() + wrapper.encode()


def _range(width: int) -> str:
    return "" if width == 1 else f" [{width - 1}:0]"
