"""Gate-level netlists for nextpnr behave as the RTL in each cycle; broken netlists are found."""

import gzip
import json
import subprocess
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from runewire_fpga import cell_models as models
from runewire_fpga import designs
from runewire_fpga.cell_models import CellLibrary, cell_models
from runewire_fpga.gate_level import side_by_side, verilog_of
from runewire_fpga.synthesis import Netlist, script, synthesise
from runewire_fpga.targets import TARGETS
from runewire_fpga.tools import Tool
from runewire_jobs.errors import ToolError
from runewire_model import TranscoderParameters
from runewire_rtl import parameters
from runewire_rtl.parameters import hardware
from runewire_sim import SimulationError, Stalls, VerilogDesign, compare
from runewire_sim.stimuli import random_packets
from runewire_sim.verilator import run

ECP5 = TARGETS["ecp5-25k"].family
CORES = {
    "compact validator, 1 lane": (parameters("validator", lanes=1, pipeline="compact"), None, "CCU2C"),
    "compact decoder, 4 lanes": (parameters("decoder", lanes=4, pipeline="compact"), None, "CCU2C"),
    "dense decoder, 8 lanes, block RAM": (parameters("decoder", lanes=8), "block", "DP16KD"),
    "validator, 8 lanes": (parameters("validator", lanes=8), None, "TRELLIS_DPR16X4"),
    "UTF-8 to UTF-16LE, 4 lanes": (hardware(TranscoderParameters("utf-8", "utf-16le", 4)), None, "TRELLIS_DPR16X4"),
}
"""Each with what its memories are made of, and a kind of cell that only such a core has."""
OTHERS = {"artix-7-100t": (models.XILINX_7, "RAM32M"), "gowin-gw5ast-138": (models.GOWIN, "RAM16SDP4")}
"""Targets of other families, with the models of their cells, and the cell of their LUT RAM."""
LAYOUTS = [("artix-7-100t", "xilinx-7"), ("gowin-gw5ast-138", "gowin-5a"),
           pytest.param("artix-7-100t", "ecp5", marks=pytest.mark.records),
           pytest.param("gowin-gw5ast-138", "ecp5", marks=pytest.mark.records)]
"""Each of these targets with the layouts that the datasheet has on its family."""
RUNS = 9
"""Of each core, with pauses on neither side, few, and many."""
PACKETS = 150
RESETS = 4
"""Of 1 to 24 cycles, at random times in random traffic, before each run."""

Cell = dict[str, Any]


@cache
def netlist_of(core: TranscoderParameters, memory: str | None,
               family: str = "ecp5-25k") -> tuple[designs.StandaloneDesign, Netlist]:
    """A core and its netlist, made as for the datasheet."""
    design, chips = designs.core(hardware(core)), TARGETS[family].family
    commands = script(chips, design.top, bare=True, memory=chips.memory(core.pipeline, memory),
                      compact=core.pipeline == "compact")
    return design, synthesise(design.verilog, commands)


def difference(core: TranscoderParameters, rtl: designs.StandaloneDesign, netlist: Netlist, folder: Path,
               library: CellLibrary = models.ECP5, *, any_start: bool = False) -> str | None:
    """The first difference between the netlist and the RTL, or the golden model; None if there is none."""
    top, verilog = side_by_side(rtl, verilog_of(netlist, "gates") + cell_models(library, any_start=any_start),
                                "gates")
    file = folder / "side_by_side.v"
    file.write_text(verilog)
    for seed in range(RUNS):
        packets = list(random_packets(core, PACKETS, seed))
        stalls = Stalls(0.3 * (seed % 3), 0.4 * (seed % 3), seed)
        try:
            with run(VerilogDesign(core, top, file), packets, stalls, plus=(f"+resets={RESETS}",)) as results:
                report = compare(core, packets, results)
        except SimulationError as error:
            return str(error)
        if not report.agree:
            return str(report.first_difference or report.protocol_errors)
    return None


