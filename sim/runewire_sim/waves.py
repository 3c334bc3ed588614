"""Waves for people: the ports, and each byte and scalar of the streams under its own name."""

from pathlib import Path
from typing import NamedTuple

from runewire_model import TranscoderParameters
from runewire_rtl.ports import ports

from .design import VerilogDesign

KINDS = {".vcd": "VCD", ".fst": "FST"}
"""The kinds of waves, by the file's extension."""
TOP = "runewire_waves"
"""The module that `annotated` adds around a core."""


def waves_kind(path: Path) -> str:
    """"VCD" or "FST"; raises ValueError for another extension."""
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise ValueError(f"waves are written as {' or '.join(KINDS)}, got {path.name!r}")
    return kind


class WaveField(NamedTuple):
    """A named part of a port: ``width`` bits of ``port`` from bit ``lsb``."""

    name: str
    port: str
    lsb: int
    width: int


def fields(parameters: TranscoderParameters) -> list[WaveField]:
    """The named parts: units by lane, fields of ``m_axis_tuser``, of the report port, of the record report and of
    rejected records, record flags by lane."""
    found = []
    for side, port, octets, encoding in (
            ("in", "s_axis_tdata", parameters.input_bytes, parameters.reads),
            ("out", "m_axis_tdata", parameters.output_bytes, parameters.writes),
            ("reject", "m_rejects_tdata", parameters.output_bytes * parameters.sidebands.rejects, parameters.writes)):
        width = 8 * encoding.unit_bytes
        found += [WaveField(f"{side}_{encoding.unit}_{lane}", port, lane * width, width)
                  for lane in range(8 * octets // width)]
    sidebands = parameters.sidebands
    found += [WaveField(_out(part.name), "m_axis_tuser", part.lsb, part.width) for part in sidebands.last_beat]
    for part in sidebands.every_beat(parameters.output_bytes):
        found += [WaveField(f"out_record_{name}_{lane}", "m_axis_tuser", part.lsb + 2 * lane + bit, 1)
                  for lane in range(part.width // 2) for bit, name in enumerate(("ends", "bad"))]
    if parameters.sidebands.report_bytes:
        found += [WaveField(f"report_{part.name}", "m_report_tdata", part.lsb, part.width) for part in sidebands.told]
    found += [WaveField(f"bad_record_{part.name}", "m_records_tdata", part.lsb, part.width)
              for part in sidebands.record_beat]
    found += [WaveField(f"reject_{part.name}", "m_rejects_tuser", part.lsb, part.width)
              for part in sidebands.reject_end]
    return found


def _out(name: str) -> str:
    return f"out_error_{name}" if name in ("kind", "offset") else f"out_{name}"


def annotated(design: VerilogDesign) -> bytes:
    """The design's Verilog with a module `TOP` around the core that names the parts of its ports."""
    found = {port.name: port for port in ports(design.parameters)}
    declared = ",\n".join(f"  {port.direction}{_range(port.width)} {name}" for name, port in found.items())
    named = "".join(
        f"  wire{_range(width)} {name} = {port}{'' if found[port].width == width else f'[{lsb + width - 1}:{lsb}]'};\n"
        for name, port, lsb, width in fields(design.parameters))
    connections = ", ".join(f".{name}({name})" for name in found)
    wrapper = (f"\nmodule {TOP} (\n{declared}\n);\n{named}"
               f"  wire in_moves = s_axis_tvalid & s_axis_tready;\n  wire out_moves = m_axis_tvalid & m_axis_tready;\n"
               f"  {design.top} core ({connections});\nendmodule\n")
    return design.verilog.read_bytes() + wrapper.encode()


def _range(width: int) -> str:
    return "" if width == 1 else f" [{width - 1}:0]"
