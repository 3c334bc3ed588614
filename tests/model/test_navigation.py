"""Sequence lengths, boundaries, the n-th character and counting, against CPython's codec."""

import codecs
import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runewire_model import boundary, count_code_points, nth_offset, sequence_length

TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("aé€😀\U0010FFFF"))


class WatchedBytes(bytes):
    """Bytes that record which of them were read."""

    looked_at: set[int]

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        self.looked_at.add(index)
        return super().__getitem__(index)


def starts(data: bytes) -> set[int]:
    """Offsets where CPython's decoder starts a character or reports an error, and the end."""
    broken: list[range] = []

    def note(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        broken.append(range(error.start, error.end))
        return "", error.end

    codecs.register_error("runewire-note", note)
    data.decode("utf-8", "runewire-note")
    inside = {offset for octets in broken for offset in octets}
    return {octets.start for octets in broken} | {len(data)} | {
        offset for offset, octet in enumerate(data) if offset not in inside and not 0x80 <= octet < 0xC0}


def check_boundaries(data: bytes) -> None:
    known = starts(data)
    for offset in range(len(data) + 1):
        assert boundary(data, offset) == max(start for start in known if start <= offset), data.hex(" ")


def test_sequence_length_of_every_lead() -> None:
    for lead in range(256):
        if 0x80 <= lead < 0xC2 or lead >= 0xF5:
            message = f"a sequence starts with 00..7F or C2..F4, got {lead:02X}"
            with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
                sequence_length(lead)
        else:
            length = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            assert sequence_length(lead) == length


def test_boundary_over_edge_octets(edge_octets: bytes) -> None:
    for length in (1, 2, 3):
        for octets in product(edge_octets, repeat=length):
            check_boundaries(bytes(octets))


@settings(deadline=None, max_examples=500)
@given(data=st.data())
def test_boundary_in_any_packet(packets: st.SearchStrategy[bytes], data: st.DataObject) -> None:
    check_boundaries(data.draw(packets))


@pytest.mark.parametrize("offset", [-1, 4])
def test_boundary_outside_the_text(offset: int) -> None:
    message = f"^offset must be from 0 to 3, the length of the text, got {offset}$"
    with pytest.raises(IndexError, match=message):
        boundary(b"abc", offset)


@settings(deadline=None)
@given(text=TEXTS)
def test_nth_offset_and_count(text: str) -> None:
    data = text.encode("utf-8")
    assert count_code_points(data) == len(text)
    for n in range(len(text) + 1):
        assert nth_offset(data, n) == len(text[:n].encode("utf-8"))


def test_nth_offset_looks_at_lead_bytes_only() -> None:
    data = WatchedBytes("aé€😀z".encode())
    data.looked_at = set()
    assert nth_offset(data, 4) == 10
    assert data.looked_at == {0, 1, 3, 6}


def test_nth_offset_past_the_end() -> None:
    with pytest.raises(IndexError, match=r"^the text has 2 characters, got 3$"):
        nth_offset("é€".encode(), 3)


def test_nth_offset_before_the_start() -> None:
    with pytest.raises(IndexError, match=r"^characters count from 0, got -1$"):
        nth_offset(b"a", -1)


def test_nth_offset_in_ill_formed_text() -> None:
    with pytest.raises(ValueError, match=r"^a sequence starts with 00\.\.7F or C2\.\.F4, got 80$"):
        nth_offset(b"a\x80b", 2)
