"""Synthesis with Yosys: from Verilog to a netlist of a family's cells."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .output_registers import use_output_registers
from .targets import DeviceFamily
from .tools import Tools, find

MODES = ("WRITEMODE_A", "WRITEMODE_B")
"""Parameters of a cell that decide its clock limit."""


@dataclass(frozen=True)
class Netlist:
    """A synthesised design: Yosys' JSON, compressed with gzip, and the number of its cells of each `cell_kind`.

    ``core``: cells of the core alone, if the design has registers around it.
    """

    json: bytes
    cells: Mapping[str, int]
    core: Mapping[str, int] | None = None


def script(family: DeviceFamily, top: str, *, bare: bool, memory: str, compact: bool = False) -> str:
    """The Yosys script from ``design.v`` to ``netlist.json``.

    ``bare`` leaves out pads, ``compact`` all steps that cost area for more clock; ``memory`` is one of the family's
    ``memories``. The netlist depends on this script, the family's data and `output_registers` alone.
    """
    options = [family.bare] * bare + [family.for_area] * compact
    command = " ".join([family.synthesis, *filter(None, options), "-top", top])
    steps: list[str] = []
    since = "begin"
    before = {**family.memories[memory], **({} if compact else family.before_for_clock), **family.before}
    for step, what in before.items():
        steps += [f"{command} -run {since}:{step}", what]
        since = step
    if compact and family.mapping_for_area:
        steps += [f"{command} -run {since}:map_luts", family.mapping_for_area]
        since = "map_cells"
    return _whole(*steps, f"{command} -run {since}:")


def plain_script(family: DeviceFamily, top: str, *, bare: bool) -> str:
    """The Yosys script of the plain flow: the family's command alone; ``bare`` leaves out pads."""
    return _whole(" ".join([family.synthesis, *([family.bare] if bare and family.bare else []), "-top", top]))


def _whole(*steps: str) -> str:
    return "\n".join([
        "read_verilog -DSYNTHESIS design.v",
        *steps,
        # With line numbers every change to a comment would change the netlist.
        "setattr -unset src */*",
        "setattr -mod -unset src *",
        "write_json netlist.json",
        "",
    ])


def cell_kind(cell: Mapping[str, Any]) -> str:
    """The type of a cell, and its parameters that decide its clock limit.

    The form is Project Trellis': ``DP16KD:WRITEMODE_A=NORMAL,WRITEMODE_B=NORMAL``.
    """
    modes = [f"{name}={cell['parameters'][name]}" for name in MODES if name in cell.get("parameters", {})]
    return ":".join([str(cell["type"]), *([",".join(modes)] if modes else [])])


def synthesise(verilog: str, script: str, tools: Tools | None = None, *, plain: bool = False) -> Netlist:
    """Run ``script`` on ``verilog``, then use the output registers of block RAM unless the flow is ``plain``.

    Raises ToolError.
    """
    with tempfile.TemporaryDirectory(prefix="runewire-synthesis-") as room:
        directory = Path(room)
        (directory / "design.v").write_text(verilog, encoding="ascii")
        (directory / "script.ys").write_text(script, encoding="ascii")
        (tools or Tools()).run(find("yosys"), ["-q", "-s", "script.ys"], directory)
        netlist = json.loads((directory / "netlist.json").read_text())
    if not plain:
        use_output_registers(netlist)
    # Cells of the family's library are modules too.
    (top,) = (module for module in netlist["modules"].values() if "top" in module["attributes"])
    cells = Counter(cell_kind(cell) for cell in top["cells"].values())
    del cells["$scopeinfo"]
    return Netlist(gzip.compress(json.dumps(netlist).encode(), compresslevel=3, mtime=0), cells)
