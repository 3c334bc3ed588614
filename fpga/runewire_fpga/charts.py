"""Line charts against the number of lanes: small panels under one legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runewire_drawing.axes import LinearAxis, LogAxis, clear_labels
from runewire_drawing.style import style
from runewire_drawing.svg import circle, document, group, path, text, text_width

PANEL_WIDTH, PANEL_HEIGHT = 380, 220
LEFT, RIGHT, TOP, BOTTOM = 56, 22, 56, 42
LEGEND_ROW = 22
TEXT, TICK = 12, 11
"""Font sizes."""
COLUMNS = 2

STYLE = style({
    ".paper": "fill: $paper",
    "text": f"font: {TEXT}px system-ui, sans-serif; fill: $ink",
    ".title": "font-weight: 600; font-size: 13px",
    ".tick": f"font-size: {TICK}px; fill: $faint",
    ".grid": "stroke: $rule; stroke-width: 1; fill: none",
    ".line": "fill: none; stroke-width: 2",
    ".k0": "stroke: $blue; color: $blue",
    ".k1": "stroke-dasharray: 7 4; stroke: $orange; color: $orange",
    ".k2": "stroke-dasharray: 2 4; stroke: $purple; color: $purple",
    ".k3": "stroke-dasharray: 10 3 2 3; stroke: $green; color: $green",
    ".k4": "stroke-width: 1.5; stroke-dasharray: 1 3; stroke: $faint; color: $faint",
    ".dot": "stroke: none; fill: currentColor",
})


@dataclass(frozen=True)
class Line:
    """Points (lanes, value) in order of lanes, each with a dot unless the line is a ``limit``.

    Lines of one name look alike in all panels.
    """

    name: str
    points: Sequence[tuple[int, float]]
    limit: bool = False


@dataclass(frozen=True)
class Panel:
    """One set of axes."""

    title: str
    lines: Sequence[Line]


def chart(panels: Sequence[Panel], unit: str) -> str:
    """An SVG picture of the panels, two a row, under one legend; the values are in ``unit``."""
    names = list(dict.fromkeys(line.name for panel in panels for line in panel.lines))
    columns = min(COLUMNS, len(panels))
    width = columns * PANEL_WIDTH
    legend, top = _legend(names, width)
    places = [(index % columns * PANEL_WIDTH, top + index // columns * PANEL_HEIGHT) for index in range(len(panels))]
    drawn = [group(_panel(panel, names, unit), *place) for panel, place in zip(panels, places, strict=True)]
    return document(width, places[-1][1] + PANEL_HEIGHT, [*legend, *drawn], style=STYLE, title=f"{unit} by lanes")


def _legend(names: Sequence[str], width: int) -> tuple[list[str], int]:
    """The legend, in as many rows as it needs, and its height."""
    parts = []
    x, y = LEFT, 16
    for index, name in enumerate(names):
        long = 50 + round(text_width(name, TEXT))
        if x > LEFT and x + long > width:
            x, y = LEFT, y + LEGEND_ROW
        parts += [path(f"M{x} {y}h26", f"line k{index}"), text(x + 32, y + 4, name)]
        x += long
    return parts, y + LEGEND_ROW - 6


def _panel(panel: Panel, names: Sequence[str], unit: str) -> list[str]:
    lanes = sorted({lane for line in panel.lines for lane, _ in line.points})
    right, bottom = PANEL_WIDTH - RIGHT, PANEL_HEIGHT - BOTTOM
    across = LogAxis(lanes[0], lanes[-1], LEFT, right)
    down = LinearAxis(max(value for line in panel.lines for _, value in line.points), bottom, TOP)
    parts = [text(LEFT, 18, panel.title, "title"), text(LEFT, 36, unit, "tick")]
    for value in down.ticks:
        y = down(value)
        parts += [path(f"M{LEFT} {y:.1f}H{right}", "grid"), text(LEFT - 6, y + 4, f"{value:g}", "tick", "end")]
    parts += [text(x, bottom + 16, label, "tick", "middle")
              for x, label in clear_labels([(across(lane), str(lane)) for lane in lanes], TICK)]
    parts.append(text((LEFT + right) / 2, bottom + 32, "lanes", "tick", "middle"))
    for line in panel.lines:
        kind = f"k{names.index(line.name)}"
        at = [(across(lane), down(value)) for lane, value in line.points]
        parts.append(path(f'M{" ".join(f"{x:.1f} {y:.1f}" for x, y in at)}', f"line {kind}"))
        if not line.limit or len(at) == 1:
            parts += [circle(x, y, 3, f"dot {kind}") for x, y in at]
    return parts
