"""The golden answers of cores: text, first error, units in each lane; compared with CPython's codecs."""

import codecs
import re
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runewire_model import (
    DecoderParameters,
    EncoderParameters,
    ErrorKind,
    FirstError,
    PacketResult,
    TranscoderParameters,
    ValidatorParameters,
    encode,
    parameters,
    validate,
    validate_scalars,
)
from runewire_model.encodings import ENCODINGS
from runewire_model.errors import of_type
from runewire_model.transcoder import ERRORS


@pytest.mark.parametrize("wrong", ["text", None, 5, ["a"]])
def test_a_packet_is_bytes(wrong: Any) -> None:
    with pytest.raises(TypeError, match=rf"^packet must be bytes, got {re.escape(of_type(wrong))}$"):
        parameters("validator").compute(wrong)


@pytest.mark.parametrize(("made", "packet", "output", "error"), [
    (ValidatorParameters(), "", "", None),
    (ValidatorParameters(), "41 ED A0 80", "41 ED A0 80", FirstError(ErrorKind.SURROGATE, 1)),
    (DecoderParameters(), "", "", None),
    (DecoderParameters(), "F0 9F 98 80 E2 82 AC", "00 F6 01 00 AC 20 00 00", None),
    (DecoderParameters(), "C3 41", "FD FF 00 00 41 00 00 00", FirstError(ErrorKind.TOO_SHORT, 0)),
    (DecoderParameters(errors="drop"), "C3 41", "41 00 00 00", FirstError(ErrorKind.TOO_SHORT, 0)),
    (DecoderParameters(), "EF BB BF 41", "FF FE 00 00 41 00 00 00", None),
    (DecoderParameters(bom="strip"), "EF BB BF 41 C0 80", "41 00 00 00 FD FF 00 00 FD FF 00 00",
     FirstError(ErrorKind.OVERLONG, 4)),
    (EncoderParameters(), "", "", None),
    (EncoderParameters(), "00 F6 01 00 AC 20 00 00", "F0 9F 98 80 E2 82 AC", None),
    (EncoderParameters(), "41 00 00 00 00 D8 00 00", "41 EF BF BD", FirstError(ErrorKind.SURROGATE, 1)),
    (EncoderParameters(errors="drop"), "FF FF FF FF 41 00 00 00", "41", FirstError(ErrorKind.TOO_LARGE, 0)),
    (EncoderParameters(), "41 00 00 00 42", "41 EF BF BD", FirstError(ErrorKind.TOO_SHORT, 1)),
    (EncoderParameters(errors="drop"), "41 00 00 00 42 00 00", "41", FirstError(ErrorKind.TOO_SHORT, 1)),
    (TranscoderParameters("utf-32le", "utf-8", bom="strip"), "FF FE 00 00 00 D8 00 00", "EF BF BD",
     FirstError(ErrorKind.SURROGATE, 1)),
    (TranscoderParameters("utf-8", "utf-8", bom="strip"), "EF BB BF 41 C0 C3 A9", "41 EF BF BD C3 A9",
     FirstError(ErrorKind.TOO_SHORT, 4)),
    (TranscoderParameters("utf-8", "utf-8", errors="drop"), "41 FF 42", "41 42", FirstError(ErrorKind.HEADER_BITS, 1)),
    (TranscoderParameters("utf-32le", None), "00 D8 00 00 41", "00 D8 00 00 41", FirstError(ErrorKind.SURROGATE, 0)),
    (TranscoderParameters("utf-32le", "utf-32le"), "00 D8 00 00 41", "FD FF 00 00 FD FF 00 00",
     FirstError(ErrorKind.SURROGATE, 0)),
])
def test_compute(made: TranscoderParameters, packet: str, output: str, error: FirstError | None) -> None:
    assert made.compute(bytes.fromhex(packet)) == PacketResult(bytes.fromhex(output), error)


U16 = "utf-16le"
TOO_LARGE, TOO_SHORT, SURROGATE = ErrorKind.TOO_LARGE, ErrorKind.TOO_SHORT, ErrorKind.SURROGATE


