"""Gate-level simulation: a netlist as Verilog, and a comparison with the RTL."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path

from .designs import DesignPort, StandaloneDesign
from .synthesis import Netlist
from .tools import Tools, find


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
