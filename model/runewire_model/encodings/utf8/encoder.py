"""The UTF-8 encoder: scalars to bytes (RFC 3629 section 3)."""

from collections.abc import Sequence
from functools import lru_cache

from ...errors import EncodeError, check_choice
from ...scalars import check_scalars, scalar_error, validate_scalars

REPLACEMENT_OCTETS = b"\xEF\xBF\xBD"
"""U+FFFD REPLACEMENT CHARACTER."""


@lru_cache(maxsize=1 << 16)  # text draws on few different characters; a hit takes a tenth of the time
def _octets(scalar: int) -> bytes | None:
    """The sequence of one scalar value, None if the number is not a scalar value."""
    if scalar_error(scalar) is not None:
        return None
    if scalar < 0x80:
        return bytes((scalar,))
    if scalar < 0x800:
        return bytes((0xC0 | scalar >> 6,
                      0x80 | scalar & 0x3F))
    if scalar < 0x10000:
        return bytes((0xE0 | scalar >> 12,
                      0x80 | scalar >> 6 & 0x3F,
                      0x80 | scalar & 0x3F))
    return bytes((0xF0 | scalar >> 18,
                  0x80 | scalar >> 12 & 0x3F,
                  0x80 | scalar >> 6 & 0x3F,
                  0x80 | scalar & 0x3F))


def encode(scalars: Sequence[int], errors: str = "replace") -> bytes:
    """The UTF-8 of a packet of scalars.

    ``errors``: for a surrogate or a number above 10FFFF "replace" gives EF BF BD (U+FFFD), "drop" gives nothing, and
    "strict" raises `EncodeError`.

    Raises `ParameterError` for another ``errors``, ValueError for a negative number, TypeError unless all are numbers.
    """
    check_choice("errors", errors, ("replace", "drop", "strict"))
    if errors == "strict" and (error := validate_scalars(scalars)) is not None:
        raise EncodeError(error.kind, error.offset, scalars[error.offset])
    replacement = REPLACEMENT_OCTETS if errors == "replace" else b""
    try:
        return b"".join([_octets(scalar) or replacement for scalar in scalars])
    except TypeError:
        check_scalars(scalars)
        raise
