"""Yosys: from Verilog to a netlist of a family's cells."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .targets import Family
from .tools import Tools, find

__all__ = ["Netlist", "script", "synthesise"]


@dataclass(frozen=True)
class Netlist:
    """A synthesised design: Yosys' JSON, compressed, and how many cells of each type it has."""

    json: bytes
    cells: Mapping[str, int]


def script(family: Family, top: str, *, bare: bool) -> str:
    """The Yosys script that turns ``design.v`` into ``netlist.json`` and ``cells.json``.

    All that decides the netlist stands here and in the families' ``synthesis``. ``bare`` leaves out pads.
    """
    options = f" {family.bare}" if bare and family.bare else ""
    command = f"{family.synthesis}{options} -top {top}"
    steps = [command] if not family.before_memories else [
        f"{command} -run begin:map_ram", family.before_memories, f"{command} -run map_ram:",
    ]
    return "\n".join([
        "read_verilog -DSYNTHESIS design.v",
        *steps,
        # Line numbers would make a different netlist of every change to a comment.
        "setattr -unset src */*",
        "setattr -mod -unset src *",
        "write_json netlist.json",
        "tee -q -o cells.json stat -json",
        "",
    ])


def synthesise(verilog: str, script: str, tools: Tools | None = None) -> Netlist:
    """Run ``script`` on ``verilog``. Raises ToolError."""
    with tempfile.TemporaryDirectory(prefix="runewire-synthesis-") as room:
        directory = Path(room)
        (directory / "design.v").write_text(verilog, encoding="ascii")
        (directory / "script.ys").write_text(script, encoding="ascii")
        (tools or Tools()).run(find("yosys"), ["-q", "-s", "script.ys"], directory)
        cells = json.loads((directory / "cells.json").read_text())["design"]["num_cells_by_type"]
        netlist = gzip.compress((directory / "netlist.json").read_bytes(), compresslevel=3, mtime=0)
    return Netlist(netlist, {kind: count for kind, count in cells.items() if kind != "$scopeinfo"})
