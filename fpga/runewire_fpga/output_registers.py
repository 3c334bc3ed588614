"""Netlist pass for ECP5: moves flip-flops into the output registers of block RAM, which Yosys leaves unused.

The clock-to-output time of a block RAM is several times a look-up table's, but the block has a register at its output.
The pass runs between Yosys and nextpnr. Flip-flops become the block's output register if they take all data that is
read from it. They must have one clock, one enable and no reset, and nothing else may take the data.

The netlist has one clock, and its blocks are written and read at the rising edge and always enabled. The pass leaves
every other block as it is, and these:

- a block with a reset, which would clear the output register too
- a block with a driven enable (``CE``, ``OCE``) or chip select, which would hold back the output register
- a block whose output register is used already
- a block that a global reset clears while it does not clear the flip-flops, or the reverse
- a block before a flip-flop that starts at 1, or has a reset, a second data input, or an attribute that keeps it or its
  place

``python -m runewire_fpga.output_registers NETLIST RESULT`` runs the pass on a netlist in Yosys' JSON.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from runewire_jobs.files import write_whole

Cell = dict[str, Any]
"""A cell in Yosys' JSON: type, parameters, and the bits at its ports."""

PLAIN_BLOCK = {
    **{f"REGMODE_{side}": "NOREG" for side in "AB"},
    **{f"CLK{side}MUX": f"CLK{side}" for side in "AB"},
    **{f"CSDECODE_{side}": "0b000" for side in "AB"},
}
"""Parameters of a block whose output registers are free, and which works at rising edges. They are also the
defaults."""

PLAIN_PORTS = {
    **{f"CE{side}": "1" for side in "AB"},
    **{f"OCE{side}": "01" for side in "AB"},  # has no effect without an output register
    **{f"{port}{side}{index}": "0" for port, index in (("RST", ""), ("CS", 0), ("CS", 1), ("CS", 2)) for side in "AB"},
}
"""Constants at the ports of a block that is always enabled and never reset; also the defaults of missing ports."""

PLAIN_REGISTER = {"CLKMUX": "CLK", "REGSET": "RESET", "LSRMUX": "LSR"}
"""Parameters of a flip-flop that starts at 0 and works at rising edges, as an output register does."""

KEPT = {"keep", "BEL", "LOC"}
"""Attributes of a flip-flop that must not be moved."""


def use_output_registers(netlist: Mapping[str, Any]) -> int:
    """Move flip-flops into the block RAMs (``DP16KD``) that they follow, in place.

    Returns the number of blocks that were changed.
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
    """Whether the block's output registers would behave as flip-flops that are always enabled."""
    parameters, ports = block["parameters"], block["connections"]
    return (all(parameters.get(name, value) == value for name, value in PLAIN_BLOCK.items())
            and all(ports.get(name) in (None, [], *map(list, values)) for name, values in PLAIN_PORTS.items())
            and ports["CLKA"] == ports["CLKB"])


def _enable(block: Cell, registers: Sequence[Cell]) -> list[Any] | None:
    """The enable of all the registers; None if the block's output register cannot replace them."""
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
    """Run the pass on the first file, and write the second."""
    source, result = map(Path, arguments)
    netlist = json.loads(source.read_text(encoding="utf-8"))
    use_output_registers(netlist)
    write_whole(result, json.dumps(netlist).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
