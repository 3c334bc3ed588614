"""`decode` against CPython's one-shot codec, and on inputs that other decoders got wrong."""

import re
import sys
from collections.abc import Callable
from itertools import product
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runewire_model import DecodeError, ErrorKind, ParameterError, decode
from runewire_model.texts import damage, generate

TraceFunction = Callable[[FrameType, str, object], Any]

MARK = [0xFEFF]


def cpython(data: bytes, errors: str) -> list[int]:
    return [ord(character) for character in data.decode("utf-8", errors)]


def strict_error(data: bytes) -> tuple[int, bytes] | None:
    try:
        decode(data, errors="strict")
    except DecodeError as error:
        return error.offset, error.octets
    return None


def cpython_error(data: bytes) -> tuple[int, bytes] | None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start, data[error.start : error.end]
    return None


def test_every_scalar_value() -> None:
    scalars = [*range(0xD800), *range(0xE000, 0x110000)]
    assert decode("".join(map(chr, scalars)).encode("utf-8"), errors="strict") == scalars


def test_every_scalar_value_on_its_own() -> None:
    for scalar in (*range(0xD800), *range(0xE000, 0x110000)):
        assert decode(chr(scalar).encode("utf-8")) == [scalar]


def test_every_string_of_two_bytes() -> None:
    for octets in (b"", *map(bytes, product(range(256))), *map(bytes, product(range(256), repeat=2))):
        assert decode(octets) == cpython(octets, "replace"), octets.hex(" ")
        assert decode(octets, errors="drop") == cpython(octets, "ignore"), octets.hex(" ")
        assert strict_error(octets) == cpython_error(octets), octets.hex(" ")


@pytest.mark.parametrize("length", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_edge_octets(edge_octets: bytes, length: int) -> None:
    for octets in map(bytes, product(edge_octets, repeat=length)):
        assert decode(octets) == cpython(octets, "replace"), octets.hex(" ")
        assert decode(octets, errors="drop") == cpython(octets, "ignore"), octets.hex(" ")


def test_strict_on_edge_octets(edge_octets: bytes) -> None:
    for octets in map(bytes, product(edge_octets, repeat=3)):
        assert strict_error(octets) == cpython_error(octets), octets.hex(" ")


@settings(deadline=None, max_examples=500)
@given(data=st.data())
def test_any_packet(packets: st.SearchStrategy[bytes], data: st.DataObject) -> None:
    packet = data.draw(packets)
    assert decode(packet) == cpython(packet, "replace")
    assert decode(packet, errors="drop") == cpython(packet, "ignore")
    assert strict_error(packet) == cpython_error(packet)


@pytest.mark.parametrize(("octets", "scalars"), [
    pytest.param("F0 9F 98 80 E2 82 AC", [0x1F600, 0x20AC], id="three_bytes_after_four"),
    pytest.param("C3 41 42", [0xFFFD, 0x41, 0x42], id="byte_after_a_broken_sequence_is_kept"),
    pytest.param("ED A0 80", [0xFFFD] * 3, id="surrogate"),
    pytest.param("E0 80", [0xFFFD] * 2, id="overlong_broken_off"),
    pytest.param("F5 80", [0xFFFD] * 2, id="lead_that_never_is"),
    pytest.param("F4 90 80 80", [0xFFFD] * 4, id="above_the_last_code_point"),
    pytest.param("E0 A0 80", [0x800], id="first_of_three_bytes"),
    pytest.param("E4 BD A0 F0 9F 98 80", [0x4F60, 0x1F600], id="four_bytes_after_three"),
    pytest.param("41 F0 9F 98", [0x41, 0xFFFD], id="four_bytes_broken_off_after_three"),
    pytest.param("41 F0 9F", [0x41, 0xFFFD], id="four_bytes_broken_off_after_two"),
    pytest.param("41 F0", [0x41, 0xFFFD], id="four_bytes_broken_off_after_one"),
    pytest.param("41 E2 82", [0x41, 0xFFFD], id="three_bytes_broken_off_after_two"),
    pytest.param("41 E2", [0x41, 0xFFFD], id="three_bytes_broken_off_after_one"),
    pytest.param("41 C3", [0x41, 0xFFFD], id="two_bytes_broken_off_after_one"),
    pytest.param("E2 82 F0 9F 98 C3 41", [0xFFFD] * 3 + [0x41], id="broken_off_by_the_next_lead"),
    pytest.param("", [], id="empty_packet"),
])
def test_regression(octets: str, scalars: list[int]) -> None:
    assert decode(bytes.fromhex(octets)) == scalars
    assert decode(bytes.fromhex(octets), errors="drop") == [scalar for scalar in scalars if scalar != 0xFFFD]


def test_a_replacement_character_in_the_text_is_not_an_error() -> None:
    assert decode(b"\xEF\xBF\xBD", errors="drop") == [0xFFFD]
    assert decode(b"\xEF\xBF\xBD", errors="strict") == [0xFFFD]


@pytest.mark.parametrize(("octets", "kept", "stripped"), [
    pytest.param("EF BB BF 41", [*MARK, 0x41], [0x41], id="leading"),
    pytest.param("EF BB BF", MARK, [], id="alone"),
    pytest.param("EF BB BF EF BB BF", MARK * 2, MARK, id="only_one"),
    pytest.param("41 EF BB BF", [0x41, *MARK], [0x41, *MARK], id="not_leading"),
    pytest.param("FF EF BB BF", [0xFFFD, *MARK], [0xFFFD, *MARK], id="after_an_error"),
    pytest.param("EF BB", [0xFFFD], [0xFFFD], id="broken_off"),
    pytest.param("EF BB 41", [0xFFFD, 0x41], [0xFFFD, 0x41], id="broken"),
    pytest.param("EF BB BF 80", [*MARK, 0xFFFD], [0xFFFD], id="before_an_error"),
])
def test_byte_order_mark(octets: str, kept: list[int], stripped: list[int]) -> None:
    assert decode(bytes.fromhex(octets)) == kept
    assert decode(bytes.fromhex(octets), bom="strip") == stripped


def test_offsets_count_the_stripped_byte_order_mark() -> None:
    with pytest.raises(DecodeError) as caught:
        decode(b"\xEF\xBB\xBFab\xFF", errors="strict", bom="strip")
    assert caught.value.offset == 5


def test_strict_says_what_where_and_which_bytes() -> None:
    message = "ill-formed UTF-8 at byte 2: F0 9F 98 (TOO_SHORT)"
    with pytest.raises(DecodeError, match=f"^{re.escape(message)}$") as caught:
        decode(b"ab\xF0\x9F\x98c", errors="strict")
    error = caught.value
    assert (error.kind, error.offset, error.octets) == (ErrorKind.TOO_SHORT, 2, b"\xF0\x9F\x98")


def test_other_error_policies_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"^errors must be one of replace, drop, strict, got 'ignore'$"):
        decode(b"", errors="ignore")


def test_other_bom_policies_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"^bom must be one of keep, strip, got None$"):
        decode(b"", bom=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("errors_per_byte", [0, 0.01])
def test_long_text_is_decoded_in_few_lines_of_python_per_byte(errors_per_byte: float) -> None:
    """Some megabytes per second on a present machine, tested without a clock."""
    text = damage(generate("mixed", 100_000), errors_per_byte)
    lines = 0

    def count(frame: FrameType, event: str, argument: object) -> TraceFunction:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        decode(text)
    finally:
        sys.settrace(before)
    assert len(text) / 2 < lines < len(text) * 2.5
