"""Registers behind block RAM become the block's own where it has such registers, and only there."""

import gzip
import json
from random import Random

import pytest
from runewire_rtl.implementation.output_registers import main
from runewire_rtl.implementation.synthesis import Netlist, script, synthesise
from runewire_rtl.implementation.targets import TARGETS, Area

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


def memory(behind: str) -> str:
    """A memory of 24 bits, and what is behind it."""
    return f"""
module top (input wire clk, input wire en, input wire [3:0] w, input wire [3:0] r, input wire [23:0] d,
            input wire [1:0] load, output reg [23:0] q, output wire early);
    (* no_rw_check *) reg [23:0] memory [15:0];
    reg [23:0] read;
    always @(posedge clk) if (en) memory[w] <= d;
    always @(posedge clk) read <= memory[r];
    {behind}
endmodule
"""


def synthesised(behind: str) -> Netlist:
    return synthesise(memory(behind), script(ECP5, "top", bare=True, memory="block"))


def area(behind: str) -> Area:
    return ECP5.area(synthesised(behind).cells)


@pytest.mark.parametrize("behind", REGISTERS.values(), ids=REGISTERS)
def test_a_register_behind_a_memory_is_the_memory_s(behind: str) -> None:
    assert area(behind) == Area(luts=0, ffs=0, block_ram=1, distributed_ram=0, memory_luts=0)


@pytest.mark.parametrize("behind", OTHERS.values(), ids=OTHERS)
def test_a_register_that_no_memory_has_is_left(behind: str) -> None:
    found = area(behind)
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


def test_it_may_be_done_between_yosys_and_nextpnr(tmp_path) -> None:
    kept = synthesised(OTHERS["is reset"])
    source, result = tmp_path / "netlist.json", tmp_path / "result.json"
    netlist = json.loads(gzip.decompress(kept.json))
    for module in netlist["modules"].values():
        for cell in module["cells"].values():
            if cell["type"] == "TRELLIS_FF":
                cell["connections"]["LSR"] = ["0"]
    source.write_text(json.dumps(netlist))
    main([str(source), str(result)])
    (top,) = (each for each in json.loads(result.read_text())["modules"].values() if "top" in each["attributes"])
    assert [cell["type"] for cell in top["cells"].values()] == ["DP16KD"]
