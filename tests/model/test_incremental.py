"""The incremental decoder: scalars and errors do not depend on where the packet is cut."""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runewire_model import (
    DecodeError,
    ErrorKind,
    FirstError,
    IncrementalDecoder,
    ParameterError,
    decode,
    validate,
)

PACKETS = [bytes.fromhex(octets) for octets in (
    "", "41", "F0 9F 98 80 E2 82 AC", "C3 41 42", "ED A0 80", "E0 80", "F5 80", "F4 90 80 80", "E0 A0 80",
    "F0 9F 98", "41 F0 9F", "E2 82", "C0", "C0 80", "C0 41", "F8 88 80 80 80", "80 80 80", "F0 80 80 80",
    "F0 80 80 41", "EF BB BF 41", "EF BB BF EF BB BF", "FF EF BB BF", "EF BB 41", "41 EF BB BF",
    "EF BB BF C0", "41 C3 A9 E2 82 AC F0 9F",
)]
POLICIES = list(product(("replace", "drop"), ("keep", "strip")))


def cuts(packet: bytes) -> Iterator[list[bytes]]:
    """The packet in parts, in every way there is."""
    for count in range(len(packet)):
        for places in combinations(range(1, len(packet)), count):
            yield parts(packet, places)
    yield [packet[:1], b"", packet[1:], b""]


def parts(packet: bytes, places: Sequence[int]) -> list[bytes]:
    return [packet[start:end] for start, end in pairwise([0, *places, len(packet)])]


def run(pieces: list[bytes], errors: str = "replace",
        bom: str = "keep") -> tuple[list[int], FirstError | None]:
    decoder = IncrementalDecoder(errors, bom)
    scalars = [scalar for piece in pieces for scalar in decoder.decode(piece)]
    scalars += decoder.decode(b"", final=True)
    return scalars, decoder.first_error


def strict(pieces: list[bytes], bom: str) -> list[int] | tuple[FirstError | None, ErrorKind, int, bytes]:
    """The scalars, or the error in full, as the decoder holds it and as it was raised."""
    decoder = IncrementalDecoder("strict", bom)
    scalars = []
    try:
        for index, piece in enumerate(pieces):
            scalars += decoder.decode(piece, final=index == len(pieces) - 1)
    except DecodeError as error:
        return decoder.first_error, error.kind, error.offset, error.octets
    return scalars


@pytest.mark.parametrize(("errors", "bom"), POLICIES)
@pytest.mark.parametrize("packet", PACKETS, ids=lambda packet: packet.hex("_") or "empty")
def test_every_cut(packet: bytes, errors: str, bom: str) -> None:
    for pieces in cuts(packet):
        assert run(pieces, errors, bom) == (decode(packet, errors, bom), validate(packet)), pieces


@pytest.mark.parametrize("bom", ["keep", "strip"])
@pytest.mark.parametrize("packet", PACKETS, ids=lambda packet: packet.hex("_") or "empty")
def test_every_cut_strict(packet: bytes, bom: str) -> None:
    try:
        expected: object = decode(packet, "strict", bom)
    except DecodeError as error:
        expected = validate(packet), error.kind, error.offset, error.octets
    for pieces in cuts(packet):
        assert strict(pieces, bom) == expected, pieces


def test_byte_by_byte_over_edge_octets(edge_octets: bytes) -> None:
    for octets in map(bytes, product(edge_octets, repeat=3)):
        whole = decode(octets), validate(octets)
        assert run([octets[:1], octets[1:2], octets[2:]]) == whole, octets.hex(" ")


@settings(deadline=None, max_examples=500)
@given(data=st.data(), policy=st.sampled_from(POLICIES))
def test_any_packet_cut_anywhere(packets: st.SearchStrategy[bytes], data: st.DataObject,
                                 policy: tuple[str, str]) -> None:
    packet = data.draw(packets)
    places = sorted(data.draw(st.lists(st.integers(0, len(packet)), max_size=12)))
    assert run(parts(packet, places), *policy) == (decode(packet, *policy), validate(packet))


@pytest.mark.parametrize(("pieces", "outputs"), [
    pytest.param(["F0", "9F", "98", "80"], [[], [], [], [0x1F600]], id="a_character_when_whole"),
    pytest.param(["F0 9F", "41"], [[], [0xFFFD, 0x41]], id="broken_by_the_next_part"),
    pytest.param(["C0", "80"], [[0xFFFD], [0xFFFD]], id="a_lead_that_never_is_at_once"),
    pytest.param(["ED", "A0", "80"], [[], [0xFFFD] * 2, [0xFFFD]], id="a_surrogate_at_its_second_byte"),
    pytest.param(["41 E2 82"], [[0x41]], id="what_comes_before"),
])
def test_scalars_come_as_early_as_they_can(pieces: list[str], outputs: list[list[int]]) -> None:
    decoder = IncrementalDecoder()
    assert [decoder.decode(bytes.fromhex(piece)) for piece in pieces] == outputs


def test_the_kind_waits_for_the_bytes_that_decide_it() -> None:
    decoder = IncrementalDecoder()
    assert decoder.decode(b"ab\xF0\x80\x80") == [0x61, 0x62, 0xFFFD, 0xFFFD, 0xFFFD]
    assert decoder.first_error is None
    decoder.decode(b"\x80")
    assert decoder.first_error == FirstError(ErrorKind.OVERLONG, 2)


def test_the_first_error_stays_the_first() -> None:
    decoder = IncrementalDecoder()
    decoder.decode(b"a\xFF")
    decoder.decode(b"\x80\xED\xA0\x80", final=True)
    assert decoder.first_error == FirstError(ErrorKind.HEADER_BITS, 1)


def test_packets_are_independent() -> None:
    decoder = IncrementalDecoder(bom="strip")
    decoder.decode(b"\xEF\xBB\xBFa\xFF\xE2\x82")
    decoder.reset()
    assert decoder.first_error is None
    assert decoder.decode(b"\xEF\xBB\xBF\xAC", final=True) == [0xFFFD]
    assert decoder.first_error == FirstError(ErrorKind.TOO_LONG, 3)


def test_a_packet_that_has_ended_takes_no_more() -> None:
    decoder = IncrementalDecoder()
    decoder.decode(b"a", final=True)
    with pytest.raises(ValueError, match=r"^the packet has ended: call reset\(\) before the next one$"):
        decoder.decode(b"b")


def test_strict_gives_what_comes_before_the_error_and_nothing_for_it() -> None:
    decoder = IncrementalDecoder("strict")
    assert decoder.decode(b"a\xC0") == [0x61]
    with pytest.raises(DecodeError, match=r"^ill-formed UTF-8 at byte 1: C0 \(OVERLONG\)$"):
        decoder.decode(b"\x80b")


def test_strict_ends_the_packet() -> None:
    decoder = IncrementalDecoder("strict")
    with pytest.raises(DecodeError):
        decoder.decode(b"\xFF")
    with pytest.raises(ValueError, match="the packet has ended"):
        decoder.decode(b"b")


def test_other_policies_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"^errors must be one of replace, drop, strict, got 'skip'$"):
        IncrementalDecoder(errors="skip")
    with pytest.raises(ParameterError, match=r"^bom must be one of keep, strip, got 'add'$"):
        IncrementalDecoder(bom="add")