@pytest.mark.slow
@pytest.mark.parametrize(("core", "memory", "kind"), CORES.values(), ids=CORES)
def test_a_netlist_does_what_the_rtl_does_from_any_state(
        core: TranscoderParameters, memory: str | None, kind: str, without_initial_values: Callable[[str], str],
        tmp_path: Path) -> None:
    """Registers and memories of both start with independent random values; a cycle of reset has to be enough."""
    rtl, netlist = netlist_of(core, memory)
    assert netlist.cells[next(each for each in netlist.cells if each.startswith(kind))]
    unknown = designs.StandaloneDesign(rtl.top, without_initial_values(rtl.verilog), rtl.ports, rtl.latency_cycles)
    assert difference(core, unknown, netlist, tmp_path, any_start=True) is None


@pytest.mark.slow
@pytest.mark.parametrize("core", ["validator", "decoder"])
@pytest.mark.parametrize(("target", "layout"), LAYOUTS)
def test_so_does_a_netlist_for_another_family(
        target: str, layout: str, core: str, without_initial_values: Callable[[str], str], tmp_path: Path) -> None:
    wide = parameters(core, lanes=8, family=layout)
    rtl, netlist = netlist_of(wide, None, target)
    library, lut_ram = OTHERS[target]
    assert netlist.cells[lut_ram]
    unknown = designs.StandaloneDesign(rtl.top, without_initial_values(rtl.verilog), rtl.ports, rtl.latency_cycles)
    assert difference(wide, unknown, netlist, tmp_path, library, any_start=True) is None


@pytest.mark.slow
def test_output_registers_of_block_ram_are_among_what_is_compared() -> None:
    _, netlist = netlist_of(*CORES["dense decoder, 8 lanes, block RAM"][:2])
    blocks = [cell for cell in cells_of(json.loads(gzip.decompress(netlist.json)))["cells"].values()
              if cell["type"] == "DP16KD"]
    assert {cell["parameters"]["REGMODE_B"] for cell in blocks} == {"OUTREG"}


# Netlists with deliberate faults. The cell nearest to an output is broken: one that matters.


def cells_of(netlist: Any) -> Any:
    """The module with the cells, in Yosys' JSON."""
    (top,) = (each for each in netlist["modules"].values() if "top" in each["attributes"])
    return top


def packed(netlist: Any) -> Netlist:
    """The netlist that Yosys' JSON says."""
    return Netlist(gzip.compress(json.dumps(netlist).encode()), {})


def nearest(top: Any, kind: str, counts: Callable[[Cell], bool] = lambda cell: True) -> Cell:
    """The cell of that kind from which the fewest cells lead to an output."""
    drivers: dict[Any, Cell] = {}
    for cell in top["cells"].values():
        drivers |= {bit: cell for port, bits in cell["connections"].items()
                    if cell["port_directions"][port] == "output" for bit in bits}
    front = [bit for port in top["ports"].values() if port["direction"] == "output" for bit in port["bits"]]
    seen = set(front)
    for bit in front:  # grows
        if (cell := drivers.get(bit)) is not None:
            if cell["type"] == kind and counts(cell):
                return cell
            behind = [each for port, bits in cell["connections"].items() if cell["port_directions"][port] == "input"
                      for each in bits]
            front += [each for each in behind if each not in seen]
            seen.update(behind)
    raise LookupError(f"no {kind} leads to an output")


def is_driven(port: str) -> Callable[[Cell], bool]:
    """Whether a cell's port is there, and no constant."""
    return lambda cell: any(isinstance(bit, int) for bit in cell["connections"].get(port, []))


def without_output_register(top: Any) -> None:
    nearest(top, "DP16KD")["parameters"] |= {"REGMODE_A": "NOREG", "REGMODE_B": "NOREG"}


