"""Yosys: the cells of small designs whose cells are known, and what does not change a netlist."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from runewire_fpga.designs import core
from runewire_fpga.synthesis import plain_script, script, synthesise
from runewire_fpga.targets import TARGETS, Area
from runewire_jobs.errors import ToolError
from runewire_rtl import parameters

# One look-up table of four inputs and its register; a memory of 16 x 4; 16 kbit of memory.
LOGIC = """
module top (input wire clk, input wire [3:0] a, output reg q);
    always @(posedge clk) q <= ^a;
endmodule
"""
SMALL_MEMORY = """
module top (input wire clk, input wire en, input wire [3:0] w, input wire [3:0] r, input wire [3:0] d,
            output reg [3:0] q);
    reg [3:0] memory [15:0];
    always @(posedge clk) if (en) memory[w] <= d;
    always @(posedge clk) q <= memory[r];
endmodule
"""
LARGE_MEMORY = """
module top (input wire clk, input wire en, input wire [9:0] w, input wire [9:0] r, input wire [15:0] d,
            output reg [15:0] q);
    reg [15:0] memory [1023:0];
    always @(posedge clk) if (en) memory[w] <= d;
    always @(posedge clk) q <= memory[r];
endmodule
"""
STARTS_AT_1 = """
module top (input wire clk, input wire rst, output reg q);
    (* keep *) reg [1:0] r = 1;
    always @(posedge clk) begin
        r <= rst ? 1 : r + 1;
        q <= r[0];
    end
endmodule
"""
ENABLED = """
module top (input wire clk, input wire rst, input wire en, input wire [3:0] d, output reg [3:0] q);
    always @(posedge clk) if (rst) q <= 0; else if (en) q <= d;
endmodule
"""


READ_BEFORE_WRITE = """
module top (input wire clk, input wire en, input wire [9:0] a, input wire [15:0] d, output reg [15:0] q);
    reg [15:0] memory [1023:0];
    always @(posedge clk) begin q <= memory[a]; if (en) memory[a] <= d; end
endmodule
"""
EIGHT = "module top (input wire [7:0] a, input wire [2:0] s, output wire y); assign y = a[s]; endmodule"
WIDE = "module top (input wire [5:0] a, output wire y); assign y = ^a; endmodule"
ECP5 = TARGETS["ecp5-25k"].family


def area(verilog: str, target: str, memory: str | None = None, *, compact: bool = False) -> Area:
    family = TARGETS[target].family
    commands = script(family, "top", bare=True, memory=family.memory("fast", memory), compact=compact)
    return family.area(synthesise(verilog, commands).cells)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_look_up_table_and_a_register(target: str) -> None:
    assert area(LOGIC, target) == Area(luts=1, ffs=1, block_ram=0, distributed_ram=0, memory_luts=0)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "blocks"), [
    ("ecp5-25k", 1), ("ice40-hx8k", 4), ("nexus-40k", 1), ("gowin-gw2a-18", 1), ("gowin-gw5a-25", 1),
    ("gowin-gw5ast-138", 1), ("machxo2-1200", 2), ("machxo3lf-6900", 2),
    ("gatemate-a1", 1), ("xilinx-7", 1), ("xilinx-ultrascale-plus", 1),
])
def test_a_large_memory_takes_blocks(target: str, blocks: int) -> None:
    found = area(LARGE_MEMORY, target, "block")
    assert found.block_ram == blocks
    assert found.distributed_ram == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "target", [name for name, each in TARGETS.items() if "distributed" in each.family.memories and name != "ecp5-85k"])
def test_no_memory_takes_blocks_where_clock_counts(target: str) -> None:
    found = area(LARGE_MEMORY.replace("[9:0]", "[7:0]").replace("1023", "255"), target, "distributed")
    assert found.block_ram == 0
    assert found.distributed_ram > 0


def test_what_clock_counts_for_is_what_yosys_does_by_itself_with_shallow_memories() -> None:
    made = core(parameters("validator", lanes=2))
    plain = f"read_verilog -DSYNTHESIS design.v\nsynth_ecp5 -top {made.top}\nwrite_json netlist.json\n"
    commands = script(ECP5, made.top, bare=True, memory="distributed")
    cells = synthesise(made.verilog, commands).cells
    assert cells == synthesise(made.verilog, plain).cells
    assert ECP5.area(cells).block_ram == 0
    assert ECP5.area(cells).distributed_ram > 0


@pytest.mark.parametrize("flow", [script, plain_script])
def test_registers_of_ice40_that_start_at_1_have_drivers(flow: Callable[..., str]) -> None:
    """Yosys 0.70 alone loses the driver of a kept register's bit."""
    family = TARGETS["ice40-hx8k"].family
    commands = flow(family, "top", bare=True, **({"memory": "block"} if flow is script else {}))
    netlist = json.loads(gzip.decompress(synthesise(STARTS_AT_1, commands).json))
    cells = netlist["modules"]["top"]["cells"].values()
    assert sum(cell["type"].startswith("SB_DFF") for cell in cells) == 3
    assert "x" not in {bit for cell in cells for bits in cell["connections"].values() for bit in bits}


