"""The conformance vectors of an encoding: packets, and the golden model's answer by each convention.

One vector is `E2 82 41` of UTF-8. It is ill-formed, and its answer U+FFFD U+0041. Its first error is at byte 0 for
Unicode and simdutf. For the grammar it is at byte 2, because `41` is the first byte that cannot continue.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import cycle
from typing import Any, NamedTuple

from ..encodings import ENCODINGS, Encoding
from ..errors import check_choice
from .trap import PACKET_BORDER, Trap
from .utf8_traps import utf8_traps
from .utf16_traps import utf16_traps
from .utf32_traps import utf32_traps

FORMAT = 1
"""Version of the format: it rises when readers of the old one would misread a file."""
EDITION = 1
"""Edition of the data: it rises when a vector is added, changed or removed."""

TRAPS: dict[str, Callable[[], Iterable[Trap]]] = {
    "utf-8": utf8_traps,
    **{name: partial(utf16_traps, ENCODINGS[name]) for name in ("utf-16le", "utf-16be")},
    **{name: partial(utf32_traps, ENCODINGS[name]) for name in ("utf-32le", "utf-32be")},
}
"""The traps of each encoding that has vectors, by its name."""


def document(name: str) -> dict[str, Any]:
    """The vectors of the encoding ``name``, as the JSON file has them. Raises `ParameterError` for an encoding without
    vectors."""
    check_choice("encoding", name, tuple(TRAPS))
    encoding, traps = ENCODINGS[name], [*TRAPS[name]()]
    vectors, turn = [], cycle((True, False))
    for trap in traps:
        for label, packet in trap.packets.items():
            vectors.append({"id": f"{trap.name}/{label}", "trap": trap.name, **vector(encoding, packet)})
            if (rest := _rest(encoding, packet)) is not None:
                suffix, follower = ("rest", rest) if next(turn) else ("text", encoding.encode([0x41]))
                vectors.append({"id": f"{PACKET_BORDER}/{suffix}-after-{trap.name}/{label}", "trap": PACKET_BORDER,
                                **vector(encoding, follower)})
    return {
        "format": FORMAT, "edition": EDITION, "encoding": name, "unit_bytes": encoding.unit_bytes,
        "traps": [{"name": trap.name, "title": trap.title, "mistake": trap.mistake, "source": trap.source}
                  for trap in traps],
        "vectors": vectors,
    }


def vector(encoding: Encoding, packet: bytes) -> dict[str, Any]:
    """The answer to a packet: the text with U+FFFD for each maximal subpart, and the first error by each
    convention."""
    target = ENCODINGS["utf-8"]
    scalars, error, pieces = encoding.decode(packet), encoding.first_error(packet), _pieces(encoding, packet)
    return {
        "bytes": packet.hex().upper(),
        "well_formed": error is None,
        "scalars": scalars,
        "replaced": [number for number, piece in enumerate(pieces) if piece.replaced],
        "output": target.encode(scalars).hex().upper(),
        "first_error": None if error is None else {
            **_unicode_error(encoding, packet, next(piece for piece in pieces if piece.replaced)),
            "simdutf": {"kind": error.kind.name, "code": int(error.kind), "offset": error.offset}},
    }


class _Piece(NamedTuple):
    """A character of a packet, or a maximal subpart: its units are those from ``start`` to ``stop``."""

    start: int
    stop: int
    replaced: bool


def _pieces(encoding: Encoding, packet: bytes) -> list[_Piece]:
    kept = encoding.ends(packet, errors="drop")
    stops = [at + 1 for at, end in enumerate(encoding.ends(packet)) if end]
    return [_Piece(start, stop, not kept[stop - 1]) for start, stop in zip([0, *stops], stops, strict=False)]


def _unicode_error(encoding: Encoding, packet: bytes, piece: _Piece) -> dict[str, Any]:
    """The first error by the grammar and by maximal subparts. ``piece``: the first subpart."""
    units = encoding.unpack(packet)
    subpart = units[piece.start : piece.stop]
    if _completion(encoding, subpart) is None:
        kind, offset = "invalid-start", piece.start
    else:
        offset = piece.start + len(subpart)
        kind = "invalid-continuation" if offset < len(units) else "unexpected-end"
    return {"grammar": {"kind": kind, "offset": offset},
            "subpart": {"kind": kind, "offset": piece.start, "length": piece.stop - piece.start}}


def _completion(encoding: Encoding, units: Sequence[int]) -> list[int] | None:
    """Units that make a well-formed character of ``units``; None if no longer character begins with them."""
    for rule in encoding.rules:
        begins = all(unit in allowed for unit, allowed in zip(units, rule.classes, strict=False))
        if begins and not rule.fault and len(rule.classes) > len(units):
            return [allowed[0] for allowed in rule.classes[len(units) :]]
    return None


def _rest(encoding: Encoding, packet: bytes) -> bytes | None:
    """The rest of the character that a packet ends inside of; None if it does not."""
    pieces = _pieces(encoding, packet)
    if not pieces or not pieces[-1].replaced:
        return None
    rest = _completion(encoding, encoding.unpack(packet)[pieces[-1].start :])
    if rest is None:
        return None
    # Zeros complete a unit that lacks bytes.
    return bytes(-len(packet) % encoding.unit_bytes) or encoding.pack(rest)
