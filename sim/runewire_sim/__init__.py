"""Simulation of the generated cores, compared with the golden model."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .design import VerilogDesign, generated
    from .errors import MissingToolError, SimulationError
    from .results import Chunk, PacketEnd, ProtocolError, Run, Stats
    from .scoreboard import Difference, PacketError, Report, compare
    from .simulators import SIMULATORS, simulate
    from .stalls import Stalls

__all__ = [
    "SIMULATORS",
    "Chunk",
    "Difference",
    "MissingToolError",
    "PacketEnd",
    "PacketError",
    "ProtocolError",
    "Report",
    "Run",
    "SimulationError",
    "Stalls",
    "Stats",
    "VerilogDesign",
    "compare",
    "generated",
    "simulate",
]

_HOME = {
    "VerilogDesign": "design",
    "generated": "design",
    "MissingToolError": "errors",
    "SimulationError": "errors",
    "Chunk": "results",
    "PacketEnd": "results",
    "ProtocolError": "results",
    "Run": "results",
    "Stats": "results",
    "Difference": "scoreboard",
    "PacketError": "scoreboard",
    "Report": "scoreboard",
    "compare": "scoreboard",
    "SIMULATORS": "simulators",
    "simulate": "simulators",
    "Stalls": "stalls",
}
"""The module of each name that is imported when it is asked for."""


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    return found
