"""The symbol of a core: a block with its AXI4-Stream interfaces, and the width of each port."""

from collections.abc import Iterator, Sequence

from runewire_drawing.style import style
from runewire_drawing.svg import document, path, rectangle, text
from runewire_model import TranscoderParameters
from runewire_rtl.ports import Port, ports

WIDTH, LEFT, RIGHT, MARGIN = 380, 76, 304, 10
"""Picture, edges of the block, and the outer ends of wires, in pixels."""
ROW, TOP, TITLE, GAP = 21, 8, 54, 8
SIZE = 13
STYLE = style({
    ".paper": "fill: $paper",
    "text": f'font: {SIZE}px ui-monospace, "DejaVu Sans Mono", monospace; fill: $ink',
    ".bus": "font-weight: 600; fill: $blue",
    ".report": "font-weight: 600; fill: $orange",
    ".title": "font: 600 15px system-ui, sans-serif",
    ".note": "font: 13px system-ui, sans-serif; fill: $faint",
    ".width": "font-size: 12px; fill: $faint",
    ".block": "stroke-width: 1.5; fill: $panel; stroke: $blue",
    ".wire": "stroke-width: 1.2; fill: none; stroke: $faint",
    ".wires": "stroke-width: 3; fill: none; stroke: $faint",
    ".tip": "fill: $faint",
})


def symbol(core: TranscoderParameters) -> str:
    """The symbol in SVG: on the left ``s_axis``, clock and reset, on the right ``m_axis``, ``m_report`` and
    ``m_records`` or ``m_rejects``."""
    buses: dict[str, list[Port]] = {}
    for port in ports(core):
        buses.setdefault(port.name.rpartition("_")[0], []).append(port)
    left, right = ([(name, buses[name]) for name in names if name in buses]
                   for names in (("s_axis", ""), ("m_axis", "m_report", "m_records", "m_rejects")))
    height = TITLE + max(_tall(side) for side in (left, right))
    lanes = f"{core.lanes} lane{'s' if core.lanes > 1 else ''}"
    drawn = [
        rectangle(LEFT, TOP, RIGHT - LEFT, height, "block", radius=6),
        text((LEFT + RIGHT) / 2, TOP + 22, f"{core.core}, {lanes}", "title", "middle"),
        text((LEFT + RIGHT) / 2, TOP + 41, core.does, "note", "middle"),
        *_side(left, right=False), *_side(right, right=True),
    ]
    return document(WIDTH, height + 2 * TOP, drawn, style=STYLE, title=f"Ports of the {core}")


def _tall(side: Sequence[tuple[str, Sequence[Port]]]) -> float:
    """Height of the buses on one side."""
    return sum((len(table) + bool(name)) * ROW + GAP for name, table in side)


def _side(side: Sequence[tuple[str, Sequence[Port]]], *, right: bool) -> Iterator[str]:
    """The buses of one side: the name of each, and a row for each port."""
    inside, anchor = (RIGHT - 8, "end") if right else (LEFT + 8, "")
    y = TOP + TITLE + ROW / 2
    for name, table in side:
        if name:
            yield text(inside, y + 4, name, "bus" if name in ("s_axis", "m_axis") else "report", anchor)
            y += ROW
        for port in table:
            told = port.name == "m_axis_tuser"
            yield text(inside, y + 4, port.name.removeprefix(f"{name}_"), "report" if told else "", anchor)
            yield from _wire(port, y, right=right)
            y += ROW
        y += GAP


def _wire(port: Port, y: float, *, right: bool) -> Iterator[str]:
    """A port's wire with an arrow in its direction; several bits are a thick wire with their number above it."""
    inner, outer = (RIGHT, WIDTH - MARGIN) if right else (LEFT, MARGIN)
    start, end = (outer, inner) if port.direction == "input" else (inner, outer)
    ahead = 1 if end > start else -1
    yield path(f"M{start} {y}H{end - 7 * ahead}", "wire" if port.width == 1 else "wires")
    yield path(f"M{end} {y}l{-9 * ahead} -5v10Z", "tip")
    if port.width > 1:
        yield text((outer + inner) / 2, y - 5, str(port.width), "width", "middle")
