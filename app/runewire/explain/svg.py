"""The picture as SVG: the code point's digits flow into its bytes. Stands alone, for light and dark pages."""

import textwrap
from xml.sax.saxutils import escape

from runewire_model import Explanation, Octet, Piece

from .notation import title

CELL, TALL = 18, 24
"""A binary digit's cell, width and height, in pixels."""
GAP, MARGIN = 18, 24
FLOW = 46
"""Height of the flow between digits and bytes."""
NARROWEST = 4 * 8 * CELL + 3 * GAP + 2 * MARGIN
"""Four bytes side by side, and the margins."""
LETTER = 6.6
"""Average width of a letter of the notes."""

STYLE = """\
svg { color-scheme: light dark; }
.page { fill: #ffffff; }
text { fill: #1f2328; font: 15px system-ui, sans-serif; }
.digit { font: 14px ui-monospace, monospace; text-anchor: middle; }
.hex { font: bold 17px ui-monospace, monospace; text-anchor: middle; }
.class { fill: #59636e; font-size: 13px; text-anchor: middle; }
.name { font-size: 18px; font-weight: 600; }
.note { fill: #59636e; font-size: 13px; }
.fault { fill: #b3261e; }
.pad { fill: #8c959f; }
.cell { fill: none; stroke: #d1d9e0; }
.marker { fill: #eaeef2; stroke: #d1d9e0; }
.byte { fill: none; stroke: #59636e; stroke-width: 1.5; }
.bad { stroke: #b3261e; }
.g0 { fill: #0969da; } .g1 { fill: #1a7f37; } .g2 { fill: #9a6700; } .g3 { fill: #8250df; }
.flow { opacity: 0.16; }
@media (prefers-color-scheme: dark) {
  .page { fill: #0d1117; }
  text { fill: #e6edf3; }
  .class, .note { fill: #9198a1; }
  .fault { fill: #ff8177; }
  .pad { fill: #7d8590; }
  .cell { stroke: #3d444d; }
  .marker { fill: #262c36; stroke: #3d444d; }
  .byte { stroke: #9198a1; }
  .bad { stroke: #ff8177; }
  .g0 { fill: #6cb0ff; } .g1 { fill: #4ac26b; } .g2 { fill: #e3b341; } .g3 { fill: #c297ff; }
  .flow { opacity: 0.25; }
}
"""


def draw(explanation: Explanation) -> str:
    """An SVG document of the pieces, one below the other."""
    canvas = _Canvas()
    for piece in explanation.pieces:
        if piece.scalar is not None:
            canvas.character(piece)
        else:
            canvas.fault(piece)
    if explanation.error is not None:
        error = explanation.error
        canvas.line(f"First error: {error.kind.name} at byte {error.offset}", "fault")
    if not explanation.pieces:
        canvas.line("No bytes.", "note")
    return canvas.document(_title(explanation))


def _title(explanation: Explanation) -> str:
    octets = [f"{octet.value:02X}" for piece in explanation.pieces for octet in piece.octets]
    return f"UTF-8, bit by bit: {' '.join(octets[:16])}{' …' if len(octets) > 16 else ''}"


class _Canvas:
    def __init__(self) -> None:
        self._parts: list[str] = []
        self._y = MARGIN
        self._width = NARROWEST

    def document(self, name: str) -> str:
        """Everything drawn so far."""
        height = self._y + MARGIN - GAP
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self._width} {height}" width="{self._width}" '
            f'height="{height}" role="img">',
            f"<title>{escape(name)}</title>",
            f"<style>\n{STYLE}</style>",
            f'<rect class="page" width="{self._width}" height="{height}" rx="8"/>',
            *self._parts,
            "</svg>",
            "",
        ])

    def line(self, text: str, kind: str, below: int = GAP) -> None:
        """Running text, over as many lines as it takes."""
        for part in textwrap.wrap(text, int((self._width - 2 * MARGIN) / LETTER)) or [""]:
            self._text(MARGIN, self._y + 16, part, kind)
            self._y += 22
        self._y += below

    def character(self, piece: Piece) -> None:
        """A character: title, digits, flow, bytes."""
        assert piece.scalar is not None
        self.line(title(piece.scalar), "name", below=8)
        digits = sum(len(octet.pad + octet.bits) for octet in piece.octets)
        span = len(piece.octets) * 8 * CELL + (len(piece.octets) - 1) * GAP
        x = MARGIN + (span - digits * CELL) / 2
        top = self._y + TALL
        below = top + FLOW
        for index, octet in enumerate(piece.octets):
            payload = octet.pad + octet.bits
            left = MARGIN + index * (8 * CELL + GAP) + len(octet.marker) * CELL
            wide = len(payload) * CELL
            middle = (top + below) / 2
            self._parts.append(
                f'<path class="flow g{index}" d="M{x:g} {top} C{x:g} {middle:g} {left:g} {middle:g} {left:g} {below} '
                f'H{left + wide:g} C{left + wide:g} {middle:g} {x + wide:g} {middle:g} {x + wide:g} {top} Z"/>')
            for place, digit in enumerate(payload):
                self._cell(x + place * CELL, self._y, digit, "pad" if place < len(octet.pad) else f"g{index}")
            x += wide
        self._y = below
        self._bytes(piece.octets, [f"g{index}" for index in range(4)], "byte")

    def fault(self, piece: Piece) -> None:
        """What one U+FFFD replaces: title, bytes, and why each is bad."""
        assert piece.kind is not None
        self.line(f"{piece.kind.name} at byte {piece.offset}, replaced by one U+FFFD", "name fault", below=8)
        self._bytes(piece.octets, ["fault"] * len(piece.octets), "byte bad")
        self._y -= GAP - 4
        for octet in piece.octets:
            if octet.fault is not None:
                self.line(f"{octet.value:02X}: {octet.fault}", "note", below=0)
        self._y += GAP + 8

    def _bytes(self, octets: tuple[Octet, ...], colours: list[str], frame: str) -> None:
        for index, octet in enumerate(octets):
            left = MARGIN + index * (8 * CELL + GAP)
            for place, digit in enumerate(octet.marker + octet.pad + octet.bits):
                marker = place < len(octet.marker)
                pad = not marker and place < len(octet.marker + octet.pad)
                if marker:
                    self._parts.append(f'<rect class="marker" x="{left + place * CELL}" y="{self._y}" '
                                       f'width="{CELL}" height="{TALL}"/>')
                self._cell(left + place * CELL, self._y, digit, "" if marker else "pad" if pad else colours[index])
            self._parts.append(f'<rect class="{frame}" x="{left}" y="{self._y}" width="{8 * CELL}" '
                               f'height="{TALL}" rx="2"/>')
            centre = left + 4 * CELL
            self._text(centre, self._y + TALL + 20, f"{octet.value:02X}", "hex")
            self._text(centre, self._y + TALL + 38, octet.octet_class.value, "class")
        self._y += TALL + 48 + GAP

    def _cell(self, x: float, y: float, digit: str, kind: str) -> None:
        self._parts.append(f'<rect class="cell" x="{x:g}" y="{y:g}" width="{CELL}" height="{TALL}"/>')
        self._text(x + CELL / 2, y + 17, digit, f"digit {kind}".strip())

    def _text(self, x: float, y: float, text: str, kind: str) -> None:
        self._parts.append(f'<text x="{x:g}" y="{y:g}" class="{kind}">{escape(text)}</text>')
