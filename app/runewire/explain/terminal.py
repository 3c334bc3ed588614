"""The picture in a terminal: one column per byte; the code point's digits are above their places in the bytes."""

from rich.text import Text
from runewire_model import ENCODINGS, Encoding, Explanation, Octet, Piece

from .notation import title

GROUPS = ("bright_blue", "bright_green", "bright_yellow", "bright_magenta")
"""Colours of the digits, by their byte."""
FAULT = "bright_red"
QUIET = "dim"


def lines(explanation: Explanation) -> list[Text]:
    """The picture line by line, with styles that a terminal may show or ignore."""
    found = []
    for piece in explanation.pieces:
        found += _character(piece) if piece.scalar is not None else _fault(piece)
        found.append(Text())
    legend = "· a zero that fills up the code point's digits"
    if any("·" in line.plain for line in found):
        found.append(Text(legend, QUIET))
    error = explanation.error
    if error is not None:
        found.append(Text(f"first error: {error.kind.name} at byte {error.offset}", FAULT))
    return found or [Text("no bytes")]


def _character(piece: Piece) -> list[Text]:
    assert piece.scalar is not None
    digits, flow = Text("  "), Text("  ")
    for octet, colour in zip(piece.octets, GROUPS, strict=False):
        lead = " " * (len(octet.marker) + 1)
        rest = " " * (_width(octet) - 9) + GAP
        digits.append(lead + "·" * len(octet.pad), QUIET).append(octet.bits, colour).append(rest)
        flow.append(lead + "│".center(len(octet.pad + octet.bits)), colour).append(rest)
    return [Text(title(piece.scalar), "bold"), _stripped(digits), _stripped(flow), *_bytes(piece, GROUPS),
            *_elsewhere(piece.scalar)]


def elsewhere(scalar: int) -> dict[Encoding, bytes | None]:
    """The bytes of the scalar in the other encodings of fixed byte order; None if an encoding lacks it."""
    return {encoding: encoding.encode([scalar]) if scalar <= encoding.greatest else None
            for encoding in ENCODINGS.values() if encoding.name != "utf-8" and not encoding.orders[1:]}


def _elsewhere(scalar: int) -> list[Text]:
    """The bytes of the scalar in the other encodings, next to each other."""
    names, values = Text("  "), Text("  ")
    for encoding, found in elsewhere(scalar).items():
        octets = "–" if found is None else found.hex(" ").upper()
        width = max(len(octets), len(encoding.title)) + len(GAP)
        names.append(encoding.title.ljust(width), QUIET)
        values.append(octets.ljust(width), "bold")
    return [Text(), _stripped(names), _stripped(values)]


def _fault(piece: Piece) -> list[Text]:
    assert piece.kind is not None
    octets = " ".join(f"{octet.value:02X}" for octet in piece.octets)
    many = "s" if len(piece.octets) > 1 else ""
    head = Text(f"{octets}  {piece.kind.name} at byte {piece.offset}", f"bold {FAULT}")
    head.append(f"  (byte{many} replaced by one U+FFFD)", QUIET)
    reasons = [
        Text(f"  {octet.value:02X}  {octet.fault}", FAULT) for octet in piece.octets if octet.fault is not None
    ]
    return [head, *_bytes(piece, (FAULT,) * len(piece.octets)), *reasons]


GAP = "   "


def _width(octet: Octet) -> int:
    """Width of a byte's column: eight digits with a space after the marker, and the class below."""
    return max(9, len(octet.octet_class.value))


def _bytes(piece: Piece, colours: tuple[str, ...]) -> list[Text]:
    bits, values, classes = Text("  "), Text("  "), Text("  ")
    for octet, colour in zip(piece.octets, colours, strict=False):
        width = _width(octet)
        bits.append(octet.marker, "bold").append(" ").append(octet.pad, QUIET).append(octet.bits, colour)
        bits.append(" " * (width - 9) + GAP)
        values.append(f"{octet.value:02X}".ljust(width) + GAP, "bold")
        classes.append(octet.octet_class.value.ljust(width) + GAP, QUIET)
    return [_stripped(line) for line in (bits, values, classes)]


def _stripped(line: Text) -> Text:
    line.rstrip()
    return line
