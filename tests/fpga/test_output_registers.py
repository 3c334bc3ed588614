"""Registers after block RAM become the block's output registers if it has such registers, and only there."""

import gzip
import json
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from runewire_fpga.output_registers import main, use_output_registers
from runewire_fpga.synthesis import Netlist, script, synthesise
from runewire_fpga.targets import TARGETS, Area

ECP5 = TARGETS["ecp5-25k"].family

REGISTERS = {
    "enabled": "always @(posedge clk) if (load[0]) q <= read;",
    "always": "always @(posedge clk) q <= read;",
}
OTHERS = {
    "is reset": "always @(posedge clk) if (load[1]) q <= 0; else q <= read;",
    "starts at 1": "initial q = 24'h000001; always @(posedge clk) q <= read;",
    "has two enables": "always @(posedge clk) begin if (load[0]) q[11:0] <= read[11:0]; "
                       "if (load[1]) q[23:12] <= read[23:12]; end",
    "is behind a gate": "always @(posedge clk) q <= read ^ {24{load[0]}};",
    "is not all that is read": "always @(posedge clk) q <= read; assign early = read[3];",
    "has another clock": "always @(negedge clk) q <= read;",
}


READING = "always @(posedge clk) read <= memory[r];"
READ_OTHERWISE = {
    "has a reset": "always @(posedge clk) if (load[1]) read <= 0; else read <= memory[r];",
    "is at the falling edge": "always @(negedge clk) read <= memory[r];",
    "has an enable": "always @(posedge clk) if (load[1]) read <= memory[r];",
}


def memory(behind: str, reading: str = READING) -> str:
    """A memory of 24 bits, how it is read, and the logic after it."""
    return f"""
module top (input wire clk, input wire en, input wire [3:0] w, input wire [3:0] r, input wire [23:0] d,
            input wire [1:0] load, output reg [23:0] q, output wire early);
    (* no_rw_check *) reg [23:0] memory [15:0];
    reg [23:0] read;
    always @(posedge clk) if (en) memory[w] <= d;
    {reading}
    {behind}
endmodule
"""


def synthesised(behind: str, reading: str = READING) -> Netlist:
    return synthesise(memory(behind, reading), script(ECP5, "top", bare=True, memory="block"))


def area(behind: str, reading: str = READING) -> Area:
    return ECP5.area(synthesised(behind, reading).cells)


@pytest.mark.parametrize("behind", REGISTERS.values(), ids=REGISTERS)
def test_a_register_behind_a_memory_is_the_memory_s(behind: str) -> None:
    assert area(behind) == Area(luts=0, ffs=0, block_ram=1, distributed_ram=0, memory_luts=0)


@pytest.mark.parametrize("behind", OTHERS.values(), ids=OTHERS)
def test_a_register_that_no_memory_has_is_left(behind: str) -> None:
    found = area(behind)
    assert (found.ffs, found.block_ram) == (24, 1)


@pytest.mark.parametrize("reading", READ_OTHERWISE.values(), ids=READ_OTHERWISE)
def test_a_register_behind_a_memory_that_is_read_otherwise_is_left(reading: str) -> None:
    found = area(REGISTERS["always"], reading)
    assert (found.ffs, found.block_ram) == (24, 1)


class Block:
    """A netlist of one block RAM of 36 bits, written at A and read at B, clocked by hand (Lattice FPGA-TN-02204)."""

    def __init__(self, netlist: Netlist) -> None:
        (top,) = (each for each in json.loads(gzip.decompress(netlist.json))["modules"].values()
                  if "top" in each["attributes"])
        self.ports = {name: port["bits"] for name, port in top["ports"].items()}
        (cell,) = top["cells"].values()
        assert {cell["parameters"][name] for name in ("REGMODE_A", "REGMODE_B")} == {"OUTREG"}
        self.at = cell["connections"]
        self.rows: dict[int, list[int]] = {}
        self.latch = self.register = [0] * 36

    def step(self, **inputs: int) -> int:
        """One cycle with these at the module's inputs. Gives ``q`` after it."""
        values = {"0": 0, "1": 1, "x": 0}
        for name, value in inputs.items():
            values |= {bit: value >> index & 1 for index, bit in enumerate(self.ports[name])}

        def read(*ports: str) -> list[int]:
            return [values[self.at[port][0]] for port in ports]

        def address(side: str) -> int:
            return sum(bit << index for index, bit in enumerate(read(*(f"AD{side}{n}" for n in range(5, 14)))))

        if read("OCEB") == [1]:
            assert read("OCEA") == [1]
            self.register = self.latch
        if read("CEB") == [1]:
            self.latch = self.rows.get(address("B"), [0] * 36)
        row = list(self.rows.get(address("A"), [0] * 36))
        data = read(*(f"DIA{n}" for n in range(18)), *(f"DIB{n}" for n in range(18)))
        for byte, part in enumerate(slice(first, first + 9) for first in range(0, 36, 9)):
            if read("CEA", "WEA", f"ADA{byte}") == [1, 1, 1]:
                row[part] = data[part]
        self.rows[address("A")] = row
        shown = {
            self.at[port][0]: bit
            for port, bit in zip([*(f"DOA{n}" for n in range(18)), *(f"DOB{n}" for n in range(18))], self.register,
                                 strict=True)
            if self.at[port]
        }
        return sum(shown[bit] << index for index, bit in enumerate(self.ports["q"]))


