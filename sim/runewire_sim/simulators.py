"""The simulators by name, with one interface."""

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from .design import VerilogDesign
from .results import Run
from .stalls import NO_STALLS, Stalls
from .wire_format import Packet


class Simulator(Protocol):
    """Starts a simulation of ``packets`` through ``design``; the `Run` streams the results.

    ``waves``: a file for the waves, or None. Raises MissingToolError, SimulationError, ValueError for a kind
    of waves that it cannot write, and OSError.
    """

    def __call__(self, design: VerilogDesign, packets: Iterable[Packet], stalls: Stalls, waves: Path | None,
                 ) -> Run: ...


def _in(module: str) -> Simulator:
    """The simulator of a module, which is imported when it runs."""
    def run(design: VerilogDesign, packets: Iterable[Packet], stalls: Stalls, waves: Path | None) -> Run:
        found: Run = importlib.import_module(f".{module}", __package__).run(design, packets, stalls, waves)
        return found

    return run


SIMULATORS: dict[str, Simulator] = {
    "verilator": _in("verilator"),
    "icarus": _in("icarus"),
    "amaranth": _in("amaranth_sim"),
}
"""The simulators by name."""


def simulate(design: VerilogDesign, packets: Iterable[Packet], stalls: Stalls = NO_STALLS, waves: Path | None = None,
             simulator: str = "verilator") -> Run:
    """Simulate with the simulator of that name; raises ValueError for a name that is not in `SIMULATORS`."""
    if simulator not in SIMULATORS:
        raise ValueError(f"simulator must be one of {', '.join(SIMULATORS)}, got {simulator!r}")
    return SIMULATORS[simulator](design, packets, stalls, waves)
