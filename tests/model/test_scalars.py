"""Unicode scalar values, and the first number of a packet that is not one."""

import pytest
from runewire_model import ErrorKind, FirstError, validate_scalars
from runewire_model.scalars import scalar_error


def test_every_code_point() -> None:
    for number in range(0x110000):
        assert scalar_error(number) == (ErrorKind.SURROGATE if 0xD800 <= number < 0xE000 else None)


def test_every_surrogate() -> None:
    for scalar in range(0xD800, 0xE000):
        assert validate_scalars([scalar]) == FirstError(ErrorKind.SURROGATE, 0)


@pytest.mark.parametrize(("scalar", "kind"), [
    (0xD7FF, None),
    (0xD800, ErrorKind.SURROGATE),
    (0xDFFF, ErrorKind.SURROGATE),
    (0xE000, None),
    (0x10FFFF, None),
    (0x110000, ErrorKind.TOO_LARGE),
    (0xFFFFFFFF, ErrorKind.TOO_LARGE),
])
def test_kind(scalar: int, kind: ErrorKind | None) -> None:
    assert validate_scalars([0x41, scalar, 0xDFFF if kind is None else 0x41]) \
        == (FirstError(ErrorKind.SURROGATE, 2) if kind is None else FirstError(kind, 1))


def test_a_negative_number_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^a scalar is 0 or more, got -1$"):
        scalar_error(-1)