@pytest.mark.parametrize(("source", "target", "options", "packet", "output", "error"), [
    # A scalar that does not fit is a fault at the first unit of its sequence.
    ("utf-8", "latin-1", {}, "é€x".encode(), b"\xE9?x", FirstError(TOO_LARGE, 2)),
    ("utf-8", "latin-1", {"errors": "drop"}, "é€x".encode(), b"\xE9x", FirstError(TOO_LARGE, 2)),
    ("utf-8", "latin-1", {}, "a😀".encode(), b"a?", FirstError(TOO_LARGE, 1)),
    (U16, "ascii", {}, "a😀é".encode(U16), b"a??", FirstError(TOO_LARGE, 1)),
    ("latin-1", "ascii", {}, b"a\xE9", b"a?", FirstError(TOO_LARGE, 1)),
    # U+FFFD in the text does not fit; U+FFFD for an ill-formed subpart is the source's fault.
    ("utf-8", "latin-1", {}, "a\uFFFD".encode(), b"a?", FirstError(TOO_LARGE, 1)),
    ("utf-8", "latin-1", {}, b"a\xE2\x82", b"a?", FirstError(TOO_SHORT, 1)),
    ("utf-8", "latin-1", {}, b"\xE2\x82\x41", b"?A", FirstError(TOO_SHORT, 0)),
    # The earlier fault counts, whichever side it is on.
    ("utf-8", "latin-1", {}, b"\xE2\x82\xE2\x82\xAC", b"??", FirstError(TOO_SHORT, 0)),
    ("utf-8", "latin-1", {}, b"\xE2\x82\xAC\xE2\x82", b"??", FirstError(TOO_LARGE, 0)),
    (U16, "latin-1", {}, b"\0\xD8\xAC\x20", b"??", FirstError(SURROGATE, 0)),
    (U16, "latin-1", {}, b"\xAC\x20\0\xD8", b"??", FirstError(TOO_LARGE, 0)),
    # A byte order mark that is stripped needs no place.
    ("utf-8", "latin-1", {}, "\uFEFFa".encode(), b"?a", FirstError(TOO_LARGE, 0)),
    ("utf-8", "latin-1", {"bom": "strip"}, "\uFEFFa€".encode(), b"a?", FirstError(TOO_LARGE, 4)),
    ("ascii", "utf-8", {}, b"a\x80\xC3", b"a" + 2 * b"\xEF\xBF\xBD", FirstError(TOO_LARGE, 1)),
    ("ascii", "latin-1", {}, b"\x80a", b"?a", FirstError(TOO_LARGE, 0)),
    ("ascii", "ascii", {"errors": "drop"}, b"\x80a", b"a", FirstError(TOO_LARGE, 0)),
    (U16, "utf-8", {}, b"\x41\0\0\xD8\x41", b"A\xEF\xBF\xBD", FirstError(TOO_SHORT, 1)),
    (U16, "utf-16be", {}, b"\0\xDC\x41\0", b"\xFF\xFD\0\x41", FirstError(SURROGATE, 0)),
    (U16, None, {}, b"\0\xD8\x41", b"\0\xD8\x41", FirstError(TOO_SHORT, 0)),
])
def test_what_the_target_lacks(
    source: str, target: str | None, options: dict[str, str], packet: bytes, output: bytes, error: FirstError
) -> None:
    made = TranscoderParameters(source, target, **options)  # type: ignore[arg-type]
    assert made.compute(packet) == PacketResult(output, error)


PAIRS = [(source, target) for source, target in product(ENCODINGS, repeat=2)]


def codec(name: str, packet: bytes = b"") -> str:
    """The oracle for a packet. Without an order in the name, the first bytes decide; the default is big-endian."""
    oracle = ENCODINGS[name].oracle
    if oracle in ("utf-16", "utf-32"):
        little = packet.startswith(b"\xFF\xFE" if oracle == "utf-16" else b"\xFF\xFE\0\0")
        return f"{oracle}-{'le' if little else 'be'}"
    return oracle


