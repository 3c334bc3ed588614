"""The devices that cores are synthesised for, as data: a family a file.

A further device is a `Target` in the file of its family; a further family is a file with a tuple ``TARGETS``, and its
name in the list `_FAMILIES`.
"""

from __future__ import annotations

from collections.abc import Mapping

from runewire_model.errors import check_choice

from . import ecp5, gatemate, gowin, ice40, machxo2, nexus, xilinx
from .base import MEMORIES, NOT_FOUND, Area, Capacity, CellClass, ClockLimit, DeviceFamily, Part, Target

__all__ = [
    "AUTOMATIC", "MEMORIES", "NOT_FOUND", "TARGETS",
    "Area", "Capacity", "CellClass", "ClockLimit", "DeviceFamily", "Part", "Target", "smallest", "target",
]

_FAMILIES = (ecp5, ice40, nexus, gowin, machxo2, gatemate, xilinx)

TARGETS: Mapping[str, Target] = {each.name: each for family in _FAMILIES for each in family.TARGETS}
"""All targets by name."""

AUTOMATIC: Mapping[str, tuple[str, ...]] = {"ecp5": ("ecp5-25k", "ecp5-85k")}
"""Names of several targets, of which a core gets the smallest that it fits."""

FILL = 0.75
"""Largest fraction of a device that a core takes before `smallest` chooses the next: a fuller one is slow to place."""


def target(name: str) -> Target:
    """The target of that name; the smallest device for a name in `AUTOMATIC`. Raises `ValueError`."""
    if name in AUTOMATIC:
        name = AUTOMATIC[name][0]
    if name not in TARGETS:
        check_choice("target", name, (*AUTOMATIC, *TARGETS))
    return TARGETS[name]


def smallest(name: str, area: Area) -> Target:
    """The target of that name; for a name in `AUTOMATIC` the first that ``area`` fits, or the last if it fits none."""
    *choice, last = [TARGETS[each] for each in AUTOMATIC.get(name, (name,))]
    return next((device for device in choice if device.fits(area, FILL)), last)
