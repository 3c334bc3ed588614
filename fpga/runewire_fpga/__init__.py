"""Synthesis, place and route: area and clock of a core on a device."""

from .clocks import Clock
from .designs import StandaloneDesign, Variant
from .measurement import Measurement
from .place_and_route import CriticalPath, Placement
from .points import FailedPoint, SweepPoint, Trials
from .sweeps import digests, sweep
from .targets import AUTOMATIC, MEMORIES, TARGETS, Area, Capacity, ClockLimit, Target, target
from .tools import find

__all__ = [
    "AUTOMATIC", "MEMORIES", "TARGETS", "Area", "Capacity", "Clock", "ClockLimit", "CriticalPath", "FailedPoint",
    "Measurement", "Placement", "StandaloneDesign", "SweepPoint", "Target", "Trials", "Variant", "digests",
    "find", "sweep", "target",
]
