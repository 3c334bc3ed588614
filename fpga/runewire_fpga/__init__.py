"""Synthesis, place and route: what a core takes of a device, and how fast it runs there."""

from .clocks import Clock
from .designs import Design, Variant
from .measurement import Measurement
from .place_and_route import CriticalPath, Placement
from .sweeps import Failure, Point, digests, steps, sweep
from .targets import AUTOMATIC, MEMORIES, TARGETS, Area, Capacity, ClockLimit, Target, target
from .tools import find

__all__ = [
    "AUTOMATIC",
    "MEMORIES",
    "TARGETS",
    "Area",
    "Capacity",
    "Clock",
    "ClockLimit",
    "CriticalPath",
    "Design",
    "Failure",
    "Measurement",
    "Placement",
    "Point",
    "Target",
    "Variant",
    "digests",
    "find",
    "steps",
    "sweep",
    "target",
]
