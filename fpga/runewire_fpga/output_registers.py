"""The output registers of block RAM on an ECP5, which Yosys leaves unused.

A block RAM of that family takes several times as long as a look-up table to show what it read, but has a register
behind it. Yosys does not find the registers of the design that can be that one, so it is done
here, between Yosys and nextpnr: where all that is read from a block goes to flip-flops with one clock, one enable and
no reset, and nowhere else, these become part of the block.

It is for netlists of one clock, in which blocks are written and read at its rising edge and always enabled; a block of
any other kind is left as it is. So are: one with a reset, which clears the output register too; one whose enables
(``CE``, ``OCE``) or chip selects are driven, as they hold back the output register; one that has an output register
already; one that a global reset clears and its flip-flops not, or the other way round; and one behind which a
flip-flop starts at 1, has a reset, a second data input or an attribute that keeps it or its place.

``python -m runewire_fpga.output_registers NETLIST RESULT`` does it to a netlist in Yosys' JSON.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from runewire_jobs.files import write_whole

__all__ = ["use_output_registers"]

Cell = dict[str, Any]
"""A cell as Yosys writes it: its type, parameters, and the bits at its ports."""

PLAIN_BLOCK = {
    **{f"REGMODE_{side}": "NOREG" for side in "AB"},
    **{f"CLK{side}MUX": f"CLK{side}" for side in "AB"},
    **{f"CSDECODE_{side}": "0b000" for side in "AB"},
}
"""Parameters of a block whose output registers are free, and which works at rising edges. Those are also what it has
where nothing is said."""

PLAIN_PORTS = {
    **{f"CE{side}": "1" for side in "AB"},
    **{f"OCE{side}": "01" for side in "AB"},  # of no effect while there is no output register
    **{f"{port}{side}{index}": "0" for port, index in (("RST", ""), ("CS", 0), ("CS", 1), ("CS", 2)) for side in "AB"},
}
"""What a block is given that is always enabled and never reset; also what it has where a port is not there."""

PLAIN_REGISTER = {"CLKMUX": "CLK", "REGSET": "RESET", "LSRMUX": "LSR"}
"""Parameters of a flip-flop that starts at 0 at a rising edge, as an output register does."""

KEPT = {"keep", "BEL", "LOC"}
"""Attributes of a flip-flop that must stay where it is."""


def use_output_registers(netlist: Mapping[str, Any]) -> int:
    """Make flip-flops behind block RAM (``DP16KD``) the block's own, in place, where they can be.

    Gives the number of such blocks.
    """
    (module,) = (module for module in netlist["modules"].values() if "top" in module["attributes"])
    cells: dict[str, Cell] = module["cells"]
    inputs = [bits for port in module["ports"].values() if port["direction"] != "input" for bits in [port["bits"]]]
    behind: dict[Any, str] = {}
    for name, cell in cells.items():
        inputs += [bits for port, bits in cell["connections"].items() if cell["port_directions"][port] != "output"]
        if cell["type"] == "TRELLIS_FF":
            behind[cell["connections"]["DI"][0]] = name
    readers = Counter(bit for bits in inputs for bit in bits)
    used = 0
    for block in [cell for cell in cells.values() if cell["type"] == "DP16KD"]:
        ports = [port for port, bits in block["connections"].items()
                 if port.startswith("DO") and bits and readers[bits[0]]]
        data = [block["connections"][port][0] for port in ports]
        if ports and _plain(block) and all(readers[bit] == 1 and bit in behind for bit in data):
            names = [behind[bit] for bit in data]
            enable = _enable(block, [cells[name] for name in names])
            if enable is not None:
                for port, name in zip(ports, names, strict=True):
                    block["connections"][port] = cells.pop(name)["connections"]["Q"]
                block["connections"] |= {"OCEA": enable, "OCEB": enable}
                block["parameters"] |= {"REGMODE_A": "OUTREG", "REGMODE_B": "OUTREG"}
                used += 1
    return used


def _plain(block: Cell) -> bool:
    """Whether the block's output registers, were they used, would do what flip-flops do that are never held back."""
    parameters, ports = block["parameters"], block["connections"]
    return (all(parameters.get(name, value) == value for name, value in PLAIN_BLOCK.items())
            and all(ports.get(name) in (None, [], *map(list, values)) for name, values in PLAIN_PORTS.items())
            and ports["CLKA"] == ports["CLKB"])


def _enable(block: Cell, registers: Sequence[Cell]) -> list[Any] | None:
    """What enables all the registers, None if they are not one that the block can have."""
    enables = []
    for register in registers:
        parameters, ports = register["parameters"], register["connections"]
        enabled = parameters["CEMUX"].strip()
        if not (all(parameters.get(name, value) == value for name, value in PLAIN_REGISTER.items())
                and parameters.get("GSR") == block["parameters"].get("GSR")
                and ports.keys() <= {"CLK", "CE", "DI", "LSR", "Q"}
                and ports.get("LSR", ["0"]) == ["0"]
                and ports["CLK"] == block["connections"]["CLKB"]
                and enabled in ("1", "CE")
                and not KEPT & register.get("attributes", {}).keys()):
            return None
        enables.append(ports["CE"] if enabled == "CE" else ["1"])
    return enables[0] if all(enable == enables[0] for enable in enables) else None


def main(arguments: list[str]) -> None:
    """Read the first file, write the second."""
    source, result = map(Path, arguments)
    netlist = json.loads(source.read_text(encoding="utf-8"))
    use_output_registers(netlist)
    write_whole(result, json.dumps(netlist).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