def with_registers_twice(top: Any) -> None:
    """As if the flip-flops that became the block's own were still there."""
    block = nearest(top, "DP16KD")
    free = max(bit for cell in top["cells"].values() for bits in cell["connections"].values() for bit in bits
               if isinstance(bit, int)) + 1
    like = nearest(top, "TRELLIS_FF", lambda cell: cell["parameters"]["CEMUX"].strip() == "CE")
    outputs = [port for port, bits in block["connections"].items() if port.startswith("DO") and bits]
    for number, port in enumerate(outputs):
        flip_flop = deepcopy(like)
        flip_flop["parameters"] |= {"REGSET": "RESET"}
        flip_flop["connections"] |= {"CLK": block["connections"]["CLKB"], "CE": block["connections"]["OCEB"],
                                     "LSR": ["0"], "DI": [free + number], "Q": block["connections"][port]}
        block["connections"][port] = [free + number]
        top["cells"][f"flip_flop_{number}"] = flip_flop


def always_enabled_output_register(top: Any) -> None:
    nearest(top, "DP16KD", is_driven("OCEB"))["connections"] |= {"OCEA": ["1"], "OCEB": ["1"]}


def other_row_of_a_block(top: Any) -> None:
    exchange(nearest(top, "DP16KD"), "ADB5", "ADB6")


def other_byte_of_a_block(top: Any) -> None:
    exchange(nearest(top, "DP16KD"), "DIA0", "DIA1")


def other_bit_of_a_look_up_table(top: Any) -> None:
    table = nearest(top, "LUT4", is_driven("A"))["parameters"]
    table["INIT"] = "".join(table["INIT"][:-1]) + "10"[int(table["INIT"][-1])]


def other_value_after_reset(top: Any) -> None:
    flip_flop = nearest(top, "TRELLIS_FF", is_driven("LSR"))["parameters"]
    flip_flop["REGSET"] = {"RESET": "SET", "SET": "RESET"}[flip_flop["REGSET"]]


def no_reset(top: Any) -> None:
    nearest(top, "TRELLIS_FF", is_driven("LSR"))["connections"]["LSR"] = ["0"]


def always_enabled(top: Any) -> None:
    nearest(top, "TRELLIS_FF", is_driven("CE"))["connections"]["CE"] = ["1"]


def written_otherwise(top: Any) -> None:
    nearest(top, "TRELLIS_DPR16X4")["parameters"]["WREMUX"] = "INV"


def other_row(top: Any) -> None:
    bits = nearest(top, "TRELLIS_DPR16X4")["connections"]["RAD"]
    bits[0], bits[1] = bits[1], bits[0]


def exchange(cell: Cell, one: str, other: str) -> None:
    ports = cell["connections"]
    ports[one], ports[other] = ports[other], ports[one]


COMPACT = (parameters("validator", lanes=1, pipeline="compact"), None)
SMALL = (parameters("validator", lanes=1), None)
BLOCKS = (parameters("validator", lanes=1), "block")
BREAKS: dict[str, tuple[tuple[TranscoderParameters, str | None], Callable[[Any], None]]] = {
    "a block lacks its output register": (BLOCKS, without_output_register),
    "a block has its output register twice": (BLOCKS, with_registers_twice),
    "an output register is always enabled": (BLOCKS, always_enabled_output_register),
    "two bits of a block's address are exchanged": (BLOCKS, other_row_of_a_block),
    "two bits of a block's data are exchanged": (BLOCKS, other_byte_of_a_block),
    "a bit of a look-up table is flipped": (COMPACT, other_bit_of_a_look_up_table),
    "a flip-flop is set in place of reset": (COMPACT, other_value_after_reset),
    "a flip-flop has no reset": (COMPACT, no_reset),
    "a flip-flop is always enabled": (COMPACT, always_enabled),
    "a memory of look-up tables is written when it must not": (SMALL, written_otherwise),
    "two bits of its address are exchanged": (SMALL, other_row),
}


@pytest.mark.slow
@pytest.mark.parametrize(("core", "memory"), [COMPACT, SMALL, BLOCKS], ids=["compact", "look-up tables", "blocks"])
def test_what_is_broken_below_is_sound(core: TranscoderParameters, memory: str | None, tmp_path: Path) -> None:
    """Also with the first values that a device gives its registers and memories."""
    rtl, netlist = netlist_of(core, memory)
    assert difference(core, rtl, netlist, tmp_path) is None


