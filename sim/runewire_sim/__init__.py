"""Simulation of the generated cores, compared with the golden model."""

from .design import Design, generated
from .errors import MissingToolError, SimulationError
from .results import Chunk, PacketEnd, ProtocolError, Run, Stats
from .scoreboard import Difference, PacketError, Report, compare
from .simulators import SIMULATORS, simulate
from .stalls import Stalls

__all__ = [
    "SIMULATORS",
    "Chunk",
    "Design",
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
    "compare",
    "generated",
    "simulate",
]
