"""The symbol of a core: its ports in front of a block, inputs on the left and outputs on the right."""

from collections.abc import Iterator, Sequence

from runewire_drawing.style import style
from runewire_drawing.svg import document, path, rectangle, text
from runewire_model import DecoderParameters, TranscoderParameters
from runewire_rtl.ports import Port, ports

from .part import DOCS, GeneratedFile

SHOWN = DecoderParameters(lanes=8)
"""The core of the first page."""
WIDTH, ROW, TOP, MARGIN = 760, 24, 56, 16
LEFT, RIGHT = 250, 490
"""Edges of the block."""
STYLE = style({
    ".paper": "fill: $panel",
    "text": 'font: 13px ui-monospace, "DejaVu Sans Mono", monospace; fill: $ink',
    ".stream": "font-weight: 600; fill: $blue",
    ".report": "font-weight: 600; fill: $orange",
    ".title": "font: 600 16px system-ui, sans-serif",
    ".note": "font: 12px system-ui, sans-serif; fill: $faint",
    ".block": "stroke-width: 1.5; fill: $highlight; stroke: $blue",
    ".wire": "stroke-width: 1.4; fill: none; stroke: $ink",
    ".bus": "stroke-width: 3.5; fill: none; stroke: $ink",
    ".tip": "fill: $ink",
})


def symbol(core: TranscoderParameters) -> str:
    """The symbol in SVG: a row for each port of a stream, clock and reset below."""
    every = ports(core)
    sides = [[port for port in every if port.name.startswith(stream)] for stream in ("s_axis", "m_axis")]
    rows = max(map(len, sides))
    bottom = TOP + ROW * rows + 8
    drawn = [
        rectangle(LEFT, 16, RIGHT - LEFT, bottom - 16 + ROW * 2, "block", radius=6),
        text((LEFT + RIGHT) / 2, TOP + 14, f"{core.lanes}-lane {core.core}", "title", "middle"),
        *(text((LEFT + RIGHT) / 2, TOP + 38 + 18 * row, note, "note", "middle")
          for row, note in enumerate((f"{core.reads} in", f"{core.writes} out", "a beat every cycle"))),
        text(MARGIN, 34, "s_axis", "stream"), text(WIDTH - MARGIN, 34, "m_axis", "stream", "end"),
    ]
    for place, side in enumerate(sides):
        drawn += _side(side, TOP, right=bool(place))
    drawn += _side([port for port in every if port.name in ("aclk", "aresetn")], bottom, right=False)
    reported = next((number for number, port in enumerate(sides[1]) if port.name == "m_axis_tuser"), None)
    if reported is not None:
        drawn.append(text(WIDTH - MARGIN, TOP + ROW * reported + 30, "first error: kind and offset", "note", "end"))
    return document(WIDTH, bottom + 2 * ROW + 16, drawn, style=STYLE, title=f"Ports of the {core.lanes}-lane {core.core}")


def _side(side: Sequence[Port], top: float, *, right: bool) -> Iterator[str]:
    """One row a port: its name at the picture's edge, then its wire; a bus is thick, and has its width above it."""
    for number, port in enumerate(side):
        y = top + ROW * number
        name = port.name.removeprefix("s_axis_").removeprefix("m_axis_")
        kind = "report" if name == "tuser" else ""
        outer, inner = (WIDTH - MARGIN - 70, RIGHT) if right else (MARGIN + 70, LEFT)
        yield text(WIDTH - MARGIN if right else MARGIN, y + 9, name, kind, "end" if right else "")
        start, end = (outer, inner) if port.direction == "input" else (inner, outer)
        ahead = 1 if end > start else -1
        yield path(f"M{start} {y + 5}H{end - 8 * ahead}", "wire" if port.width == 1 else "bus")
        yield path(f"M{end} {y + 5}l{-10 * ahead} -5v10Z", "tip")
        if port.width > 1:
            yield text((outer + inner) / 2, y, str(port.width), "note", "middle")


GENERATED = (GeneratedFile("symbol", DOCS / "symbol.svg", lambda: symbol(SHOWN)),)