def by_codecs(made: TranscoderParameters, packet: bytes) -> bytes:
    """The answer of CPython's codecs for a packet."""
    how = "replace" if made.errors == "replace" else "ignore"
    return packet.decode(codec(made.source, packet), how).encode(codec(made.writes.name), how)


@pytest.mark.parametrize(("source", "target", "options", "packet", "made"), [
    ("utf-8", "utf-8", {}, "a€😀".encode(), [1, 0, 0, 3, 0, 0, 0, 4]),
    ("utf-8", "utf-8", {"errors": "drop"}, "a€".encode() + b"\xE2\x82\xFF", [1, 1, 1, 1, 0, 0, 0]),
    ("utf-8", "utf-8", {"replacement": 0x3F}, b"\xE2\x82\xFF" + "😀".encode(), [0, 1, 1, 1, 1, 1, 1]),
    ("utf-8", "utf-8", {"replacement": 0x3F, "bom": "strip"}, "\uFEFFé".encode() + b"\xF0\x9F\x98",
     [0, 0, 0, 1, 1, 0, 0, 1]),
    ("utf-8", "utf-32le", {}, "a€😀".encode(), [1, 0, 0, 1, 0, 0, 0, 1]),
    ("utf-8", "utf-16le", {}, "a€😀".encode(), [1, 0, 0, 1, 0, 0, 1, 1]),
    ("utf-8", "utf-16be", {"bom": "strip"}, "\uFEFF😀".encode() + b"\xF0\x9F\x98", [0, 0, 0, 0, 0, 1, 1, 0, 0, 1]),
    ("utf-8", "utf-16be", {"errors": "drop"}, b"\xF0\x9F\x98\xF0\x9F\x98\x80", [0, 0, 0, 0, 0, 1, 1]),
    ("utf-8", "latin-1", {"errors": "drop"}, "é€".encode(), [0, 1, 0, 0, 0]),
    ("utf-16le", "utf-8", {}, "a😀é€".encode("utf-16le") + b"\0", [1, 2, 2, 2, 3, 3]),
    ("utf-16be", "utf-8", {"errors": "drop"}, b"\xDC\0\xD8\0\xD8\0\xDC\0\xD8\0\0", [0, 0, 2, 2, 0, 0]),
    ("utf-16le", "utf-8", {"bom": "strip"}, b"\xFF\xFE\xFF\xFE\0\xD8\0", [0, 3, 0, 3]),
])
def test_units_are_made_in_lanes(
    source: str, target: str, options: dict[str, Any], packet: bytes, made: list[int]
) -> None:
    """All units of a scalar are in the lane of its last unit. Exceptions: the fused pairs of UTF-8 and UTF-16, and
    bytes that are output unchanged."""
    assert [*TranscoderParameters(source, target, **options).made(packet)] == made


@pytest.mark.parametrize("target", ENCODINGS)
def test_every_scalar(target: str) -> None:
    """Scalars that the target lacks become a question mark, as with CPython's codecs."""
    packet = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000)))).encode("utf-32le")
    for errors in ERRORS:
        made = TranscoderParameters("utf-32le", target, errors=errors)
        assert made.compute(packet).output == by_codecs(made, packet)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_every_pair_against_cpython(source: str, target: str) -> None:
    one = ENCODINGS[source]
    scalars = [scalar for scalar in (*range(0, 0xD800, 97), *range(0xE000, 0x110000, 977)) if scalar <= one.greatest]
    text = "".join(map(chr, scalars))
    bits = [text.encode(codec(source)), *map(one.pack, product(one.edges, repeat=2))]
    packets = [*bits, *(bit + b"A" for bit in bits), *one.wrong, *one.troublemakers.values()]
    for errors in ("replace", "drop") if one.wrong else ("replace",):
        made = TranscoderParameters(source, target, errors=errors)
        for packet in packets:
            result = made.compute(packet)
            assert result.output == by_codecs(made, packet)
            assert sum(made.made(packet)) * made.writes.unit_bytes == len(result.output)
            text = packet.decode(codec(source, packet), "ignore")
            fine = packet == text.encode(codec(source, packet)) and all(ord(c) <= made.writes.greatest for c in text)
            assert (result.error is None) == fine, packet.hex()


