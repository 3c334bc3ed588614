"""Netlist pass for ECP5: the faster write mode for ports of block RAM that write or read, but not both.

A block RAM (``DP16KD``) that reads the old value at a write (``READBEFOREWRITE``) has a lower clock limit than one that
shows nothing then (``NORMAL``). The mode says what a port's own output shows while the port writes. So it has no effect
on a port that never writes, or whose output nothing takes. Yosys chooses the slow mode for such ports: to it all modes
are the same.

The pass runs between Yosys and nextpnr. It changes no other parameter, and leaves a port that writes and is read.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from .synthesis import Netlist, cell_kind

SLOW = "READBEFOREWRITE"


def fast_write_modes(netlist: Netlist) -> Netlist:
    """The netlist with ``NORMAL`` for each port that does not both write and read; itself without such a port."""
    if not any(kind.startswith("DP16KD") and SLOW in kind for kind in netlist.cells):
        return netlist
    found = json.loads(gzip.decompress(netlist.json))
    (top,) = (module for module in found["modules"].values() if "top" in module["attributes"])
    kinds = Counter(netlist.cells)
    taken = {bit for port in top["ports"].values() if port["direction"] != "input" for bit in port["bits"]}
    for cell in top["cells"].values():
        taken |= {bit for port, bits in cell["connections"].items() if cell["port_directions"][port] != "output"
                  for bit in bits}
    for block in (cell for cell in top["cells"].values() if cell["type"] == "DP16KD"):
        before = cell_kind(block)
        for side in "AB":
            if block["parameters"].get(f"WRITEMODE_{side}") == SLOW and not _both(block["connections"], side, taken):
                block["parameters"][f"WRITEMODE_{side}"] = "NORMAL"
        kinds.subtract([before])
        kinds.update([cell_kind(block)])
    return Netlist(gzip.compress(json.dumps(found).encode(), compresslevel=3, mtime=0), +kinds)


def _both(connections: Mapping[str, list[Any]], side: str, taken: set[Any]) -> bool:
    """Whether a port writes, and something takes its output."""
    writes = connections.get(f"WE{side}", ["0"]) != ["0"]
    read = any(taken.intersection(bits) for port, bits in connections.items() if port.startswith(f"DO{side}"))
    return writes and read
