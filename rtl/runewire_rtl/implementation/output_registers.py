"""The output registers of block RAM on an ECP5, which Yosys leaves unused.

A block RAM of that family takes several times as long as a look-up table to show what it read, but has a register
behind it. Yosys does not find the registers of the design that can be that one, so it is done
here, between Yosys and nextpnr: where all that is read from a block goes to flip-flops with one clock, one enable and
no reset, and nowhere else, these become part of the block.

``python -m runewire_rtl.implementation.output_registers NETLIST RESULT`` does it to a netlist in Yosys' JSON.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..files import write_whole

__all__ = ["use_output_registers"]

Cell = dict[str, Any]
"""A cell as Yosys writes it: its type, parameters, and the bits at its ports."""

UNRESET = {"CLKMUX": "CLK", "REGSET": "RESET"}
"""Parameters of a flip-flop that starts at 0, as an output register does."""


def use_output_registers(netlist: Mapping[str, Any]) -> int:
    """Make flip-flops behind block RAM (``DP16KD``) the block's own, in place. Gives the number of such blocks."""
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
        ports = [port for port, bits in block["connections"].items() if port.startswith("DO") and readers[bits[0]]]
        data = [block["connections"][port][0] for port in ports]
        if ports and all(readers[bit] == 1 and bit in behind for bit in data):
            names = [behind[bit] for bit in data]
            enable = _enable(block, [cells[name] for name in names])
            if enable is not None:
                for port, name in zip(ports, names, strict=True):
                    block["connections"][port] = cells.pop(name)["connections"]["Q"]
                block["connections"] |= {"OCEA": enable, "OCEB": enable}
                block["parameters"] |= {"REGMODE_A": "OUTREG", "REGMODE_B": "OUTREG"}
                used += 1
    return used


def _enable(block: Cell, registers: Sequence[Cell]) -> list[Any] | None:
    """What enables all the registers, None if they are not one that the block can have."""
    enables = []
    for register in registers:
        parameters, ports = register["parameters"], register["connections"]
        if not (parameters.items() >= UNRESET.items() and ports.get("LSR", ["0"]) == ["0"]
                and ports["CLK"] == block["connections"]["CLKB"] and parameters["CEMUX"].strip() in ("1", "CE")):
            return None
        enables.append(ports["CE"] if parameters["CEMUX"] == "CE" else ["1"])
    return enables[0] if all(enable == enables[0] for enable in enables) else None


def main(arguments: list[str]) -> None:
    """Read the first file, write the second."""
    source, result = map(Path, arguments)
    netlist = json.loads(source.read_text(encoding="utf-8"))
    use_output_registers(netlist)
    write_whole(result, json.dumps(netlist).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
