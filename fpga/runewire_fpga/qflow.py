"""Place and route of a netlist in standard cells with qflow: its layout, and its delay with wires."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runewire_jobs.cache import Store
from runewire_jobs.errors import MissingToolError, ToolError
from runewire_jobs.fingerprint import digest
from runewire_model import ParameterError
from runewire_model.errors import Named

from .layouts import Layout, cell_sizes, read_layout
from .tools import Tool, Tools

NETLIST_TOP = "core"
"""The module of a netlist to place."""
OSU018 = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
"""The Liberty library of qflow's 180 nm technology, where Debian's package puts it."""
_VARIABLES = "set graywolf_options = \"-n\"\n"
"""qflow's options: graywolf opens no window."""


@dataclass(frozen=True)
class Technology:
    """A technology of qflow: its name, the folder of its files, its libraries in Liberty and LEF, its filler cell."""

    name: str
    folder: Path
    liberty: Path
    lef: Path
    filler: str


@dataclass(frozen=True)
class Routed:
    """A netlist after place and route.

    Attributes
    ----------
    technology : its name
    layout : cells and wires, with the buffers and the clock tree that qflow adds
    gates : area of the cells in areas of the gate equivalent
    period_ps : the shortest clock period between registers by vesta: flip-flop, gates, wires, set-up time and skew
    path : the kinds of cells on the slowest path, from flip-flop to flip-flop
    version : qflow's version
    """

    technology: str
    layout: Layout
    gates: float
    period_ps: float
    path: Sequence[str]
    version: str

    def to_json(self) -> dict[str, Any]:
        """JSON-ready, without cells and wires."""
        return {
            "technology": self.technology,
            "width_um": round(self.layout.width, 2),
            "height_um": round(self.layout.height, 2),
            "cells": len(self.layout.cells),
            "kge": round(self.gates / 1000, 2),
            "wire_um": round(self.layout.wire_length),
            "period_ps": round(self.period_ps),
            "path": list(self.path),
        }


def technology_of(library: Path) -> Technology:
    """The technology of qflow that the Liberty library belongs to: the folder has a script of its own name.

    Raises MissingToolError for `OSU018` where it is not installed, ParameterError for any other library.
    """
    name = library.parent.name
    script = library.parent / f"{name}.sh"
    if not script.is_file():
        if library == OSU018:
            raise MissingToolError("the technology osu018 is missing: apt-get install qflow-tech-osu018")
        raise ParameterError(Named("liberty"), f" with --place must be a library of a technology of qflow, such as "
                                               f"{OSU018}, got {str(library)!r}")
    settings = dict(re.findall(r"^set (\w+)=(\S+)", script.read_text(encoding="utf-8"), re.MULTILINE))
    if settings["libertyfile"] != library.name:
        raise ParameterError(Named("liberty"), f" with --place must be {library.parent / settings['libertyfile']}, the "
                                               f"library that qflow uses, got {str(library)!r}")
    return Technology(name, library.parent, library, library.parent / settings["leffile"], settings["fillcell"])


def find_qflow() -> Tool:
    """qflow on PATH. Raises MissingToolError."""
    found = shutil.which("qflow")
    if found is None:
        raise MissingToolError("qflow is missing: apt-get install qflow qflow-tech-osu018")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
    number = re.search(r"version (\S+) revision (\S+)", said)
    return Tool("qflow", (found,), ".".join(number.groups()) if number else said.strip().partition("\n")[0])


def place_and_route(netlist: str, nand: str, technology: Technology, *, store: Store,
                    watch: Callable[[str], None] = lambda step: None) -> Routed:
    """Place and route a netlist of the technology's cells, whose top is `NETLIST_TOP`. A result in the store is used
    again.

    ``nand``: the cell that is one gate equivalent; ``watch`` is called with each step as it begins. Raises ToolError.
    """
    qflow = find_qflow()
    lef = technology.lef.read_text(encoding="utf-8")
    key = digest("qflow", Path(__file__).read_bytes(), netlist, technology.liberty.read_bytes(), lef, qflow.version)
    stored = store.get(key)
    if stored is None:
        watch("place and route")
        definition, timing = _run(netlist, technology, qflow)
        store.put(key, json.dumps([definition, timing]).encode())
    else:
        definition, timing = json.loads(stored)
    layout = read_layout(definition, lef, technology.filler)
    width, height = cell_sizes(lef)[nand]
    period, path = slowest_path(timing)
    return Routed(technology.name, layout, layout.cell_area / (width * height), period, path, qflow.version)


def slowest_path(timing: str) -> tuple[float, tuple[str, ...]]:
    """Delay in ps of the slowest path between registers in vesta's report, with set-up time; the kinds of its cells.

    Raises ToolError for a report without one.
    """
    paths = timing.partition("maximum delay paths:\n")[2].partition("\nComputed")[0]
    # The first of them is the slowest. Paths to output pins are among them.
    found = re.search(r"^Path (\S+)/\S+ to (\S+)/\S+ delay (\S+) ps\n(.*?)\n\n", paths, re.DOTALL | re.MULTILINE)
    if found is None:
        raise ToolError("qflow failed: vesta reported no path between registers", timing)
    cells = [found[1], *re.findall(r"-> +(\S+)/\S+$", found[4], re.MULTILINE)[1:]]
    return float(found[3]), tuple(cell.rpartition("_")[0] for cell in cells)


def _run(netlist: str, technology: Technology, qflow: Tool) -> tuple[str, str]:
    """The DEF file of the routed netlist, and vesta's report."""
    with tempfile.TemporaryDirectory(prefix="runewire-qflow-") as room:
        project = Path(room)
        for folder in ("source", "synthesis", "layout", "tech"):
            (project / folder).mkdir()
        (project / "tech" / technology.name).symlink_to(technology.folder)
        (project / "source" / f"{NETLIST_TOP}.v").write_text(netlist, encoding="ascii")
        (project / "project_vars.sh").write_text(_VARIABLES, encoding="ascii")
        Tools().run(qflow, ["synthesize", "place", "route", "backanno", "-T", technology.name, "-p", room, NETLIST_TOP],
                    project)
        route, timing = (log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
                         for log in (project / "log" / "route.log", project / "log" / "post_sta.log"))
        ends = re.findall(r"^Final: (.*)$", route, re.MULTILINE) or ["the cells were not placed"]
        if ends[-1] != "No failed routes!":
            raise ToolError(f"qflow failed: {ends[-1]}", route)
        return (project / "layout" / f"{NETLIST_TOP}.def").read_text(encoding="utf-8"), timing
