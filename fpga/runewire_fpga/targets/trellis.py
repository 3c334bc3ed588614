"""Cells with clock limits from Project Trellis' timing database, which nextpnr uses for ECP5, MachXO2 and MachXO3.

nextpnr leaves out the database's minimum pulse widths, so that its Fmax may be above them. A clock whose high and low
pulse last ``width`` picoseconds at least has a period of twice that.
"""

from __future__ import annotations

import math

from .base import CellClass, ClockLimit, Part


def clocked_cells(kinds: str, part: Part, entry: str, *widths: int, family: str = "ECP5", grades: str = "678",
                  **area: int) -> CellClass:
    """A class of cells, limited by the minimum pulse ``widths`` in picoseconds of the database's ``entry``.

    ``grades``: one letter for each width; ``area``: fields of `CellClass.area`, for one cell.
    """
    limits = {
        grade: ClockLimit(part, math.floor(1e8 / (2 * width)) / 100,
                          f"Project Trellis' timing database ({family}/timing/speed_{grade}/cells.json): {entry}, "
                          f"high and low for {width} ps at least")
        for grade, width in zip(grades, widths, strict=True)
    }
    return CellClass(kinds, what=part, limits=limits, **area)