@pytest.mark.slow
@pytest.mark.parametrize(("core", "memory", "broken"), [(*which, broken) for which, broken in BREAKS.values()],
                         ids=BREAKS)
def test_a_broken_netlist_is_found(core: TranscoderParameters, memory: str | None, broken: Callable[[Any], None],
                                   tmp_path: Path) -> None:
    rtl, netlist = netlist_of(core, memory)
    changed = json.loads(gzip.decompress(netlist.json))
    before = deepcopy(changed)
    broken(cells_of(changed))
    assert changed != before
    assert difference(core, rtl, packed(changed), tmp_path) is not None


# The same for other families: a port of the cell nearest to an output is exchanged, or tied.


def tied(kind: str, port: str, value: str) -> Callable[[Any], None]:
    def broken(top: Any) -> None:
        nearest(top, kind, is_driven(port))["connections"][port] = [value]

    return broken


def never_restarts(kind: str, port: str) -> Callable[[Any], None]:
    """A flip-flop of the report's counter lacks its reset; other resets are redundant while the output drains."""
    def broken(top: Any) -> None:
        counter = top["netnames"]["core.number_low"]["bits"]
        found = nearest(top, kind, lambda cell: is_driven(port)(cell) and cell["connections"]["Q"][0] in counter)
        found["connections"][port] = ["0"]

    return broken


def flipped(top: Any) -> None:
    table = nearest(top, "LUT4")["parameters"]
    table["INIT"] = "".join(table["INIT"][:-1]) + "10"[int(table["INIT"][-1])]


def other_row_of(kind: str, *ports: str) -> Callable[[Any], None]:
    def broken(top: Any) -> None:
        found = nearest(top, kind)["connections"]
        for port in ports:
            found[port][:2] = found[port][1::-1]

    return broken


FOR_GOWIN, FOR_XILINX = ([parameters(core, lanes=8, family=family) for core in ("validator", "decoder")]
                         for family in ("gowin-5a", "xilinx-7"))
OTHER_BREAKS: dict[str, tuple[str, TranscoderParameters, Callable[[Any], None]]] = {
    "artix, look-up table": ("artix-7-100t", COMPACT[0], flipped),
    "artix, no reset": ("artix-7-100t", COMPACT[0], never_restarts("FDRE", "R")),
    "artix, always enabled": ("artix-7-100t", COMPACT[0], tied("FDRE", "CE", "1")),
    "artix, memory always written": ("artix-7-100t", SMALL[0], tied("RAM32M", "WE", "1")),
    "artix, other row": ("artix-7-100t", SMALL[0], other_row_of("RAM32M", "ADDRA", "ADDRB", "ADDRC")),
    "gowin, look-up table": ("gowin-gw5ast-138", COMPACT[0], flipped),
    "gowin, no reset": ("gowin-gw5ast-138", COMPACT[0], never_restarts("DFFRE", "RESET")),
    "gowin, always enabled": ("gowin-gw5ast-138", COMPACT[0], tied("DFFRE", "CE", "1")),
    "gowin, memory always written": ("gowin-gw5ast-138", SMALL[0], tied("RAM16SDP4", "WRE", "1")),
    "gowin, other row": ("gowin-gw5ast-138", SMALL[0], other_row_of("RAM16SDP4", "RAD")),
    "artix, validator, always enabled": ("artix-7-100t", FOR_XILINX[0], tied("FDRE", "CE", "1")),
    "artix, decoder, other row": ("artix-7-100t", FOR_XILINX[1], other_row_of("RAM32M", "ADDRA", "ADDRB", "ADDRC")),
    "gowin, validator, always enabled": ("gowin-gw5ast-138", FOR_GOWIN[0], tied("DFFRE", "CE", "1")),
    "gowin, decoder, other row": ("gowin-gw5ast-138", FOR_GOWIN[1], other_row_of("RAM16SDP4", "RAD")),
}


