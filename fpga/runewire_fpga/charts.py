"""Line charts as SVG: small panels side by side, logarithmic in lanes, for a light and a dark page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Line", "Panel", "chart"]

PANEL_WIDTH, PANEL_HEIGHT = 340, 250
LEFT, RIGHT, TOP, BOTTOM = 56, 14, 34, 42
LEGEND_ROW = 22
LETTER = 6.6
"""Width of a letter of the legend, about."""
COLUMNS = 2

STYLE = """\
.paper { fill: #ffffff }
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600; font-size: 13px }
.tick { font-size: 11px; fill: #57606a }
.grid { stroke: #d0d7de; stroke-width: 1; fill: none }
.line { fill: none; stroke-width: 2 }
.k0 { stroke: #0969da; color: #0969da }
.k1 { stroke: #bc4c00; stroke-dasharray: 7 4; color: #bc4c00 }
.k2 { stroke: #8250df; stroke-dasharray: 2 4; color: #8250df }
.k3 { stroke: #1a7f37; stroke-dasharray: 10 3 2 3; color: #1a7f37 }
.k4 { stroke: #6e7781; stroke-width: 1.5; stroke-dasharray: 1 3; color: #6e7781 }
.dot { stroke: none; fill: currentColor }
@media (prefers-color-scheme: dark) {
  .paper { fill: #0d1117 }
  text { fill: #e6edf3 } .tick { fill: #9198a1 } .grid { stroke: #3d444d }
  .k0 { stroke: #4493f8; color: #4493f8 } .k1 { stroke: #f0883e; color: #f0883e }
  .k2 { stroke: #ab7df8; color: #ab7df8 } .k3 { stroke: #3fb950; color: #3fb950 }
  .k4 { stroke: #9198a1; color: #9198a1 }
}"""


@dataclass(frozen=True)
class Line:
    """``points`` (lanes, value), in order of lanes, each with a dot unless the line is a ``limit``.

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
    """An SVG picture of the panels, two a row, under one legend; ``unit`` is that of the values."""
    names = list(dict.fromkeys(line.name for panel in panels for line in panel.lines))
    columns = min(COLUMNS, len(panels))
    width = columns * PANEL_WIDTH
    legend, legend_height = _legend(names, width)
    height = legend_height + -(-len(panels) // columns) * PANEL_HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img">',
        f"<style>\n{STYLE}\n</style>",
        '<rect class="paper" width="100%" height="100%" rx="8"/>',
        *legend,
    ]
    for index, panel in enumerate(panels):
        x, y = index % columns * PANEL_WIDTH, legend_height + index // columns * PANEL_HEIGHT
        parts.append(f'<g transform="translate({x} {y})">')
        parts += _panel(panel, names, unit)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def _legend(names: Sequence[str], width: int) -> tuple[list[str], int]:
    """The legend, in as many rows as it needs, and its height."""
    parts = []
    x, y = LEFT, 16
    for index, name in enumerate(names):
        long = 32 + round(LETTER * len(name)) + 18
        if x > LEFT and x + long > width:
            x, y = LEFT, y + LEGEND_ROW
        parts.append(f'<path class="line k{index}" d="M{x} {y}h26"/>')
        parts.append(f'<text x="{x + 32}" y="{y + 4}">{escape(name)}</text>')
        x += long
    return parts, y + LEGEND_ROW - 6


def _panel(panel: Panel, names: Sequence[str], unit: str) -> list[str]:
    lanes = sorted({lane for line in panel.lines for lane, _ in line.points})
    top = max(value for line in panel.lines for _, value in line.points)
    step = _step(top)
    ceiling = math.ceil(top / step) * step
    inner_width, inner_height = PANEL_WIDTH - LEFT - RIGHT, PANEL_HEIGHT - TOP - BOTTOM

    def across(lane: int) -> float:
        if len(lanes) == 1:
            return LEFT + inner_width / 2
        return LEFT + inner_width * math.log2(lane / lanes[0]) / math.log2(lanes[-1] / lanes[0])

    def down(value: float) -> float:
        return TOP + inner_height * (1 - value / ceiling)

    parts = [f'<text class="title" x="{LEFT}" y="20">{escape(panel.title)}, {escape(unit)}</text>']
    for count in range(round(ceiling / step) + 1):
        y = down(count * step)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}h{inner_width}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">'
                     f'{count * step:g}</text>')
    for lane in lanes:
        parts.append(f'<text class="tick" x="{across(lane):.1f}" y="{TOP + inner_height + 16}" '
                     f'text-anchor="middle">{lane}</text>')
    parts.append(f'<text class="tick" x="{LEFT + inner_width / 2:.1f}" y="{TOP + inner_height + 32}" '
                 'text-anchor="middle">lanes</text>')
    for line in panel.lines:
        kind = names.index(line.name)
        at = [(across(lane), down(value)) for lane, value in line.points]
        parts.append(f'<path class="line k{kind}" d="M{" ".join(f"{x:.1f} {y:.1f}" for x, y in at)}"/>')
        if not line.limit or len(at) == 1:
            parts += [f'<circle class="dot k{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in at]
    return parts


def _step(top: float) -> float:
    """A round distance between grid lines, for four to eight of them."""
    magnitude = 10.0 ** math.floor(math.log10(top / 4))
    return next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if top / (factor * magnitude) <= 6)
