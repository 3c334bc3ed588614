"""The picture as SVG: the code point's binary digits above its bytes, joined by bands."""

from runewire_drawing.style import style
from runewire_drawing.svg import document, path, rectangle, text, wrapped
from runewire_model import Explanation, Octet, Piece

from .notation import title

CELL, TALL = 18, 24
"""A binary digit's cell, width and height, in pixels."""
GAP, MARGIN = 18, 24
FLOW = 46
"""Height of the flow between digits and bytes."""
WIDTH = 4 * 8 * CELL + 3 * GAP + 2 * MARGIN
"""Four bytes in a row, and the margins."""
NAME, TEXT, NOTE = 18, 15, 13
"""Font sizes."""

STYLE = style({
    "svg": "color-scheme: light dark",
    ".paper": "fill: $paper",
    "text": f"font: {TEXT}px system-ui, sans-serif; fill: $ink",
    ".digit": "font: 14px ui-monospace, monospace",
    ".hex": "font: bold 17px ui-monospace, monospace",
    ".class": f"font-size: {NOTE}px; fill: $faint",
    ".name": f"font-size: {NAME}px; font-weight: 600",
    ".note": f"font-size: {NOTE}px; fill: $faint",
    ".fault": "fill: $red",
    ".pad": "fill: $dim",
    ".cell": "fill: none; stroke: $rule",
    ".marker": "fill: $shade; stroke: $rule",
    ".byte": "fill: none; stroke-width: 1.5; stroke: $faint",
    ".bad": "stroke: $red",
    ".g0": "fill: $blue",
    ".g1": "fill: $green",
    ".g2": "fill: $yellow",
    ".g3": "fill: $purple",
    ".flow": "opacity: 0.2",
})


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
        canvas.line("No bytes.", "note", NOTE)
    return canvas.document(_title(explanation))


def _title(explanation: Explanation) -> str:
    octets = [f"{octet.value:02X}" for piece in explanation.pieces for octet in piece.octets]
    return f"UTF-8, bit by bit: {' '.join(octets[:16])}{' …' if len(octets) > 16 else ''}"


class _Canvas:
    def __init__(self) -> None:
        self._parts: list[str] = []
        self._y = MARGIN

    def document(self, name: str) -> str:
        """Everything drawn so far."""
        return document(WIDTH, self._y + MARGIN - GAP, self._parts, style=STYLE, title=name)

    def line(self, content: str, kind: str, size: int = TEXT, below: int = GAP) -> None:
        """Running text, wrapped to the width."""
        for part in wrapped(content, WIDTH - 2 * MARGIN, size):
            self._parts.append(text(MARGIN, self._y + 16, part, kind))
            self._y += 22
        self._y += below

    def character(self, piece: Piece) -> None:
        """A character: title, digits, flow, bytes."""
        assert piece.scalar is not None
        self.line(title(piece.scalar), "name", NAME, below=8)
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
            self._parts.append(path(
                f"M{x:g} {top} C{x:g} {middle:g} {left:g} {middle:g} {left:g} {below} "
                f"H{left + wide:g} C{left + wide:g} {middle:g} {x + wide:g} {middle:g} {x + wide:g} {top} Z",
                f"flow g{index}"))
            for place, digit in enumerate(payload):
                self._cell(x + place * CELL, digit, "pad" if place < len(octet.pad) else f"g{index}")
            x += wide
        self._y = below
        self._bytes(piece.octets, [f"g{index}" for index in range(4)], "byte")

    def fault(self, piece: Piece) -> None:
        """An ill-formed part: title, bytes, and the fault of each."""
        assert piece.kind is not None
        self.line(f"{piece.kind.name} at byte {piece.offset}, replaced by one U+FFFD", "name fault", NAME, below=8)
        self._bytes(piece.octets, ["fault"] * len(piece.octets), "byte bad")
        self._y -= GAP - 4
        for octet in piece.octets:
            if octet.fault is not None:
                self.line(f"{octet.value:02X}: {octet.fault}", "note", NOTE, below=0)
        self._y += GAP + 8

    def _bytes(self, octets: tuple[Octet, ...], colours: list[str], frame: str) -> None:
        for index, octet in enumerate(octets):
            left = MARGIN + index * (8 * CELL + GAP)
            kinds = [*[""] * len(octet.marker), *["pad"] * len(octet.pad), *[colours[index]] * len(octet.bits)]
            for place, (digit, kind) in enumerate(zip(octet.marker + octet.pad + octet.bits, kinds, strict=True)):
                if not kind:
                    self._parts.append(rectangle(left + place * CELL, self._y, CELL, TALL, "marker"))
                self._cell(left + place * CELL, digit, kind)
            centre = left + 4 * CELL
            self._parts += [
                rectangle(left, self._y, 8 * CELL, TALL, frame, radius=2),
                text(centre, self._y + TALL + 20, f"{octet.value:02X}", "hex", "middle"),
                text(centre, self._y + TALL + 38, octet.octet_class.value, "class", "middle"),
            ]
        self._y += TALL + 48 + GAP

    def _cell(self, x: float, digit: str, kind: str) -> None:
        self._parts += [rectangle(x, self._y, CELL, TALL, "cell"),
                        text(x + CELL / 2, self._y + 17, digit, f"digit {kind}".strip(), "middle")]
