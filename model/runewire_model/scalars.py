"""Unicode scalar values (Unicode chapter 3, D76): 0 to D7FF and E000 to 10FFFF."""

from collections.abc import Iterable, Sequence

from .errors import ErrorKind, FirstError, of_type

REPLACEMENT = 0xFFFD
"""U+FFFD REPLACEMENT CHARACTER."""
NARROW_REPLACEMENT = 0x3F
"""``?``, the replacement in encodings that lack U+FFFD."""


def scalar_error(scalar: int) -> ErrorKind | None:
    """Why a number is not a Unicode scalar value: SURROGATE or TOO_LARGE. None for a scalar value.

    Raises ValueError for a negative number.
    """
    if scalar < 0xD800:
        if scalar < 0:
            raise ValueError(f"a scalar is 0 or more, got {scalar}")
        return None
    if scalar <= 0xDFFF:
        return ErrorKind.SURROGATE
    return ErrorKind.TOO_LARGE if scalar > 0x10FFFF else None


def check_scalars(scalars: object) -> None:
    """Raise TypeError unless ``scalars`` are whole numbers; the message shows the first that is not."""
    if isinstance(scalars, str) or not isinstance(scalars, Iterable):
        raise TypeError(f"scalars must be a sequence of numbers, got {of_type(scalars)}")
    for scalar in scalars:
        if not isinstance(scalar, int):
            raise TypeError(f"scalars must be whole numbers, got {of_type(scalar)}")


def validate_scalars(scalars: Sequence[int]) -> FirstError | None:
    """The first error of a sequence of numbers (``offset`` in scalars), or None if all are scalar values.

    Raises ValueError for a negative number, TypeError unless all are numbers.
    """
    try:
        for offset, scalar in enumerate(scalars):
            if (kind := scalar_error(scalar)) is not None:
                return FirstError(kind, offset)
    except TypeError:
        check_scalars(scalars)
        raise
    return None
