"""ASIC synthesis with Yosys and ABC: area and gate delay in standard cells of a Liberty library."""

from __future__ import annotations

import itertools
import json
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from runewire_jobs.cache import Store
from runewire_jobs.errors import ToolError
from runewire_jobs.fingerprint import digest
from runewire_model import ParameterError, __version__
from runewire_model.errors import Named
from runewire_rtl.parameters import TranscoderParameters

from .designs import Variant, design_apart
from .qflow import NETLIST_TOP, Routed, Technology, place_and_route
from .tools import Tools, find

LIBERTY = "liberty"
"""Name of the target for a library of cells."""
CELL_MEMORIES = ("registers", "macro")
"""Memory choices: flip-flops of the library, or macros, which are counted but have no area."""

_GATES: Mapping[str, Callable[..., bool]] = {
    "$_BUF_": lambda a: a, "$_NOT_": lambda a: not a, "$_AND_": lambda a, b: a and b, "$_OR_": lambda a, b: a or b,
    "$_XOR_": lambda a, b: a != b,
}
_LIBRARY, _REPORT, _STATISTICS, _TIMING = "cells.lib", "library.json", "statistics.json", "stats.txt"
_NETLIST = "netlist.v"
# Yosys' ABC script for a library, with sizing of cells, and with timing that ``-d`` writes to a file.
_ABC = """\
strash; &get -n; &fraig -x; &put; scorr; dc2; dretime; strash
&get -n; &dch -f; &nf; &put; buffer; upsize; dnsize; stime -p -d
"""


@dataclass(frozen=True)
class Nand:
    """The smallest two-input NAND of a library, and its area in the library's own unit: one gate equivalent."""

    name: str
    area: float


@dataclass(frozen=True)
class Mapped:
    """A design in cells of a library.

    Attributes
    ----------
    library : the library's name
    nand : the gate equivalent
    area, register_area : area of all cells, and of the flip-flops among them, in the library's own unit
    registers : number of flip-flops
    cells : number of cells by name
    memories : number of memory macros by module
    delay_ps : ABC's longest path through gates between registers, ports and memories, without the delay of wires and
        registers
    netlist : the cells as Verilog; the module is `NETLIST_TOP`, nets have names without a meaning
    """

    library: str
    nand: Nand
    area: float
    register_area: float
    registers: int
    cells: Mapping[str, int]
    memories: Mapping[str, int]
    delay_ps: int
    netlist: str

    def kilogates(self, area: float) -> float:
        """An area in thousands of gate equivalents (kGE)."""
        return area / self.nand.area / 1000


@dataclass(frozen=True)
class CellMeasurement:
    """Area and gate delay of a core in a library.

    ``memory``: one of `CELL_MEMORIES`; ``file``: name of the library's file; ``design``: digest of the core's Verilog;
    ``made_by``: command line that measures it; ``routed``: the core after place and route, if it was placed.
    """

    parameters: TranscoderParameters
    file: str
    memory: str
    mapped: Mapped
    latency_cycles: int
    design: str
    tool_versions: Mapping[str, str]
    made_by: str
    routed: Routed | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON-ready; areas in kGE, except for ``cells_area``, in the library's own unit."""
        mapped = self.mapped
        return {
            **self.parameters.record(),
            "target": LIBERTY,
            "library": mapped.library,
            "file": self.file,
            "memory": self.memory,
            "kge": round(mapped.kilogates(mapped.area), 2),
            "kge_registers": round(mapped.kilogates(mapped.register_area), 2),
            "delay_ps": mapped.delay_ps,
            "registers": mapped.registers,
            "memories": dict(sorted(mapped.memories.items())),
            "cells_area": {"all": mapped.area, "registers": mapped.register_area, "nand2": asdict(mapped.nand)},
            "cells": dict(sorted(mapped.cells.items())),
            **({"routed": self.routed.to_json()} if self.routed is not None else {}),
            "latency_cycles": self.latency_cycles,
            "design": {"version": self.tool_versions["runewire"], "digest": self.design},
            "tool_versions": dict(self.tool_versions),
            "made_by": self.made_by,
        }

    def text(self) -> str:
        """The content of its file."""
        return json.dumps(self.to_json(), indent=2) + "\n"


def measure_cells(parameters: TranscoderParameters, library: Path, memory: str, *, store: Store, made_by: str,
                  technology: Technology | None = None,
                  watch: Callable[[str], None] = lambda step: None) -> CellMeasurement:
    """Map a core to the cells of a library, and place and route it. A result in the store is used again.

    ``technology``: of qflow, to place the cells in; None for no placement. ``watch`` is called with each step as it
    begins. Raises `OSError` for a library that cannot be read, ToolError for an unsuitable library, `ValueError` for
    another ``memory``.
    """
    if memory not in CELL_MEMORIES:
        raise ParameterError(Named("memory"), f" of cells must be {' or '.join(CELL_MEMORIES)}, got {memory!r}")
    cells = library.read_bytes()
    yosys, tools = find("yosys"), Tools()
    try:
        watch("Verilog")
        made = design_apart(parameters, Variant.CORE, tools)
        key = digest("cells", Path(__file__).read_bytes(), made.verilog, cells, memory, yosys.version)
        kept = store.get(key)
        if kept is None:
            watch("cells")
            found = map_cells(made.verilog, made.top, cells, macros=memory == "macro", tools=tools)
            store.put(key, json.dumps(asdict(found)).encode())
        else:
            fields = json.loads(kept)
            found = Mapped(**{**fields, "nand": Nand(**fields["nand"])})
        routed = None if technology is None else place_and_route(found.netlist, found.nand.name, technology,
                                                                 store=store, watch=watch)
    except BaseException:
        tools.stop()
        raise
    versions = {"runewire": __version__, "yosys": yosys.version, **({"qflow": routed.version} if routed else {})}
    return CellMeasurement(
        parameters=parameters, file=library.name, memory=memory, mapped=found, latency_cycles=made.latency_cycles,
        design=made.digest, tool_versions=versions, made_by=made_by, routed=routed)


