"""`validate`: offsets against CPython's codec, kinds against a table and a definition by byte ranges."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runewire_model import ErrorKind, FirstError, validate
from runewire_model.texts import generate

HEADER_BITS, TOO_SHORT, TOO_LONG = ErrorKind.HEADER_BITS, ErrorKind.TOO_SHORT, ErrorKind.TOO_LONG
OVERLONG, TOO_LARGE, SURROGATE = ErrorKind.OVERLONG, ErrorKind.TOO_LARGE, ErrorKind.SURROGATE


def by_byte_ranges(data: bytes) -> FirstError | None:
    """The definition of simdutf's validate_utf8_with_errors, byte by byte: structure before value."""
    offset = 0
    while offset < len(data):
        lead = data[offset]
        if lead in range(0x00, 0x80):
            offset += 1
            continue
        if lead in range(0x80, 0xC0):
            return FirstError(TOO_LONG, offset)
        if lead in range(0xF8, 0x100):
            return FirstError(HEADER_BITS, offset)
        tails = 1 if lead in range(0xC0, 0xE0) else 2 if lead in range(0xE0, 0xF0) else 3
        tail = data[offset + 1 : offset + 1 + tails]
        if len(tail) < tails or not all(octet in range(0x80, 0xC0) for octet in tail):
            return FirstError(TOO_SHORT, offset)
        second = tail[0]
        if (lead in (0xC0, 0xC1) or (lead == 0xE0 and second in range(0x80, 0xA0))
                or (lead == 0xF0 and second in range(0x80, 0x90))):
            return FirstError(OVERLONG, offset)
        if lead == 0xED and second in range(0xA0, 0xC0):
            return FirstError(SURROGATE, offset)
        if (lead == 0xF4 and second in range(0x90, 0xC0)) or lead in range(0xF5, 0xF8):
            return FirstError(TOO_LARGE, offset)
        offset += 1 + tails
    return None


def cpython_offset(data: bytes) -> int | None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None


def check(octets: bytes) -> None:
    error = validate(octets)
    assert error == by_byte_ranges(octets), octets.hex(" ")
    assert (None if error is None else error.offset) == cpython_offset(octets), octets.hex(" ")


def test_numbers_are_those_of_simdutf() -> None:
    """NUL has the next number. It is none of simdutf's, which takes U+0000 as any other character."""
    assert {kind.name: kind.value for kind in ErrorKind} == {
        "HEADER_BITS": 1, "TOO_SHORT": 2, "TOO_LONG": 3, "OVERLONG": 4, "TOO_LARGE": 5, "SURROGATE": 6, "NUL": 7}


@pytest.mark.parametrize(("octets", "kind", "offset"), [
    ("F8", HEADER_BITS, 0),
    ("FF", HEADER_BITS, 0),
    ("41 F8 80 80 80 80", HEADER_BITS, 1),
    ("FE 80", HEADER_BITS, 0),
    ("C3", TOO_SHORT, 0),
    ("C3 41 42", TOO_SHORT, 0),
    ("C0", TOO_SHORT, 0),
    ("C0 41", TOO_SHORT, 0),
    ("E0 80", TOO_SHORT, 0),
    ("E2 82", TOO_SHORT, 0),
    ("E2 41 AC", TOO_SHORT, 0),
    ("ED A0", TOO_SHORT, 0),
    ("ED A0 C2", TOO_SHORT, 0),
    ("F0 9F 98", TOO_SHORT, 0),
    ("F0 80 80 41", TOO_SHORT, 0),
    ("F4 90 80", TOO_SHORT, 0),
    ("F5 80", TOO_SHORT, 0),
    ("F7", TOO_SHORT, 0),
    ("E2 82 AC F0 9F", TOO_SHORT, 3),
    ("80", TOO_LONG, 0),
    ("BF", TOO_LONG, 0),
    ("41 80", TOO_LONG, 1),
    ("C3 A9 80", TOO_LONG, 2),
    ("E2 82 AC 80", TOO_LONG, 3),
    ("F0 9F 98 80 80", TOO_LONG, 4),
    ("C0 80", OVERLONG, 0),
    ("C1 BF", OVERLONG, 0),
    ("E0 80 80", OVERLONG, 0),
    ("E0 9F BF", OVERLONG, 0),
    ("F0 80 80 80", OVERLONG, 0),
    ("F0 8F BF BF", OVERLONG, 0),
    ("F4 90 80 80", TOO_LARGE, 0),
    ("F4 BF BF BF", TOO_LARGE, 0),
    ("F5 80 80 80", TOO_LARGE, 0),
    ("F7 BF BF BF", TOO_LARGE, 0),
    ("ED A0 80", SURROGATE, 0),
    ("ED BF BF", SURROGATE, 0),
    ("41 42 ED A0 80 FF", SURROGATE, 2),
])
def test_kind_and_offset(octets: str, kind: ErrorKind, offset: int) -> None:
    assert validate(bytes.fromhex(octets)) == FirstError(kind, offset)


@pytest.mark.parametrize("octets", [
    "", "00", "7F", "C2 80", "DF BF", "E0 A0 80", "ED 9F BF", "EE 80 80", "EF BF BF",
    "F0 90 80 80", "F4 8F BF BF", "F0 9F 98 80 E2 82 AC", "EF BB BF",
])
def test_well_formed(octets: str) -> None:
    assert validate(bytes.fromhex(octets)) is None


def test_every_scalar_value() -> None:
    for scalar in (*range(0xD800), *range(0xE000, 0x110000)):
        assert validate(chr(scalar).encode("utf-8")) is None


def test_every_string_of_two_bytes() -> None:
    for octets in (*product(range(256)), *product(range(256), repeat=2)):
        check(bytes(octets))


@pytest.mark.parametrize("length", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_edge_octets(edge_octets: bytes, length: int) -> None:
    for octets in product(edge_octets, repeat=length):
        check(bytes(octets))


@settings(deadline=None, max_examples=500)
@given(data=st.data())
def test_any_packet(packets: st.SearchStrategy[bytes], data: st.DataObject) -> None:
    check(data.draw(packets))


def test_a_long_packet() -> None:
    text = generate("mixed", 3_000_000)
    assert validate(text) is None
    assert validate(text + b"\xED\xA0\x80") == FirstError(SURROGATE, 3_000_000)
