"""Netlists of device families as designs: delivered Verilog, synthesised by Yosys, in Yosys' models of the cells.

Modules of memories are empty in the Verilog and in the netlist: each is given the same in both.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from .engines import Engine
from .paired import Description

FLOWS = {
    "ecp5": ("synth_ecp5", "+/ecp5/cells_sim.v"),
    "ice40": ("synth_ice40", "+/ice40/cells_sim.v"),
    # Of GW5A, GW5AT and GW5AST.
    "gowin": ("synth_gowin -family gw5a -noiopads", "+/gowin/cells_sim.v"),
    # Without shift registers in look-up tables, whose model has no flip-flops.
    "xilinx": ("synth_xilinx -flatten -noiopad -noclkbuf -nosrl", "+/xilinx/cells_sim.v"),
}
"""Yosys' command of a family, and its models of the family's cells. No command retimes."""

_BOXED = ("read_verilog dut.v", "blackbox *_memory_*")


def rtl(verilog: str) -> Description:
    """The Verilog as it is."""
    return Description((("dut.v", verilog),), _BOXED)


def netlist_text(engine: Engine, verilog: str, family: str) -> str:
    """The netlist of a module ``dut``, as Verilog. Raises ToolError."""
    with tempfile.TemporaryDirectory(prefix="runewire-proof-") as room:
        folder = Path(room)
        (folder / "dut.v").write_text(verilog)
        engine.script(folder, [*_BOXED, f"{FLOWS[family][0]} -top dut", "delete */t:$scopeinfo", "select dut",
                               "write_verilog -noattr -selected netlist.v"], family)
        return (folder / "netlist.v").read_text()


def netlist(verilog: str, text: str, family: str) -> Description:
    """The netlist ``text`` of the Verilog, in models of its cells."""
    return Description((("dut.v", verilog), ("netlist.v", text)), (
        "read_verilog -lib dut.v", "delete dut", "read_verilog netlist.v",
        # Deferred, as only the cells that are used are worth the time.
        f"read_verilog -defer -DNO_INCLUDES {FLOWS[family][1]}"))
