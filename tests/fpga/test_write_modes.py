"""Ports of block RAM that only write or only read have the write mode with the higher clock limit, and only they."""

import gzip
import json

import pytest
from runewire_fpga.synthesis import Netlist, script, synthesise
from runewire_fpga.targets import TARGETS
from runewire_fpga.write_modes import fast_write_modes

ECP5 = TARGETS["ecp5-25k"].family
TWO_PORTS = """
module top (input wire clk, input wire en, input wire [10:0] w, input wire [10:0] r, input wire [17:0] d,
            output reg [17:0] q);
    (* no_rw_check *) reg [17:0] memory [2047:0];
    always @(posedge clk) if (en) memory[w] <= d;
    always @(posedge clk) q <= memory[r];
endmodule
"""
ONE_PORT = TWO_PORTS.replace("memory[r]", "memory[w]").replace("no_rw_check", "ram_style = \"block\"")


def synthesised(verilog: str) -> Netlist:
    return synthesise(verilog, script(ECP5, "top", bare=True, memory="block"))


def modes(netlist: Netlist) -> set[str]:
    modules = json.loads(gzip.decompress(netlist.json))["modules"].values()
    (top,) = (module for module in modules if "top" in module["attributes"])
    return {cell["parameters"][f"WRITEMODE_{side}"] for cell in top["cells"].values() if cell["type"] == "DP16KD"
            for side in "AB"}


def limit(netlist: Netlist) -> float:
    limits = TARGETS["ecp5-25k"].clock_limits("8", ECP5.used(netlist.cells))
    return min(each.mhz for each in limits if each.mhz is not None)


def test_a_memory_with_a_port_for_each_is_as_fast_as_the_device() -> None:
    before = synthesised(TWO_PORTS)
    after = fast_write_modes(before)
    assert modes(before) == {"READBEFOREWRITE"}, "Yosys chooses the fast mode itself: the pass is needless"
    assert modes(after) == {"NORMAL"}
    assert (limit(before), limit(after)) == (214.13, 271.44)
    assert sum(after.cells.values()) == sum(before.cells.values())


def test_a_port_that_reads_what_it_overwrites_is_left() -> None:
    before = synthesised(ONE_PORT)
    after = fast_write_modes(before)
    assert "READBEFOREWRITE" in modes(before) & modes(after)
    assert limit(after) == 214.13


@pytest.mark.parametrize("kind", ["DP16KD", "DP16KD:WRITEMODE_A=NORMAL,WRITEMODE_B=NORMAL", "LUT4"])
def test_a_netlist_without_the_slow_mode_is_not_read(kind: str) -> None:
    netlist = Netlist(b"no netlist", {kind: 1})
    assert fast_write_modes(netlist) is netlist
