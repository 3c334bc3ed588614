"""Picture of a text in two segments, for docs/segments.md: the € is cut in two. The golden model has the answers."""

from collections.abc import Iterator, Sequence

from runewire_drawing.style import style
from runewire_drawing.svg import document, path, rectangle, text
from runewire_model import DecoderParameters, Flow

from .part import DOCS, GeneratedFile

SEGMENTS = (b"a\xE2\x82", b"\xACb")
"""The two segments of ``a€b``."""
CELL, ROW, LEFT, RIGHT, TOP = 46, 64, 150, 410, 52
STYLE = style({
    "text": "font: 14px ui-sans-serif, system-ui, 'DejaVu Sans', sans-serif; fill: $ink",
    ".faint": "fill: $faint",
    ".byte": "font-family: ui-monospace, 'DejaVu Sans Mono', monospace",
    ".paper": "fill: $paper",
    ".cell": "fill: $panel; stroke: $rule",
    ".cut": "fill: $highlight; stroke: $blue",
    ".bad": "fill: $shade; stroke: $red",
    ".carry": "fill: none; stroke: $blue; stroke-width: 2",
    ".bend": "fill: $blue",
})


def _cells(x: float, y: float, labels: Sequence[str], kinds: Sequence[str]) -> Iterator[str]:
    """Boxes in a row, each with its label."""
    width = 2 * CELL if any(len(label) > 2 for label in labels) else CELL
    for at, (label, kind) in enumerate(zip(labels, kinds, strict=True)):
        yield rectangle(x + width * at, y, width - 4, 32, kind, radius=4)
        yield text(x + width * at + (width - 4) / 2, y + 21, label, "byte", "middle")


def _scalars(output: bytes) -> list[str]:
    """The code points of UTF-32LE."""
    return [f"U+{ord(scalar):04X}" for scalar in output.decode("utf-32-le")]


def picture() -> str:
    """Segments, what a core with flows sends for each, and what a core without sends for the same packets."""
    flow, alone = Flow(DecoderParameters()), DecoderParameters()
    parts = []
    for x, number, segment in ((LEFT, 1, SEGMENTS[0]), (RIGHT, 2, SEGMENTS[1])):
        more = number == 1
        rows = (_scalars(flow.segment(segment, more).output), _scalars(alone.compute(segment).output))
        parts.append(text(x, TOP - 20, f"segment {number}, more {int(more)}", "faint"))
        kinds = ["cut" if octet >= 0x80 else "cell" for octet in segment]
        parts += _cells(x, TOP, [f"{octet:02X}" for octet in segment], kinds)
        for row, labels in enumerate(rows, 1):
            kinds = [{"U+20AC": "cut", "U+FFFD": "bad"}.get(label, "cell") for label in labels]
            parts += _cells(x, TOP + ROW * row, labels, kinds)
    for row, label in enumerate(("s_axis", "with --flows", "without")):
        parts.append(text(20, TOP + ROW * row + 21, label, "faint"))
    # The two bytes that wait for the next segment.
    start, end, y = LEFT + 2 * CELL, RIGHT + CELL / 2, TOP + 32
    parts.append(path(f"M{start} {y}V{y + 14}H{end}V{y + 26}", "carry"))
    parts.append(path(f"M{end - 5} {y + 24}h10l-5 7z", "bend"))
    title = "The text a€b in two segments: with flows the € is whole, without them it becomes two U+FFFD"
    return document(RIGHT + 4 * CELL + 20, TOP + 3 * ROW, parts, style=STYLE, title=title)


GENERATED = (GeneratedFile("segments", DOCS / "segments.svg", picture),)
