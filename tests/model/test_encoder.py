"""`encode` against CPython's codec, and its errors against their definition."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from runewire_model import (
    EncodeError,
    ErrorKind,
    FirstError,
    ParameterError,
    decode,
    encode,
    validate,
    validate_scalars,
)

EDGES = (0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFFFF, 0x10000,
         0x10FFFF, 0x110000, 0x1FFFFF, 0x200000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def is_scalar_value(number: int) -> bool:
    return number < 0xD800 or 0xE000 <= number < 0x110000


def test_every_scalar_value() -> None:
    for scalar in (*range(0xD800), *range(0xE000, 0x110000)):
        assert encode([scalar]) == chr(scalar).encode("utf-8")


def test_every_surrogate() -> None:
    for scalar in range(0xD800, 0xE000):
        assert encode([scalar]) == b"\xEF\xBF\xBD"


@settings(deadline=None, max_examples=500)
@given(scalars=st.lists(st.sampled_from(EDGES) | st.integers(0, 0x110000) | st.integers(0, 0xFFFFFFFF)))
@example(scalars=list(EDGES))
def test_any_packet(scalars: list[int]) -> None:
    text = [scalar if is_scalar_value(scalar) else None for scalar in scalars]
    replaced = "".join("\uFFFD" if scalar is None else chr(scalar) for scalar in text)
    dropped = "".join(chr(scalar) for scalar in text if scalar is not None)
    assert encode(scalars) == replaced.encode("utf-8")
    assert encode(scalars, errors="drop") == dropped.encode("utf-8")
    assert validate(encode(scalars)) is None
    assert decode(encode(scalars)) == [0xFFFD if scalar is None else scalar for scalar in text]

    error = validate_scalars(scalars)
    if None not in text:
        assert error is None
        assert encode(scalars, errors="strict") == replaced.encode("utf-8")
    else:
        offset = text.index(None)
        kind = ErrorKind.SURROGATE if scalars[offset] < 0xE000 else ErrorKind.TOO_LARGE
        assert error == FirstError(kind, offset)
        with pytest.raises(EncodeError) as caught:
            encode(scalars, errors="strict")
        strict = caught.value
        assert (strict.kind, strict.offset, strict.scalar) == (kind, offset, scalars[offset])


def test_strict_says_what_where_and_which_number() -> None:
    message = "no Unicode scalar value at index 1: 0xD800 (SURROGATE)"
    with pytest.raises(EncodeError, match=f"^{re.escape(message)}$"):
        encode([0x41, 0xD800], errors="strict")


def test_a_negative_number_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^a scalar is 0 or more, got -1$"):
        encode([-1])


def test_other_error_policies_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"^errors must be one of replace, drop, strict, got 'ignore'$"):
        encode([], errors="ignore")
