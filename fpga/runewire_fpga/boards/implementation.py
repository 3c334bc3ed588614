"""From a board's design to its bitstream: Amaranth's plan for Yosys, nextpnr and the packer, carried out here."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from runewire_rtl.errors import ToolError
from runewire_rtl.files import write_whole

from ..tools import Tools, find, loader
from .base import Board

__all__ = ["STEPS", "Implementation", "ResourceUse", "build", "clock_of", "load", "sources"]

STEPS = 4
"""How often `build` tells of a step."""
REPORT = "report.json"
CONSTRAINTS = (".pcf", ".lpf")
BITSTREAMS = (".bin", ".bit")
ROUNDED = 1e-3
"""nextpnr counts whole picoseconds, so that a clock of 24 MHz is one of 24.0004."""


@dataclass(frozen=True)
class ResourceUse:
    """What a design takes of one kind of a device's parts."""

    name: str
    used: int
    available: int


@dataclass(frozen=True)
class Implementation:
    """A placed design: what it takes, the clock that it needs and the one that it may have, in MHz, and its files."""

    board: Board
    resources: tuple[ResourceUse, ...]
    needed_mhz: float
    mhz: float
    bitstream: Path
    files: tuple[Path, ...]


def sources(board: Board, ip: IPv4Address | None = None, nextpnr_options: str = "") -> Mapping[str, str]:
    """The files of a board's design by name: its Verilog, the constraints, and what Amaranth writes to build them.

    The top module is in ``<board.top>.v``, around the other Verilog. ``ip``, and what is raised: as `Board.design` has
    it.
    """
    platform, top = board.design(ip)
    plan = platform.prepare(top, board.top, debug_verilog=True, emit_src=False, nextpnr_opts=nextpnr_options)
    files = {name: content if isinstance(content, str) else content.decode() for name, content in plan.files.items()}
    verilog = f"{board.top}.v"
    files[verilog] = files.pop(f"{board.top}.debug.v")
    script, rtlil = f"{board.top}.ys", f"read_rtlil {board.top}.il"
    # What is synthesised is the file that simulators read.
    files[script] = files[script].replace(rtlil, f"read_verilog {verilog}")
    return files


def build(board: Board, directory: Path, ip: IPv4Address | None = None, seed: int = 1,
          watch: Callable[[str], None] = lambda step: None) -> Implementation:
    """Write a board's bitstream into ``directory``, which is made, beside its Verilog and constraints.

    ``watch`` is told of each step that begins; ``seed`` is that of place and route. Raises ToolError where a program or
    a package is missing or fails, and where the clock does not hold: then nothing is written.
    """
    tools = Tools()
    watch("Amaranth builds the design")
    # A seed that misses the clock is for us to tell of, with both figures.
    files = sources(board, ip, f"--report {REPORT} --timing-allow-fail --seed {seed}")
    with tempfile.TemporaryDirectory(prefix="runewire-board-") as room:
        directory_of_tools = Path(room)
        for name, content in files.items():
            (directory_of_tools / name).write_text(content, encoding="utf-8")
        for program, *arguments in json.loads(files[f"build_{board.top}.json"])["commands"]:
            watch(program)
            tools.run(find(program), arguments, directory_of_tools)
        report = json.loads((directory_of_tools / REPORT).read_text())
        mhz = clock_of(report, board)
        made = {name: content.encode() for name, content in files.items() if name.endswith((".v", *CONSTRAINTS))}
        made |= {path.name: path.read_bytes() for path in directory_of_tools.iterdir() if path.suffix in BITSTREAMS}
    directory.mkdir(parents=True, exist_ok=True)
    for name, contents in made.items():
        write_whole(directory / name, contents)
    resources = tuple(ResourceUse(name, report["utilization"][kind]["used"], report["utilization"][kind]["available"])
                      for kind, name in board.used.items())
    return Implementation(board, resources, board.mhz, mhz, bitstream(board, directory),
                          tuple(directory / name for name in sorted(made)))


def clock_of(report: Mapping[str, Any], board: Board) -> float:
    """The fastest clock of the core's domain, in MHz, from nextpnr's report.

    Raises ToolError where any clock does not hold, or the domain's has another constraint.
    """
    clocks = report["fmax"]
    for name, clock in clocks.items():
        if clock["achieved"] < clock["constraint"]:
            raise ToolError(f"{board.name} needs {clock['constraint']:.1f} MHz, and {name} reaches "
                            f"{clock['achieved']:.1f} MHz: another --seed may hold")
    found = [clock["achieved"] for clock in clocks.values()
             if abs(clock["constraint"] / board.mhz - 1) < ROUNDED]
    if not found:
        raise ToolError(f"no clock of {board.name} was held against {board.mhz} MHz")
    return float(min(found))


def bitstream(board: Board, directory: Path) -> Path:
    """The bitstream in ``directory``. Raises ToolError where there is none."""
    for path in (directory / f"{board.top}{suffix}" for suffix in BITSTREAMS):
        if path.is_file():
            return path
    raise ToolError(f"no bitstream of {board.name} in {directory}: build it with --build")


def load(board: Board, directory: Path, cable: str | None = None) -> None:
    """Load the bitstream in ``directory`` into the board, through ``cable`` in place of the board's own way.

    Raises ToolError where there is no bitstream, and with openFPGALoader's word where that fails.
    """
    file = bitstream(board, directory)
    way = board.loader if cable is None else ("--cable", cable)
    Tools().run(loader(), [*way, str(file.absolute())], directory)
