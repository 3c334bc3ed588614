"""The UTF-8 validator: kind and offset of the first error, as in simdutf's ``validate_utf8_with_errors``."""

from ...errors import ErrorKind, FirstError, check_bytes
from .grammar import WELL_FORMED

SMALLEST = {2: 0x80, 3: 0x800, 4: 0x10000}
"""The smallest code point that needs a sequence of that many bytes (RFC 3629 section 3)."""


def validate(data: bytes) -> FirstError | None:
    """The first error of ``data``, or None if it is well-formed UTF-8 (RFC 3629 section 4).

    Raises TypeError unless ``data`` is bytes.
    """
    check_bytes("data", data)
    offset = well_formed_length(data)
    if offset == len(data):
        return None
    return FirstError(error_kind(data, offset), offset)


def well_formed_length(data: bytes) -> int:
    """Length in bytes of the longest beginning of ``data`` that consists of well-formed characters."""
    match = WELL_FORMED.match(data)
    assert match is not None  # it matches the empty string
    return match.end()


def is_continuation(octet: int) -> bool:
    """Whether the octet is 10xxxxxx."""
    return octet & 0b1100_0000 == 0b1000_0000


def announced_length(lead: int) -> int:
    """Length in bytes that a lead byte's header bits announce, even if invalid; 0 for 10xxxxxx and 11111xxx."""
    if lead < 0x80:
        return 1
    if 0xC0 <= lead <= 0xDF:
        return 2
    if 0xE0 <= lead <= 0xEF:
        return 3
    if 0xF0 <= lead <= 0xF7:
        return 4
    return 0


def spelled_scalar(octets: bytes) -> int:
    """The number that the payload bits of a structurally complete sequence of 2 to 4 bytes spell, valid or not."""
    scalar = octets[0] & 0x7F >> len(octets)
    for octet in octets[1:]:
        scalar = scalar << 6 | octet & 0x3F
    return scalar


def error_kind(data: bytes, offset: int) -> ErrorKind:
    """The kind of the error at ``offset``, where no well-formed character starts. Structure is judged before value."""
    lead = data[offset]
    if is_continuation(lead):
        return ErrorKind.TOO_LONG
    length = announced_length(lead)
    if length == 0:
        return ErrorKind.HEADER_BITS
    octets = data[offset : offset + length]
    if len(octets) < length or not all(map(is_continuation, octets[1:])):
        return ErrorKind.TOO_SHORT
    scalar = spelled_scalar(octets)
    if scalar < SMALLEST[length]:
        return ErrorKind.OVERLONG
    if scalar > 0x10FFFF:
        return ErrorKind.TOO_LARGE
    assert 0xD800 <= scalar <= 0xDFFF, f"a well-formed character starts at {offset}"
    return ErrorKind.SURROGATE
