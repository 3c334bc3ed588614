"""The picture's data: bits of code points, and classes and faults of bytes."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runewire_model import (
    EncodeError,
    ErrorKind,
    OctetClass,
    decode,
    explain_bytes,
    explain_scalar,
    validate,
)


@pytest.mark.parametrize(("scalar", "octets"), [
    (0x0000, ["0|000000|0"]),
    (0x0041, ["0||1000001"]),
    (0x0080, ["110|000|10", "10||000000"]),
    (0x07FF, ["110||11111", "10||111111"]),
    (0x0800, ["1110|0000|", "10||100000", "10||000000"]),
    (0x20AC, ["1110|00|10", "10||000010", "10||101100"]),
    (0xFFFF, ["1110||1111", "10||111111", "10||111111"]),
    (0x10000, ["11110|000|", "10|0|10000", "10||000000", "10||000000"]),
    (0x1F600, ["11110|000|", "10|0|11111", "10||011000", "10||000000"]),
    (0x10FFFF, ["11110||100", "10||001111", "10||111111", "10||111111"]),
])
def test_bits(scalar: int, octets: list[str]) -> None:
    explained = explain_scalar(scalar).octets
    assert ["|".join((octet.marker, octet.pad, octet.bits)) for octet in explained] == octets


@settings(deadline=None)
@given(scalar=st.integers(0, 0x10FFFF).filter(lambda scalar: scalar not in range(0xD800, 0xE000)))
def test_bits_put_together(scalar: int) -> None:
    piece = explain_scalar(scalar)
    assert (piece.offset, piece.scalar, piece.kind) == (0, scalar, None)
    assert bytes(octet.value for octet in piece.octets) == chr(scalar).encode("utf-8")
    assert "".join(octet.bits for octet in piece.octets) == f"{scalar:b}"
    assert set("".join(octet.pad for octet in piece.octets)) <= {"0"}


@pytest.mark.parametrize(("scalar", "kind"), [(0xD800, ErrorKind.SURROGATE), (0x110000, ErrorKind.TOO_LARGE)])
def test_other_numbers_are_refused(scalar: int, kind: ErrorKind) -> None:
    with pytest.raises(EncodeError, match=f"0x{scalar:X} .{kind.name}.$"):
        explain_scalar(scalar)


@pytest.mark.parametrize(("octets", "expected"), [
    (range(0x00, 0x80), OctetClass.ASCII),
    (range(0x80, 0xC0), OctetClass.CONTINUATION),
    (range(0xC0, 0xC2), OctetClass.NEVER),
    (range(0xC2, 0xE0), OctetClass.LEAD_2),
    (range(0xE0, 0xF0), OctetClass.LEAD_3),
    (range(0xF0, 0xF5), OctetClass.LEAD_4),
    (range(0xF5, 0x100), OctetClass.NEVER),
])
def test_class_of_every_byte(octets: range, expected: OctetClass) -> None:
    classes = [explain_bytes(bytes((octet,))).pieces[0].octets[0].octet_class for octet in octets]
    assert classes == [expected] * len(octets)


BELONGS = "Belongs to the ill-formed sequence that starts at byte 0."
STRAY = "A continuation byte where a character should start."


@pytest.mark.parametrize(("octets", "faults"), [
    ("E0 A0 80", [None] * 3),
    ("C3 41", ["C3 announces 2 bytes, but 41, no continuation byte, stands where the second should be.",
               None]),
    ("C0", ["C0 announces 2 bytes, but the input ends where the second should be."]),
    ("E0 80", ["E0 announces 3 bytes, but the input ends where the third should be.", BELONGS]),
    ("F0 9F 98", ["F0 announces 4 bytes, but the input ends where the fourth should be.", BELONGS, BELONGS]),
    ("F5 80 C3", ["F5 announces 4 bytes, but C3, no continuation byte, stands where the third should be.",
                  BELONGS,
                  "C3 announces 2 bytes, but the input ends where the second should be."]),
    ("80", [STRAY]),
    ("E2 82 AC 80 80", [None, None, None, STRAY, STRAY]),
    ("F0 41 80", ["F0 announces 4 bytes, but 41, no continuation byte, stands where the second should be.",
                  None, STRAY]),
    ("FF 80", ["FF never appears in UTF-8: no character starts with the bits 11111.", STRAY]),
    ("C0 80", ["C0 80 spells U+0000 in 2 bytes where 1 would do: overlong.", BELONGS]),
    ("E0 81 BF", ["E0 81 BF spells U+007F in 3 bytes where 1 would do: overlong.", BELONGS, BELONGS]),
    ("E0 82 80", ["E0 82 80 spells U+0080 in 3 bytes where 2 would do: overlong.", BELONGS, BELONGS]),
    ("F0 8F BF BF", ["F0 8F BF BF spells U+FFFF in 4 bytes where 3 would do: overlong.", *[BELONGS] * 3]),
    ("ED A0 80", ["ED A0 80 spells U+D800, a surrogate: U+D800..U+DFFF have no place in UTF-8.",
                  BELONGS, BELONGS]),
    ("F4 90 80 80 80", ["F4 90 80 80 spells U+110000, above U+10FFFF, the last code point.",
                        *[BELONGS] * 3, STRAY]),
])
def test_faults(octets: str, faults: list[str | None]) -> None:
    pieces = explain_bytes(bytes.fromhex(octets)).pieces
    assert [octet.fault for piece in pieces for octet in piece.octets] == faults


def test_bits_of_ill_formed_bytes() -> None:
    pieces = explain_bytes(b"\xC0\x80\xF9").pieces
    assert [(octet.marker, octet.pad, octet.bits) for piece in pieces for octet in piece.octets] == [
        ("110", "", "00000"), ("10", "", "000000"), ("11111001", "", "")]


def check(packet: bytes) -> None:
    explanation = explain_bytes(packet)
    pieces = explanation.pieces
    octets = [octet for piece in pieces for octet in piece.octets]
    assert bytes(octet.value for octet in octets) == packet
    assert [octet.offset for octet in octets] == list(range(len(packet)))
    assert [piece.offset for piece in pieces] == [piece.octets[0].offset for piece in pieces]
    assert [0xFFFD if piece.scalar is None else piece.scalar for piece in pieces] == decode(packet)
    assert explanation.error == validate(packet)
    assert next(((piece.kind, piece.offset) for piece in pieces if piece.kind), None) == (
        explanation.error and (explanation.error.kind, explanation.error.offset))
    for piece in pieces:
        assert (piece.scalar is None) == (piece.kind is not None)
        for octet in piece.octets:
            assert (octet.fault is None) == (piece.kind is None)
            assert octet.marker + octet.pad + octet.bits == f"{octet.value:08b}"


def test_edge_octets(edge_octets: bytes) -> None:
    for octets in product(edge_octets, repeat=3):
        check(bytes(octets))


@settings(deadline=None, max_examples=300)
@given(data=st.data())
def test_any_packet(packets: st.SearchStrategy[bytes], data: st.DataObject) -> None:
    check(data.draw(packets))