@pytest.mark.slow
@pytest.mark.parametrize("core", [COMPACT[0], SMALL[0]], ids=["compact", "look-up tables"])
@pytest.mark.parametrize("target", OTHERS)
def test_what_is_broken_of_other_families_is_sound(target: str, core: TranscoderParameters, tmp_path: Path) -> None:
    rtl, netlist = netlist_of(core, None, target)
    assert difference(core, rtl, netlist, tmp_path, OTHERS[target][0]) is None


@pytest.mark.slow
@pytest.mark.parametrize(("target", "core", "broken"), OTHER_BREAKS.values(), ids=OTHER_BREAKS)
def test_a_broken_netlist_of_another_family_is_found(target: str, core: TranscoderParameters,
                                                     broken: Callable[[Any], None], tmp_path: Path) -> None:
    rtl, netlist = netlist_of(core, None, target)
    changed = json.loads(gzip.decompress(netlist.json))
    broken(cells_of(changed))
    assert difference(core, rtl, packed(changed), tmp_path, OTHERS[target][0]) is not None


# The model of the block RAM, against memories that Yosys makes of one.

WAYS = {
    "NORMAL": "if (we) rows[A] <= d; else shown <= rows[A];",
    "WRITETHROUGH": "if (we) begin rows[A] <= d; shown <= d; end else shown <= rows[A];",
    "READBEFOREWRITE": "begin if (we) rows[A] <= d; shown <= rows[A]; end",
}
"""What a port shows while it writes, by its WRITEMODE."""
CLOCKED = "always @(posedge clk) if (en) "
WRITTEN = "always @(posedge clk) if (en && we) rows[A] <= d;"
MEMORIES = {
    "1 bit": (1, CLOCKED + WAYS["NORMAL"]),
    "4 bits": (4, CLOCKED + WAYS["WRITETHROUGH"]),
    "9 bits": (9, CLOCKED + WAYS["READBEFOREWRITE"]),
    "18 bits, reset at an edge": (18, "always @(posedge clk) if (rst) shown <= 0; else if (en) " + WAYS["NORMAL"]),
    "18 bits, reset at once": (18, WRITTEN + "always @(posedge clk, posedge rst) "
                                   "if (rst) shown <= 0; else if (en) shown <= rows[A];"),
    "36 bits, one way": (36, WRITTEN + "always @(posedge clk) if (en) shown <= rows[B];"),
}
"""Each of 512 rows: its width, and how it is written and read."""
BENCH = """
module bench;
    reg clk = 0, en, we, rst;
    reg [13:0] a, b;
    reg [35:0] d;
    wire [35:0] wanted, got;
    integer cycle, differing = 0, seen = 0;
    memory rtl (.*, .q(wanted));
    gates gates (.*, .q(got));
    initial begin
        for (cycle = 0; cycle < 4000; cycle = cycle + 1) begin
            en = |($urandom & 3);
            we = $urandom;
            rst = !($urandom & 7);
            // A few rows, far from each other, most of the time.
            a = $urandom & 7 ? 14'h0421 * ($urandom & 15) : $urandom;
            b = $urandom & 7 ? 14'h0421 * ($urandom & 15) : $urandom;
            b[0] = !a[0];
            d = {$urandom, $urandom};
            #1 differing = differing + (got !== wanted);
            seen = seen + |got;
            clk = 1;
            #1 differing = differing + (got !== wanted);
            clk = 0;
        end
        $display("%0s %0d", seen > 400 ? "seen" : "unseen", differing);
    end
endmodule
"""


def memory_of(width: int, behaviour: str) -> str:
    """A memory of 512 rows with first values."""
    behaviour = behaviour.replace("[A]", "[a[8:0]]").replace("[B]", "[b[8:0]]")
    return f"""
module memory (input clk, en, we, rst, input [13:0] a, b, input [35:0] d, output [35:0] q);
    (* ram_style = "block", no_rw_check *) reg [{width - 1}:0] rows [0:511];
    reg [{width - 1}:0] shown = 0;
    integer row;
    initial for (row = 0; row < 512; row = row + 1) rows[row] = 40503 * row >> 4;
    {behaviour}
    assign q = shown;
endmodule
"""


