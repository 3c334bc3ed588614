"""Explanation of UTF-8 as data: how a code point becomes bytes, and the role of each byte of a string."""

import enum
from dataclasses import dataclass

from ...errors import ErrorKind, FirstError, check_bytes
from .decoder import decode
from .encoder import encode
from .grammar import RUN
from .validator import SMALLEST, announced_length, error_kind, is_continuation, spelled_scalar, validate


class OctetClass(enum.Enum):
    """Class of a single byte, regardless of its neighbours; the value is its name for people."""

    ASCII = "ASCII"
    CONTINUATION = "continuation"
    LEAD_2 = "lead of 2"
    LEAD_3 = "lead of 3"
    LEAD_4 = "lead of 4"
    NEVER = "never in UTF-8"


@dataclass(frozen=True)
class Octet:
    """One byte, at ``offset`` in the string.

    ``marker + pad + bits`` are its eight binary digits. ``marker``: the header bits, which give the byte's class.
    ``pad``: leading zeros that fill up the code point's digits; empty in an ill-formed sequence. ``bits``: the code
    point's digits.
    ``fault``: None, or one sentence that says why the byte is not part of a well-formed character.
    """

    offset: int
    value: int
    octet_class: OctetClass
    marker: str
    pad: str
    bits: str
    fault: str | None


@dataclass(frozen=True)
class Piece:
    """A character, or a maximal subpart of an ill-formed sequence (one U+FFFD replaces it).

    For a character ``scalar`` is its code point and ``kind`` is None. For a subpart ``scalar`` is None and ``kind`` is
    the error that is found when reading starts at ``offset``.
    """

    offset: int
    octets: tuple[Octet, ...]
    scalar: int | None
    kind: ErrorKind | None


@dataclass(frozen=True)
class Explanation:
    """A byte string as consecutive pieces that cover all of it, and its first error as `validate` returns it."""

    pieces: tuple[Piece, ...]
    error: FirstError | None


def explain_scalar(scalar: int) -> Piece:
    """The sequence of one code point. Raises `EncodeError` for a surrogate or a number above 10FFFF."""
    return explain_bytes(encode([scalar], errors="strict")).pieces[0]


def explain_bytes(data: bytes) -> Explanation:
    """Each byte of ``data`` with its class, its bits, and the reason if it is ill-formed.

    Raises TypeError unless ``data`` is bytes.
    """
    check_bytes("data", data)
    pieces = []
    offset = 0
    while match := RUN.match(data, offset):
        if match.lastindex in (1, 2, 3, 4):
            length = match.lastindex
            pieces += [_character(data, start, length) for start in range(offset, match.end(), length)]
        else:
            pieces.append(_subpart(data, offset, match.end()))
        offset = match.end()
    return Explanation(tuple(pieces), validate(data))


def _octet_class(value: int) -> OctetClass:
    if value in (0xC0, 0xC1) or value >= 0xF5:
        return OctetClass.NEVER
    if is_continuation(value):
        return OctetClass.CONTINUATION
    by_length = (OctetClass.ASCII, OctetClass.LEAD_2, OctetClass.LEAD_3, OctetClass.LEAD_4)
    return by_length[announced_length(value) - 1]


def _marker_width(value: int) -> int:
    """Number of header bits: the length of 10, 0, 110, 1110 or 11110; 8 for a byte F8 or above."""
    if is_continuation(value):
        return 2
    return {1: 1, 2: 3, 3: 4, 4: 5, 0: 8}[announced_length(value)]


def _character(data: bytes, offset: int, length: int) -> Piece:
    octets = data[offset : offset + length]
    [scalar] = decode(octets)
    padding = sum(8 - _marker_width(value) for value in octets) - len(f"{scalar:b}")
    explained = []
    for index, value in enumerate(octets):
        digits, marker = f"{value:08b}", _marker_width(value)
        pad = min(padding, 8 - marker)
        padding -= pad
        explained.append(Octet(offset + index, value, _octet_class(value), digits[:marker],
                               digits[marker : marker + pad], digits[marker + pad :], None))
    return Piece(offset, tuple(explained), scalar, None)


def _subpart(data: bytes, start: int, end: int) -> Piece:
    kind = error_kind(data, start)
    explained = []
    for offset in range(start, end):
        value = data[offset]
        digits, marker = f"{value:08b}", _marker_width(value)
        fault = _tail_fault(data, offset) if is_continuation(value) else _lead_fault(data, offset, kind)
        explained.append(Octet(offset, value, _octet_class(value),
                               digits[:marker], "", digits[marker:], fault))
    return Piece(start, tuple(explained), None, kind)


def _tail_fault(data: bytes, offset: int) -> str:
    """Why a continuation byte is ill-formed: its lead's sequence is, or it has no lead."""
    for lead in range(offset - 1, max(-1, offset - 4), -1):
        if not is_continuation(data[lead]):
            if lead + announced_length(data[lead]) > offset:
                return f"Belongs to the ill-formed sequence that starts at byte {lead}."
            break
    return "A continuation byte where a character should start."


def _lead_fault(data: bytes, offset: int, kind: ErrorKind) -> str:
    lead = data[offset]
    if kind == ErrorKind.HEADER_BITS:
        return f"{lead:02X} never appears in UTF-8: no character starts with the bits 11111."
    length = announced_length(lead)
    if kind == ErrorKind.TOO_SHORT:
        end = offset + 1
        while end < len(data) and is_continuation(data[end]):
            end += 1
        what = f"{data[end]:02X}, no continuation byte, stands" if end < len(data) else "the input ends"
        which = ("second", "third", "fourth")[end - offset - 1]
        return f"{lead:02X} announces {length} bytes, but {what} where the {which} should be."
    octets = data[offset : offset + length]
    scalar = spelled_scalar(octets)
    spelled = f"{octets.hex(' ').upper()} spells U+{scalar:04X}"
    if kind == ErrorKind.OVERLONG:
        shortest = next((n - 1 for n in (2, 3, 4) if scalar < SMALLEST[n]), 4)
        return f"{spelled} in {length} bytes where {shortest} would do: overlong."
    if kind == ErrorKind.SURROGATE:
        return f"{spelled}, a surrogate: U+D800..U+DFFF have no place in UTF-8."
    return f"{spelled}, above U+10FFFF, the last code point."
