"""The explanation as data, for other programs."""

from typing import Any

from runewire_model import Explanation, Octet, Piece

from .notation import name
from .terminal import elsewhere


def as_json(explanation: Explanation) -> dict[str, Any]:
    """The explanation, ready for JSON; docs/interface.md describes the fields."""
    error = explanation.error
    return {
        "bytes": "".join(f"{octet.value:02X}" for piece in explanation.pieces for octet in piece.octets),
        "error": None if error is None else {"kind": error.kind.name, "offset": error.offset},
        "pieces": [_piece(piece) for piece in explanation.pieces],
    }


def _piece(piece: Piece) -> dict[str, Any]:
    """A character, or an ill-formed subpart that one U+FFFD replaces."""
    scalar = piece.scalar
    return {
        "offset": piece.offset,
        "scalar": scalar,
        "name": None if scalar is None else name(scalar),
        "kind": None if piece.kind is None else piece.kind.name,
        "bytes": [_octet(octet) for octet in piece.octets],
        "encodings": {} if scalar is None else {
            encoding.name: None if octets is None else octets.hex().upper()
            for encoding, octets in elsewhere(scalar).items()},
    }


def _octet(octet: Octet) -> dict[str, Any]:
    return {"offset": octet.offset, "value": f"{octet.value:02X}", "class": octet.octet_class.value,
            "marker": octet.marker, "padding": octet.pad, "bits": octet.bits, "fault": octet.fault}
