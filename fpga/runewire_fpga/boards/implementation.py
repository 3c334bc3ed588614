"""Implementation of a board's design: runs Amaranth's build plan of Yosys, nextpnr and packer, and loads the result."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runewire_jobs.errors import ToolError
from runewire_jobs.files import write_whole

from ..tools import Tools, find, loader
from .base import Board
from .network import Network

STEPS = 4
"""Number of steps that `build` reports."""
REPORT = "report.json"
CONSTRAINTS = (".pcf", ".lpf")
BITSTREAMS = (".bin", ".bit")
ROUNDED = 1e-3
"""Relative tolerance of a clock: nextpnr counts whole picoseconds, so that 24 MHz is 24.0004."""


@dataclass(frozen=True)
class ResourceUse:
    """Used and available resources of one kind."""

    name: str
    used: int
    available: int


@dataclass(frozen=True)
class Implementation:
    """A placed design: its resources, the clock that it needs and the clock that it reaches in MHz, and its files."""

    board: Board
    resources: tuple[ResourceUse, ...]
    needed_mhz: float
    mhz: float
    bitstream: Path
    files: tuple[Path, ...]


def sources(board: Board, network: Network | None = None, nextpnr_options: str = "") -> Mapping[str, str]:
    """The files of a board's design by name: its Verilog, the constraints, and Amaranth's build scripts.

    The top module is in ``<board.top>.v``, which instantiates the others. ``network`` and errors: see `Board.design`.
    """
    platform, top = board.design(network)
    plan = platform.prepare(top, board.top, debug_verilog=True, emit_src=False, nextpnr_opts=nextpnr_options)
    files = {name: content if isinstance(content, str) else content.decode() for name, content in plan.files.items()}
    verilog = f"{board.top}.v"
    files[verilog] = files.pop(f"{board.top}.debug.v")
    script, rtlil = f"{board.top}.ys", f"read_rtlil {board.top}.il"
    # Synthesis reads the same file as simulators.
    files[script] = files[script].replace(rtlil, f"read_verilog {verilog}")
    return files


def build(board: Board, directory: Path, network: Network | None = None, seed: int = 1,
          watch: Callable[[str], None] = lambda step: None) -> Implementation:
    """Write a board's bitstream, Verilog and constraints into ``directory``, which is created.

    ``watch`` is called with each step as it begins; ``seed`` of place and route. Raises ToolError if a program or a
    package is missing or fails, or the clock is not reached; then nothing is written.
    """
    tools = Tools()
    watch("Amaranth builds the design")
    # `clock_of` reports a seed that misses the clock, with both figures.
    files = sources(board, network, f"--report {REPORT} --timing-allow-fail --seed {seed}")
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
    """Fmax of the core's domain in MHz, from nextpnr's report.

    Raises ToolError if any clock is not reached, or no clock has the domain's constraint.
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
    """The bitstream in ``directory``. Raises ToolError if there is none."""
    for path in (directory / f"{board.top}{suffix}" for suffix in BITSTREAMS):
        if path.is_file():
            return path
    raise ToolError(f"no bitstream of {board.name} in {directory}: build it with --build")


def load(board: Board, directory: Path, cable: str | None = None) -> None:
    """Load the bitstream in ``directory`` into the board, through its own USB or ``cable``.

    Raises ToolError if there is no bitstream, or with openFPGALoader's message.
    """
    file = bitstream(board, directory)
    way = board.loader if cable is None else ("--cable", cable)
    Tools().run(loader(), [*way, str(file.absolute())], directory)
