"""Yosys: the cells of small designs whose cells are known, and what does not change a netlist."""

import pytest
from runewire_rtl.implementation.synthesis import script, synthesise
from runewire_rtl.implementation.targets import TARGETS, Area
from runewire_rtl.implementation.tools import ToolError

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
ENABLED = """
module top (input wire clk, input wire rst, input wire en, input wire [3:0] d, output reg [3:0] q);
    always @(posedge clk) if (rst) q <= 0; else if (en) q <= d;
endmodule
"""


def area(verilog: str, target: str, *, compact: bool = False) -> Area:
    family = TARGETS[target].family
    return family.area(synthesise(verilog, script(family, "top", bare=True, compact=compact)).cells)


@pytest.mark.parametrize("target", TARGETS)
def test_a_look_up_table_and_a_register(target: str) -> None:
    assert area(LOGIC, target) == Area(luts=1, ffs=1, block_ram=0, distributed_ram=0, memory_luts=0)


@pytest.mark.parametrize(("target", "blocks"), [
    ("ecp5-25k", 1), ("ice40-hx8k", 4), ("nexus-40k", 1), ("gowin-gw2a-18", 1), ("xilinx-7", 1),
    ("xilinx-ultrascale-plus", 1),
])
def test_a_large_memory_takes_blocks(target: str, blocks: int) -> None:
    found = area(LARGE_MEMORY, target)
    assert found.block_ram == blocks
    assert found.distributed_ram == 0


@pytest.mark.parametrize(("target", "luts"), [("ecp5-25k", 6), ("nexus-40k", 6), ("gowin-gw2a-18", 8)])
def test_a_small_memory_takes_look_up_tables(target: str, luts: int) -> None:
    found = area(SMALL_MEMORY, target)
    assert (found.distributed_ram, found.memory_luts, found.block_ram) == (1, luts, 0)


@pytest.mark.parametrize(("compact", "luts"), [(False, 4), (True, 1)])
def test_a_reset_on_an_ice40_costs_a_gate_before_the_enable_where_area_counts(compact: bool, luts: int) -> None:
    assert area(ENABLED, "ice40-hx8k", compact=compact).luts == luts


def test_a_comment_does_not_change_the_netlist() -> None:
    commands = script(TARGETS["ecp5-25k"].family, "top", bare=True)
    assert synthesise(f"// a comment\n{LOGIC}", commands).json == synthesise(LOGIC, commands).json


def test_simulation_only_parts_are_left_out() -> None:
    checked = LOGIC.replace("endmodule", "`ifndef SYNTHESIS\nno verilog\n`endif\nendmodule")
    assert area(checked, "ecp5-25k") == area(LOGIC, "ecp5-25k")


def test_what_is_no_verilog_is_told_in_one_line() -> None:
    with pytest.raises(ToolError, match=r"^yosys failed: .*design\.v:1: ERROR: syntax error.*$"):
        synthesise("module", script(TARGETS["ecp5-25k"].family, "top", bare=True))
