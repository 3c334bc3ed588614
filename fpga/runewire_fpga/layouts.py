"""Layouts of placed and routed netlists, read from DEF and LEF files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class PlacedCell:
    """A cell: its kind, and its rectangle in µm with ``x`` and ``y`` at the lower left."""

    kind: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Wire:
    """A straight wire from ``start`` to ``end``, each x and y in µm."""

    start: tuple[float, float]
    end: tuple[float, float]

    @property
    def length(self) -> float:
        """In µm."""
        return abs(self.end[0] - self.start[0]) + abs(self.end[1] - self.start[1])


@dataclass(frozen=True)
class Layout:
    """A routed design; its origin is at the lower left.

    Attributes
    ----------
    width, height : size of the die, in µm
    cells : the cells, without fillers
    wires : signal wires by layer
    """

    width: float
    height: float
    cells: Sequence[PlacedCell]
    wires: Mapping[str, Sequence[Wire]]

    @property
    def cell_area(self) -> float:
        """Area of all cells, in µm²."""
        return sum(cell.width * cell.height for cell in self.cells)

    @property
    def wire_length(self) -> float:
        """Length of all wires, in µm."""
        return sum(wire.length for wires in self.wires.values() for wire in wires)


def cell_sizes(lef: str) -> dict[str, tuple[float, float]]:
    """Width and height of each cell of a LEF file, in µm."""
    return {name: (float(width), float(height)) for name, width, height in
            re.findall(r"^MACRO (\S+)$.*?^\s*SIZE (\S+) BY (\S+) ;", lef, re.MULTILINE | re.DOTALL)}


def read_layout(definition: str, lef: str, filler: str) -> Layout:
    """The layout in a DEF file; ``lef``: the LEF file of its cells, ``filler``: how names of filler cells begin.

    Wires come from the section ``NETS``; the power grid and vias are left out.
    """
    [unit] = re.findall(r"^UNITS DISTANCE MICRONS (\d+) ;", definition, re.MULTILINE)
    [corners] = re.findall(r"^DIEAREA \( (\S+) (\S+) \) \( (\S+) (\S+) \) ;", definition, re.MULTILINE)
    left, low, right, high = map(int, corners)
    sizes = cell_sizes(lef)

    def place(x: int, y: int) -> tuple[float, float]:
        return (x - left) / int(unit), (y - low) / int(unit)

    cells = tuple(PlacedCell(kind, *place(int(x), int(y)), *sizes[kind]) for kind, x, y in re.findall(
        r"^- \S+ (\S+) (?:\+ SOURCE \S+ )?\+ (?:PLACED|FIXED) \( (\S+) (\S+) \)", _section(definition, "COMPONENTS"),
        re.MULTILINE) if not kind.startswith(filler))
    wires: dict[str, list[Wire]] = {}
    for layer, points in re.findall(r"^\s*(?:\+ ROUTED|NEW) (\w+)((?: \( \S+ \S+ \))+)", _section(definition, "NETS"),
                                    re.MULTILINE):
        corner: tuple[int, int] | None = None
        for x, y in re.findall(r"\( (\S+) (\S+) \)", points):
            # A star repeats the coordinate of the point before.
            following = ((corner[0] if corner and x == "*" else int(x)), (corner[1] if corner and y == "*" else int(y)))
            if corner is not None:
                wires.setdefault(layer, []).append(Wire(place(*corner), place(*following)))
            corner = following
    return Layout(*place(right, high), cells, dict(sorted(wires.items())))


def _section(definition: str, name: str) -> str:
    """A section of a DEF file."""
    [text] = re.findall(rf"^{name} \d+ ;$(.*?)^END {name}$", definition, re.MULTILINE | re.DOTALL)
    return str(text)
