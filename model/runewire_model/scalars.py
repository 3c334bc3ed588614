"""Unicode scalar values (Unicode chapter 3, D76): 0 to D7FF and E000 to 10FFFF."""

from collections.abc import Sequence

from .errors import ErrorKind, FirstError

__all__ = ["NARROW_REPLACEMENT", "REPLACEMENT", "scalar_error", "validate_scalars"]

REPLACEMENT = 0xFFFD
"""U+FFFD REPLACEMENT CHARACTER."""
NARROW_REPLACEMENT = 0x3F
"""``?``, in its place in encodings that do not have it."""


def scalar_error(scalar: int) -> ErrorKind | None:
    """What keeps a number from being a Unicode scalar value: SURROGATE, TOO_LARGE, or None.

    Raises ValueError for a negative number.
    """
    if scalar < 0xD800:
        if scalar < 0:
            raise ValueError(f"a scalar is 0 or more, got {scalar}")
        return None
    if scalar <= 0xDFFF:
        return ErrorKind.SURROGATE
    return ErrorKind.TOO_LARGE if scalar > 0x10FFFF else None


def validate_scalars(scalars: Sequence[int]) -> FirstError | None:
    """The first error of a sequence of numbers (``offset`` in scalars), or None when all are scalar values."""
    for offset, scalar in enumerate(scalars):
        if (kind := scalar_error(scalar)) is not None:
            return FirstError(kind, offset)
    return None