def map_cells(verilog: str, top: str, library: bytes, *, macros: bool, tools: Tools | None = None) -> Mapped:
    """The module ``top`` in cells of the library, given as its text.

    ``macros``: modules with ``_memory_`` in their names are memory macros. Raises ToolError for a library without a
    two-input NAND, or without a cell that the design needs.
    """
    run = tools or Tools()
    with tempfile.TemporaryDirectory(prefix="runewire-cells-") as room:
        directory = Path(room)
        (directory / _LIBRARY).write_bytes(library)
        (directory / "design.v").write_text(verilog, encoding="ascii")
        (directory / "map.abc").write_text(_ABC, encoding="ascii")
        read = ["-q", "-p", f"read_liberty -ignore_miss_func -ignore_miss_dir {_LIBRARY}; write_json {_REPORT}"]
        run.run(find("yosys"), read, directory)
        modules = json.loads((directory / _REPORT).read_text(encoding="utf-8"))["modules"]
        nand = _nand(modules)
        (directory / "script.ys").write_text(_script(top, macros), encoding="ascii")
        run.run(find("yosys"), ["-q", "-s", "script.ys"], directory)
        counted = json.loads((directory / _STATISTICS).read_text(encoding="utf-8"))["modules"][f"\\{top}"]
        # A line for each design that ABC has mapped: inputs, outputs, gates, area, delay.
        timing = [line.split() for line in (directory / _TIMING).read_text(encoding="utf-8").splitlines() if line]
        netlist = (directory / _NETLIST).read_text(encoding="ascii")
    cells = {name: count for name, count in counted["num_cells_by_type"].items() if name != "$scopeinfo"}
    memories = {name: cells.pop(name) for name in [*cells] if macros and "_memory_" in name}
    name = re.search(rb"^\s*library\s*\(\s*\"?([^\")]+?)\"?\s*\)", library, flags=re.MULTILINE)
    return Mapped(
        library=name[1].decode(errors="replace") if name else "",
        nand=nand,
        area=counted["area"],
        register_area=counted["sequential_area"],
        registers=sum(count for each, count in cells.items() if _registers(modules[each])),
        cells=cells,
        memories=memories,
        delay_ps=max(int(words[-1]) for words in timing),
        netlist=netlist,
    )


def _script(top: str, macros: bool) -> str:
    """The Yosys script from ``design.v`` to cells of the library."""
    return "\n".join([
        "read_verilog -DSYNTHESIS design.v",
        *(["blackbox *_memory_*"] if macros else []),
        f"synth -flatten -noabc -top {top}",
        f"dfflibmap -liberty {_LIBRARY}",
        f"abc -liberty {_LIBRARY} -script map.abc",
        "opt_clean",
        f"tee -q -o {_STATISTICS} stat -json -liberty {_LIBRARY}",
        "setundef -zero",
        "delete t:$scopeinfo",
        # qflow takes a net with ".end" in its name for the end of the netlist.
        "rename -hide",
        f"rename {top} {NETLIST_TOP}",
        f"write_verilog -noattr -noexpr {_NETLIST}",
        "",
    ])


def _nand(modules: Mapping[str, Any]) -> Nand:
    """The smallest two-input NAND among a library's cells, by their functions. Raises ToolError."""
    found = [Nand(name, float(module["attributes"]["area"])) for name, module in modules.items()
             if "area" in module["attributes"] and _is_nand(module)]
    found = [nand for nand in found if nand.area > 0]
    if not found:
        raise ToolError("the library has no NAND of two inputs, a cell with an area and the function !(A & B): "
                        "gate equivalents need one")
    return min(found, key=lambda nand: (nand.area, nand.name))


def _is_nand(module: Mapping[str, Any]) -> bool:
    ports = module["ports"].values()
    inputs = [port["bits"] for port in ports if port["direction"] == "input"]
    outputs = [port["bits"] for port in ports if port["direction"] == "output"]
    gates = module["cells"].values()
    if [len(inputs), len(outputs), len(ports)] != [2, 1, 3] or any(gate["type"] not in _GATES for gate in gates):
        return False
    drivers = {gate["connections"]["Y"][0]: gate for gate in gates}

    def value(bit: int | str, given: Mapping[int, bool]) -> bool:
        if bit in given or bit in ("0", "1"):
            return given[bit] if isinstance(bit, int) else bit == "1"
        gate = drivers[bit]
        return _GATES[gate["type"]](*(value(gate["connections"][pin][0], given)
                                      for pin in "AB" if pin in gate["connections"]))

    ([one], [other]), [[output]] = inputs, outputs
    return all(value(output, {one: a, other: b}) is not (a and b)
               for a, b in itertools.product((False, True), repeat=2))


def _registers(module: Mapping[str, Any]) -> bool:
    return any("FF" in cell["type"] for cell in module["cells"].values())