def test_the_plain_flow_is_the_command_of_the_family_alone() -> None:
    assert plain_script(ECP5, "top", bare=True).splitlines()[1] == "synth_ecp5 -top top"
    assert "synth_nexus -family lifcl -noccu2 -noiopad -top top" in plain_script(
        TARGETS["nexus-40k"].family, "top", bare=True)
    made = core(parameters("decoder", lanes=1, pipeline="compact"))
    ours = synthesise(made.verilog, script(ECP5, made.top, bare=True, memory="block", compact=True)).cells
    plain = synthesise(made.verilog, plain_script(ECP5, made.top, bare=True), plain=True).cells
    assert "PFUMX" in plain
    assert "PFUMX" not in ours


def test_a_compact_core_is_mapped_for_area() -> None:
    made = core(parameters("validator", lanes=4, pipeline="compact"))
    small, usual = (family.area(synthesise(
        made.verilog, script(family, made.top, bare=True, memory="block", compact=True)).cells)
        for family in (ECP5, replace(ECP5, mapping_for_area="")))
    assert small.luts < 0.97 * usual.luts
    assert small.ffs == usual.ffs


def test_how_a_memory_writes_is_seen() -> None:
    cells = synthesise(READ_BEFORE_WRITE, script(ECP5, "top", bare=True, memory="block")).cells
    (kind,) = (kind for kind in cells if kind.startswith("DP16KD"))
    assert kind.startswith("DP16KD:WRITEMODE_A=READBEFOREWRITE,")


@pytest.mark.parametrize(("kind", "mhz"), [
    ("DP16KD", 271.44),
    ("DP16KD:WRITEMODE_A=NORMAL,WRITEMODE_B=NORMAL", 271.44),
    ("DP16KD:WRITEMODE_A=READBEFOREWRITE,WRITEMODE_B=NORMAL", 214.13),
    ("DP16KD:WRITEMODE_A=READBEFOREWRITE,WRITEMODE_B=READBEFOREWRITE", 214.13),
])
def test_how_a_memory_writes_limits_its_clock(kind: str, mhz: float) -> None:
    cells = {kind: 1}
    limits = TARGETS["ecp5-25k"].clock_limits("8", ECP5.used(cells))
    assert min(limit.mhz for limit in limits if limit.mhz) == mhz


@pytest.mark.parametrize(("target", "luts"), [
    ("ecp5-25k", 6), ("gowin-gw2a-18", 8),
    *(pytest.param(name, 6, marks=pytest.mark.slow) for name in ("nexus-40k", "machxo2-1200", "machxo3lf-6900"))])
def test_a_small_memory_takes_look_up_tables(target: str, luts: int) -> None:
    found = area(SMALL_MEMORY, target)
    assert (found.distributed_ram, found.memory_luts, found.block_ram) == (1, luts, 0)


@pytest.mark.parametrize("target", ["ice40-hx8k", "gowin-gw5a-25", "gatemate-a1"])
def test_a_small_memory_takes_a_block_where_nothing_else_is_a_memory(target: str) -> None:
    found = area(SMALL_MEMORY, target)
    assert (found.distributed_ram, found.block_ram) == (0, 1)


def test_gatemate_has_no_multiplexer_that_nextpnr_does_not_know() -> None:
    family = TARGETS["gatemate-a1"].family
    cells = synthesise(EIGHT, script(family, "top", bare=True, memory="block")).cells
    assert cells
    assert "CC_MX8" not in cells
    plain = script(family, "top", bare=True, memory="block").replace("-nomx8", "")
    assert "CC_MX8" in synthesise(EIGHT, plain).cells


@pytest.mark.parametrize(("compact", "luts"), [(False, 4), (True, 1)])
def test_a_reset_on_an_ice40_costs_a_gate_before_the_enable_where_area_counts(compact: bool, luts: int) -> None:
    assert area(ENABLED, "ice40-hx8k", compact=compact).luts == luts


@pytest.mark.parametrize(("compact", "luts"), [(False, 4), (True, 2)])
def test_an_ecp5_has_no_wide_functions_where_area_counts(compact: bool, luts: int) -> None:
    assert area(WIDE, "ecp5-25k", compact=compact).luts == luts


@pytest.mark.parametrize(("target", "multiplexer"), [
    pytest.param("nexus-40k", "WIDEFN9", marks=pytest.mark.slow), ("gowin-gw2a-18", "MUX2_LUT5"),
    ("gowin-gw5a-25", "MUX2_LUT5")])
@pytest.mark.parametrize("compact", [False, True])
def test_nor_have_those_that_name_their_multiplexers(compact: bool, target: str, multiplexer: str) -> None:
    family = TARGETS[target].family
    cells = synthesise(EIGHT, script(family, "top", bare=True, memory="block", compact=compact)).cells
    assert (multiplexer in cells) != compact


def test_a_comment_does_not_change_the_netlist() -> None:
    commands = script(ECP5, "top", bare=True, memory="block")
    assert synthesise(f"// a comment\n{LOGIC}", commands).json == synthesise(LOGIC, commands).json


def test_simulation_only_parts_are_left_out() -> None:
    checked = LOGIC.replace("endmodule", "`ifndef SYNTHESIS\nno verilog\n`endif\nendmodule")
    assert area(checked, "ecp5-25k") == area(LOGIC, "ecp5-25k")


def test_what_is_no_verilog_is_told_in_one_line() -> None:
    with pytest.raises(ToolError, match=r"^yosys failed: .*design\.v:1: ERROR: syntax error.*$"):
        synthesise("module", script(ECP5, "top", bare=True, memory="block"))
