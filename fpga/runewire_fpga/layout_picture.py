"""Picture of a layout: cells by kind, wires by layer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runewire_drawing.style import style
from runewire_drawing.svg import document, group, path, rectangle, text, text_width

from .layouts import Layout, PlacedCell, Wire

WIDTH = 900
"""Width of the die, in pixels."""
MARGIN, TITLE, LEGEND = 20, 44, 40
"""Pixels around the die, above it, and below it."""
TEXT = 13
KINDS = (("flip-flops", "ff", ("DFF",)), ("buffers", "buffer", ("BUF", "CLKBUF")), ("gates", "gate", ("",)))
"""Kinds of cells: in the legend, in the style sheet, and how their names begin; the first that fits counts."""
LAYERS = 6
"""Layers with a colour of their own, from the lowest."""

STYLE = style({
    ".paper": "fill: $paper",
    "text": f"font: {TEXT}px system-ui, sans-serif; fill: $ink",
    ".die": "fill: none; stroke: $dim; stroke-width: 1",
    ".ff": "fill: $blue; fill-opacity: 0.25; stroke: $blue; stroke-width: 0.3",
    ".buffer": "fill: $orange; fill-opacity: 0.3; stroke: $orange; stroke-width: 0.3",
    ".gate": "fill: $shade; stroke: $dim; stroke-width: 0.3",
    ".wire": "fill: none; stroke-width: 0.9",
    ".sample": "stroke-width: 3",
    ".m1": "stroke: $purple",
    ".m2": "stroke: $red",
    ".m3": "stroke: $green",
    ".m4": "stroke: $blue",
    ".m5": "stroke: $yellow",
    ".m6": "stroke: $orange",
})


def draw(layout: Layout, title: str) -> str:
    """The layout as SVG with a legend; ``title`` is above it. Layers are drawn from the lowest up."""
    scale = WIDTH / layout.width
    high = layout.height * scale
    cells: dict[str, list[PlacedCell]] = {name: [] for _, name, _ in KINDS}
    for cell in layout.cells:
        cells[next(name for _, name, begins in KINDS if cell.kind.startswith(begins))].append(cell)
    layers = [(layer, f"m{number}") for number, layer in enumerate(layout.wires, 1) if number <= LAYERS]
    die = [
        *(path(_rectangles(placed, scale, high), name) for name, placed in cells.items() if placed),
        *(path(_lines(layout.wires[layer], scale, high), f"wire {kind}") for layer, kind in layers),
        rectangle(0, 0, WIDTH, high, "die"),
    ]
    legend = [*((what, f"{name} sample", True) for what, name, _ in KINDS if cells[name]),
              *((layer, f"wire sample {kind}", False) for layer, kind in layers)]
    return document(
        WIDTH + 2 * MARGIN, TITLE + high + LEGEND,
        [text(MARGIN, 28, f"{title}: {layout.width:.0f} × {layout.height:.0f} µm"), group(die, MARGIN, TITLE),
         group(_legend(legend), MARGIN, TITLE + high + 25)], style=STYLE, title=title)


def _legend(entries: Sequence[tuple[str, str, bool]]) -> Iterable[str]:
    """Samples in a row, each a rectangle or a line, with its name."""
    x = 0.0
    for name, kind, filled in entries:
        yield rectangle(x, -11, 18, 12, kind) if filled else path(f"M{x:.1f} -5h18", kind)
        yield text(x + 24, 0, name)
        x += 24 + text_width(name, TEXT) + 16


def _rectangles(cells: Iterable[PlacedCell], scale: float, high: float) -> str:
    return "".join(f"M{cell.x * scale:.1f} {high - cell.y * scale:.1f}h{cell.width * scale:.1f}"
                   f"v{-cell.height * scale:.1f}h{-cell.width * scale:.1f}z" for cell in cells)


def _lines(wires: Iterable[Wire], scale: float, high: float) -> str:
    return "".join(f"M{wire.start[0] * scale:.1f} {high - wire.start[1] * scale:.1f}"
                   f"L{wire.end[0] * scale:.1f} {high - wire.end[1] * scale:.1f}" for wire in wires)