def compared(rtl: str, netlist: Netlist, folder: Path) -> str:
    """What the bench says of a memory and its netlist."""
    (folder / "both.v").write_text(rtl + verilog_of(netlist, "gates") + cell_models() + BENCH)
    subprocess.run(["iverilog", "-g2012", "-s", "bench", "-o", "sim", "both.v"], cwd=folder, check=True)
    return subprocess.run(["vvp", "-n", "sim"], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.slow
@pytest.mark.icarus
@pytest.mark.parametrize(("width", "behaviour"), MEMORIES.values(), ids=MEMORIES)
def test_the_model_of_block_ram_does_what_its_memory_does(width: int, behaviour: str, tmp_path: Path) -> None:
    rtl = memory_of(width, behaviour)
    netlist = synthesise(rtl, script(ECP5, "memory", bare=True, memory="block"))
    (block,) = (cell for cell in cells_of(json.loads(gzip.decompress(netlist.json)))["cells"].values()
                if cell["type"] == "DP16KD")
    assert int(block["parameters"]["DATA_WIDTH_A"], 2) == width
    assert compared(rtl, netlist, tmp_path) == "seen 0"


@pytest.mark.slow
@pytest.mark.icarus
@pytest.mark.parametrize("way", [way for way in WAYS if way != "READBEFOREWRITE"])
def test_a_block_that_shows_something_else_while_it_writes_is_found(way: str, tmp_path: Path) -> None:
    rtl = memory_of(9, CLOCKED + WAYS["READBEFOREWRITE"])
    changed = json.loads(gzip.decompress(synthesise(rtl, script(ECP5, "memory", bare=True, memory="block")).json))
    nearest(cells_of(changed), "DP16KD")["parameters"]["WRITEMODE_A"] = way
    seen, differing = compared(rtl, packed(changed), tmp_path).split()
    assert seen == "seen"
    assert int(differing) > 400


# Where the models are.


def native(folder: Path, monkeypatch: pytest.MonkeyPatch, cells: str) -> None:
    """A Yosys in ``folder`` is found, whose library of the ECP5's cells that is."""
    (folder / "share/yosys/ecp5").mkdir(parents=True)
    (folder / "share/yosys/ecp5/cells_sim.v").write_text('`include "more.vh"\n`ifndef NO_INCLUDES\n`endif\n')
    (folder / "share/yosys/ecp5/more.vh").write_text(cells)
    monkeypatch.setattr(models, "find", lambda name: Tool(name, (str(folder / "bin" / name),), "Yosys 9.9"))


def test_the_models_are_those_beside_a_native_yosys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    native(tmp_path, monkeypatch, "module LUT4;\nendmodule\n(* blackbox *)\nmodule DP16KD(\n);\nendmodule\n"
                                  "module TRELLIS_COMB;\nendmodule\nmodule LUT2;\nendmodule\n")
    library, _, block = cell_models().partition("// Model of the ECP5's block RAM")
    assert library == ("`define NO_INCLUDES\nmodule LUT4;\nendmodule\nmodule LUT2;\nendmodule\n\n"
                       "`ifndef NO_INCLUDES\n`endif\n\n")
    assert "module DP16KD (" in block


@pytest.mark.parametrize(("cells", "any_start", "message"), [
    ("module LUT4;\nendmodule\n", False, "Yosys 9.9 has no module DP16KD in its library of the ECP5's cells"),
    ("module DP16KD;\nendmodule\nmodule TRELLIS_COMB;\nendmodule\n", True,
     "Yosys 9.9 has no 'initial Q = srval;' in its library of the ECP5's cells"),
])
def test_another_library_is_told_of(cells: str, any_start: bool, message: str, tmp_path: Path,
                                    monkeypatch: pytest.MonkeyPatch) -> None:
    native(tmp_path, monkeypatch, cells)
    with pytest.raises(ToolError, match=f"^{message}$"):
        cell_models(any_start=any_start)
