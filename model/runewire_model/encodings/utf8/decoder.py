"""The UTF-8 decoder: bytes to scalars."""

from ...byte_order_mark import UTF8_MARK, leading_mark
from ...errors import DecodeError, check_bytes, check_choice
from ...scalars import REPLACEMENT
from .grammar import MAXIMAL_SUBPART, RUN
from .validator import validate


def decode(data: bytes, errors: str = "replace", bom: str = "keep") -> list[int]:
    """The scalars of a packet of UTF-8.

    ``errors``: "replace" gives one U+FFFD for each maximal subpart of an ill-formed sequence, as Unicode chapter 3 and
    the WHATWG Encoding Standard define it. "drop" leaves the subpart out. "strict" raises `DecodeError` for the first
    one.
    ``bom``: "strip" removes one U+FEFF at the packet's start, "keep" does not (RFC 3629 section 6). Offsets of errors
    count from the packet's first byte in either case.

    Raises `ParameterError` for another ``errors`` or ``bom``, TypeError unless ``data`` is bytes.
    """
    check_bytes("data", data)
    check_choice("errors", errors, ("replace", "drop", "strict"))
    check_choice("bom", bom, ("keep", "strip"))
    if errors == "strict" and (error := validate(data)) is not None:
        raise DecodeError(error.kind, error.offset, maximal_subpart(data, error.offset))
    replacement = [REPLACEMENT] if errors == "replace" else []
    start = len(leading_mark(data, [UTF8_MARK])) if bom == "strip" else 0

    scalars: list[int] = []
    for run in RUN.finditer(data, start):
        octets = iter(run[0])
        match run.lastindex:
            case 1:
                scalars += octets
            case 2:
                scalars += [(a & 0x1F) << 6 | b & 0x3F
                            for a, b in zip(octets, octets, strict=True)]
            case 3:
                scalars += [(a & 0x0F) << 12 | (b & 0x3F) << 6 | c & 0x3F
                            for a, b, c in zip(octets, octets, octets, strict=True)]
            case 4:
                scalars += [(a & 0x07) << 18 | (b & 0x3F) << 12 | (c & 0x3F) << 6 | d & 0x3F
                            for a, b, c, d in zip(octets, octets, octets, octets, strict=True)]
            case _:
                scalars += replacement
    return scalars


def maximal_subpart(data: bytes, offset: int) -> bytes:
    """The bytes at ``offset`` that one U+FFFD replaces. No well-formed character starts there."""
    match = MAXIMAL_SUBPART.match(data, offset)
    assert match is not None, f"a well-formed character starts at {offset}"
    return match[0]
