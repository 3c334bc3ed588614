"""Synthesis, place and route: what a core takes of a device, and how fast it runs there."""

from .clusters import cluster
from .designs import Design, Variant
from .measurement import Measurement
from .place_and_route import CriticalPath, Placement
from .store import Store
from .sweeps import Failure, Point, steps, sweep
from .targets import AUTOMATIC, TARGETS, Area, Capacity, ClockLimit, Target, target
from .tools import ToolError, find

__all__ = [
    "AUTOMATIC",
    "TARGETS",
    "Area",
    "Capacity",
    "ClockLimit",
    "CriticalPath",
    "Design",
    "Failure",
    "Measurement",
    "Placement",
    "Point",
    "Store",
    "Target",
    "ToolError",
    "Variant",
    "cluster",
    "find",
    "steps",
    "sweep",
    "target",
]