@pytest.mark.parametrize(("source", "target"), [
    pair for pair in PAIRS if ENCODINGS[pair[1]].greatest > 0xFFFF])
def test_a_mark_is_added_to_what_has_none(source: str, target: str) -> None:
    """Each output packet begins with a mark: its own, or an added one, as with CPython's utf-8-sig."""
    made, kept = TranscoderParameters(source, target, bom="add"), TranscoderParameters(source, target)
    one, mark = ENCODINGS[source], "\uFEFF".encode(codec(target))
    assert made.mark == mark
    assert made.mark_units * made.writes.unit_bytes == len(mark)
    for text in (b"", b"A" * 4, *one.wrong, *one.troublemakers.values(), *map(one.pack, product(one.edges)),
                 *(own * count + rest for own in one.byte_order_marks for count in (1, 2) for rest in (b"", b"A"))):
        for packet in (text, text + b"A"):
            usual, result = kept.compute(packet), made.compute(packet)
            has = any(map(packet.startswith, one.byte_order_marks))
            assert result.output == usual.output if has else result.output == mark + usual.output
            assert result.error == usual.error
            assert (sum(made.made(packet)) + made.mark_units) * made.writes.unit_bytes == len(result.output)
    if target == "utf-8":
        assert made.compute(one.pack([0x41])).output == "A".encode("utf-8-sig")


@pytest.mark.parametrize(("target", "options", "how"), [
    ("utf-8", {"errors": "drop"}, "ignore"), ("utf-8", {"replacement": 0x3F}, "stand-in"),
    ("latin-1", {"replacement": 0x1A}, "stand-in"), ("ascii", {"replacement": 0x20}, "stand-in"),
])
def test_a_byte_of_choice_against_cpython(target: str, options: dict[str, Any], how: str) -> None:
    """All sequences of up to three edge bytes, and four-byte ones with a four-byte lead. The byte order mark is kept,
    and also stripped if there is one."""
    byte = chr(options.get("replacement", 0))

    def stand_in(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError | UnicodeEncodeError)
        return byte * (error.end - error.start if isinstance(error, UnicodeEncodeError) else 1), error.end

    codecs.register_error("stand-in", stand_in)
    kept, stripped = (TranscoderParameters("utf-8", target, bom=bom, **options) for bom in ("keep", "strip"))
    edges = ENCODINGS["utf-8"].edges
    packets = [bytes(octets) for size in range(4 if target == "utf-8" else 3) for octets in product(edges, repeat=size)]
    packets += [bytes((lead, *octets)) for lead in (0xF0, 0xF4, 0xEF) for octets in product(edges[2:10], repeat=3)]
    for packet in packets:
        text = packet.decode("utf-8", how)
        marked = packet.startswith(b"\xEF\xBB\xBF")
        for made, sent in ((kept, text), *([(stripped, text[1:])] if marked else [])):
            result = made.compute(packet)
            assert result.output == sent.encode(target, how)
            assert sum(made.made(packet)) == len(result.output)
            assert target != "utf-8" or result.error == validate(packet)


@settings(deadline=None)
@given(data=st.data())
def test_decoder_against_cpython(packets: st.SearchStrategy[bytes], data: st.DataObject) -> None:
    packet = data.draw(packets)
    expected = packet.decode("utf-8", "replace").encode("utf-32-le")
    assert DecoderParameters().compute(packet) == PacketResult(expected, validate(packet))


@settings(deadline=None)
@given(scalars=st.lists(st.integers(0, 0x120000) | st.integers(0, 0xFFFFFFFF)))
def test_encoder_takes_utf_32_little_endian(scalars: list[int]) -> None:
    packet = b"".join(scalar.to_bytes(4, "little") for scalar in scalars)
    assert EncoderParameters().compute(packet) == PacketResult(encode(scalars), validate_scalars(scalars))