@pytest.mark.parametrize(("behind", "enabled"), [("enabled", True), ("always", False)])
def test_the_block_does_what_memory_and_register_did(behind: str, enabled: bool) -> None:
    block = Block(synthesised(REGISTERS[behind]))
    random = Random(behind)
    rows = [0] * 16
    read = q = 0
    seen = set()
    for _ in range(500):
        w, r = random.sample(range(16), 2)
        en, load, d = random.getrandbits(1), random.getrandbits(2), random.getrandbits(24)
        if load & 1 or not enabled:
            q = read
        read = rows[r]
        if en:
            rows[w] = d
        assert block.step(en=en, w=w, r=r, d=d, load=load) == q
        seen.add(q)
    assert len(seen) > 100


@pytest.fixture(scope="module")
def unused() -> Any:
    """A netlist in Yosys' JSON of a block and 24 flip-flops that can become its own."""
    netlist = json.loads(gzip.decompress(synthesised(OTHERS["is reset"]).json))
    for cell in cells_of(netlist):
        if cell["type"] == "TRELLIS_FF":
            cell["connections"]["LSR"] = ["0"]
    return netlist


def cells_of(netlist: Any) -> list[dict[str, Any]]:
    (top,) = (each for each in netlist["modules"].values() if "top" in each["attributes"])
    return list(top["cells"].values())


def test_it_may_be_done_between_yosys_and_nextpnr(unused: Any, tmp_path: Path) -> None:
    source, result = tmp_path / "netlist.json", tmp_path / "result.json"
    source.write_text(json.dumps(unused))
    main([str(source), str(result)])
    assert [cell["type"] for cell in cells_of(json.loads(result.read_text()))] == ["DP16KD"]


DRIVEN = [2]
"""The clock's net: a signal like any other, of a port that should be constant."""
Change = tuple[str, str, str, Any]
"""A type of cell, and of all of that type what is set: in which part, of what name, to what."""
HARMLESS: dict[str, list[Change]] = {
    "nothing": [],
    "an output enable of no effect yet": [("DP16KD", "connections", "OCEB", ["0"])],
    "a port that is not there": [("DP16KD", "connections", "RSTA", [])],
    "a parameter that says nothing new": [("DP16KD", "parameters", "WRITEMODE_A", "NORMAL")],
}
HARMFUL: dict[str, list[Change]] = {
    **{f"{port} is driven": [("DP16KD", "connections", port, DRIVEN)]
       for port in ("RSTA", "RSTB", "CEA", "CEB", "OCEA", "OCEB", "CSA0", "CSA2", "CSB0", "CSB2")},
    "RSTB is always 1": [("DP16KD", "connections", "RSTB", ["1"])],
    "CEB is never 1": [("DP16KD", "connections", "CEB", ["0"])],
    "another chip is selected": [("DP16KD", "parameters", "CSDECODE_B", "0b001")],
    "it is read at the falling edge": [("DP16KD", "parameters", "CLKBMUX", "INV")],
    "it is written at the falling edge": [("DP16KD", "parameters", "CLKAMUX", "INV")],
    "its register works at the falling edge": [("TRELLIS_FF", "parameters", "CLKMUX", "INV")],
    "both work at the falling edge": [("DP16KD", "parameters", "CLKBMUX", "INV"),
                                      ("TRELLIS_FF", "parameters", "CLKMUX", "INV")],
    "it has two clocks": [("DP16KD", "connections", "CLKA", [3])],
    "its register has another clock": [("TRELLIS_FF", "connections", "CLK", [3])],
    "port A has a register already": [("DP16KD", "parameters", "REGMODE_A", "OUTREG")],
    "port B has a register already": [("DP16KD", "parameters", "REGMODE_B", "OUTREG")],
    "a global reset clears it alone": [("DP16KD", "parameters", "GSR", "ENABLED")],
    "a global reset clears its register alone": [("TRELLIS_FF", "parameters", "GSR", "ENABLED")],
    "its register starts at 1": [("TRELLIS_FF", "parameters", "REGSET", "SET")],
    "its register is always reset": [("TRELLIS_FF", "parameters", "LSRMUX", "INV")],
    "its register is reset": [("TRELLIS_FF", "connections", "LSR", DRIVEN)],
    "its register has an inverted enable": [("TRELLIS_FF", "parameters", "CEMUX", "INV")],
    "its register has two inputs": [("TRELLIS_FF", "connections", "M", DRIVEN),
                                     ("TRELLIS_FF", "port_directions", "M", "input")],
    "its register is kept": [("TRELLIS_FF", "attributes", "keep", "1")],
    "its register has a place": [("TRELLIS_FF", "attributes", "BEL", "X2/Y2/SLICEA.FF0")],
}


@pytest.mark.parametrize(("changes", "blocks"), [
    *((each, 1) for each in HARMLESS.values()), *((each, 0) for each in HARMFUL.values())],
    ids=[*HARMLESS, *HARMFUL])
def test_a_block_is_left_alone_where_its_register_would_do_something_else(
        changes: list[Change], blocks: int, unused: Any) -> None:
    netlist = deepcopy(unused)
    for kind, part, name, value in changes:
        for cell in cells_of(netlist):
            if cell["type"] == kind:
                cell[part][name] = value
    before = deepcopy(netlist)
    assert use_output_registers(netlist) == blocks
    assert (netlist == before) == (blocks == 0)
