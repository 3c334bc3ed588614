"""Every encoding against its oracle, which is CPython's codec of the same name."""

import random
from functools import cache
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runewire_model import ENCODINGS, Encoding, ErrorKind, FirstError, ParameterError, encoding
from runewire_model.scalars import REPLACEMENT

MARK = "\N{BOM}"
HANDLERS = {"replace": "replace", "drop": "ignore"}
"""CPython's names for the two treatments of ill-formed input."""

every = pytest.mark.parametrize("one", ENCODINGS.values(), ids=str)
every_but_slow = pytest.mark.parametrize("one", [
    pytest.param(one, marks=[pytest.mark.slow] if one.byte_order == "big" else [])
    for one in ENCODINGS.values()], ids=str)
"""Slow for the big-endian and BOM-ordered encodings: they have the same bytes in another order."""


@cache
def scalars_of(one: Encoding) -> list[int]:
    """All scalars that the encoding has."""
    text = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
    return [*map(ord, coded(one, text).decode(codec(one)))]


def codec(one: Encoding, packet: bytes = b"") -> str:
    """CPython's codec for a packet of the encoding, for which a byte order mark is a character. Without an order in the
    name, the packet's beginning decides; the default is big-endian."""
    little = {"utf-16": b"\xFF\xFE", "utf-32": b"\xFF\xFE\0\0"}
    if one.oracle in little:
        return f"{one.oracle}-le" if packet[: len(little[one.oracle])] == little[one.oracle] else f"{one.oracle}-be"
    return one.oracle


def coded(one: Encoding, text: str) -> bytes:
    """The characters of a text that the encoding has."""
    return text.encode(codec(one), "ignore")


def cpython(one: Encoding, packet: bytes, errors: str = "replace", bom: str = "keep") -> list[int]:
    text = packet.decode(codec(one, packet), HANDLERS[errors])
    mark = MARK.encode(codec(one, packet), "ignore")
    if bom == "strip" and one.byte_order_marks and packet.startswith(mark):
        text = text.removeprefix(MARK)
    return [*map(ord, text)]


def first_offset(one: Encoding, packet: bytes) -> int | None:
    """Offset in units of the first error, by CPython."""
    try:
        packet.decode(codec(one, packet))
    except UnicodeDecodeError as error:
        return error.start // one.unit_bytes
    return None


def check(one: Encoding, packet: bytes) -> None:
    """Everything that the model computes for a packet."""
    error = one.first_error(packet)
    assert (None if error is None else error.offset) == first_offset(one, packet)
    for errors, bom in product(HANDLERS, ("keep", "strip")):
        scalars = one.decode(packet, errors, bom)
        assert scalars == cpython(one, packet, errors, bom)
        ends = one.ends(packet, errors, bom)
        assert len(ends) == one.units(len(packet))
        assert set(ends) <= {0, 1}
        assert sum(ends) == len(scalars)
    if error is None:
        assert one.count(packet) == len(one.decode(packet))
        assert one.encode(one.decode(packet)) == coded(one, packet.decode(codec(one, packet)))


def check_ends(one: Encoding, packet: bytes) -> None:
    """The packet's beginning up to a scalar's last unit decodes to the scalars up to this one; the rest to the
    others."""
    scalars, size, order = one.decode(packet), one.unit_bytes, one.order_of(packet)
    seen = 0
    for unit, end in enumerate(one.ends(packet)):
        seen += end
        if end:
            assert order.decode(packet[: (unit + 1) * size]) == scalars[:seen]
            assert order.decode(packet[(unit + 1) * size :]) == scalars[seen:]


def check_cut(one: Encoding, packet: bytes) -> None:
    """A cut is close to the requested place, and both parts decode as they do in the complete packet."""
    reach = one.most_units * one.unit_bytes
    scalars, order = one.decode(packet), one.order_of(packet)
    for near in range(len(packet)):
        for view in (packet, bytearray(packet), memoryview(packet)):
            at = one.cut(view, near)
            assert max(0, near - reach + 1) <= at <= near
            assert at % one.unit_bytes == 0
        assert order.decode(packet[:at]) + order.decode(packet[at:]) == scalars


def units(one: Encoding) -> st.SearchStrategy[int]:
    return st.sampled_from(one.edges) | st.integers(0, 256**one.unit_bytes - 1)


def packets(one: Encoding) -> st.SearchStrategy[bytes]:
    """Characters, units at edges, ill-formed sequences, byte order marks; the end may be an incomplete unit."""
    text = st.characters(exclude_categories=["Cs"]).map(lambda c: coded(one, c))
    some = st.lists(units(one), max_size=4).map(one.pack)
    given = [*one.wrong, *one.troublemakers.values(), *(coded(order, MARK) for order in one.orders)]
    pieces = st.lists(text | some | st.sampled_from(given), max_size=12).map(b"".join)
    return st.builds(lambda packet, rest: packet + rest, pieces, st.binary(max_size=one.unit_bytes - 1))


def test_they_are_listed_by_their_names() -> None:
    assert [one.name for one in ENCODINGS.values()] == list(ENCODINGS)
    assert [encoding(name) for name in ENCODINGS] == list(ENCODINGS.values())
    with pytest.raises(ParameterError, match=rf"^encoding must be one of {', '.join(ENCODINGS)}, got 'cp437'$"):
        encoding("cp437")
    with pytest.raises(ParameterError, match=r"got 'utf-7': did you mean 'utf-8'\?$"):
        encoding("utf-7")


@every
def test_case_hyphens_and_underscores_do_not_matter(one: Encoding) -> None:
    names = {one.name, one.name.upper(), one.name.replace("-", ""), one.name.replace("-", "_"), one.title}
    assert {encoding(name) for name in names} == {one}


@every
@pytest.mark.parametrize("wrong", ["abc", None, [1, 2]])
def test_text_that_is_no_bytes_is_refused(one: Encoding, wrong: Any) -> None:
    for refuse in (one.decode, one.ends, one.first_error):
        with pytest.raises(TypeError, match=rf"^data must be bytes, got {type(wrong).__name__} "):
            refuse(wrong)


@every
def test_they_go_by_their_titles(one: Encoding) -> None:
    assert str(one) == one.title
    assert one.title.lower() == one.name


@every_but_slow
def test_every_scalar(one: Encoding) -> None:
    scalars = scalars_of(one)
    packet = one.encode(scalars)
    assert packet == coded(one, "".join(map(chr, scalars)))
    assert one.decode(packet) == scalars
    assert one.first_error(packet) is None
    lengths = [len(coded(one, chr(scalar))) // one.unit_bytes for scalar in scalars]
    assert max(lengths) == one.most_units
    assert one.ends(packet) == b"".join(bytes(length - 1) + b"\1" for length in lengths)
    assert one.count(packet) == len(scalars)


@every
def test_scalars_on_their_own(one: Encoding) -> None:
    edges = [scalar for unit in one.edges for scalar in one.decode(one.pack([unit])) if scalar <= one.greatest]
    bounds = {0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF}
    for scalar in (*scalars_of(one)[::61], *edges, *bounds.intersection(scalars_of(one))):
        packet = coded(one, chr(scalar))
        assert one.encode([scalar]) == packet
        if packet in one.byte_order_marks[1:]:
            continue  # U+FFFE is the mark of the other byte order
        assert one.decode(packet) == one.decode(packet, "drop") == [scalar]
        assert one.ends(packet) == bytes(len(packet) // one.unit_bytes - 1) + b"\1"


@every
def test_every_three_units_at_edges(one: Encoding) -> None:
    for length in range(4):
        chosen = one.edges if length < 3 else one.edges[::2]
        for some in product(chosen, repeat=length):
            check(one, one.pack(some))


@every
def test_the_ill_formed_and_what_others_got_wrong(one: Encoding) -> None:
    for packet in (*one.wrong, *one.troublemakers.values()):
        for before, after in product(("", "A", MARK, "😀"), repeat=2):
            whole = coded(one, before) + packet + coded(one, after)
            check(one, whole)
            check_ends(one, whole)
            check_cut(one, whole)
    for packet in one.wrong:
        assert one.first_error(packet) is not None


@every_but_slow
@settings(deadline=None, max_examples=300)
@given(data=st.data())
def test_any_packet(one: Encoding, data: st.DataObject) -> None:
    packet = data.draw(packets(one))
    check(one, packet)
    check_ends(one, packet)
    check_cut(one, packet)


@every
def test_noise(one: Encoding) -> None:
    rng = random.Random(one.name)
    for _ in range(300):
        packet = rng.randbytes(rng.randrange(80))
        check(one, packet)
        check_ends(one, packet)
        check_cut(one, packet)


@every
@pytest.mark.parametrize("text", ["", "A", MARK, "é漢😀"])
def test_a_unit_that_is_not_whole(one: Encoding, text: str) -> None:
    """After well-formed text an incomplete unit is one U+FFFD and TOO_SHORT, whatever its bytes are."""
    packet = coded(one, text)
    count = len(packet) // one.unit_bytes
    before = cpython(one, packet)
    for size in range(1, one.unit_bytes):
        for rest in (bytes(size), b"\xFF" * size, b"A" + bytes(size - 1), packet[:size].ljust(size, b"\xD8")):
            broken = packet + rest
            assert one.decode(broken) == [*before, REPLACEMENT]
            assert one.decode(broken, "drop") == before
            assert one.first_error(broken) == FirstError(ErrorKind.TOO_SHORT, count)
            assert one.ends(broken) == one.ends(packet) + b"\1"
            assert one.ends(broken, "drop") == one.ends(packet) + b"\0"
            assert one.units(len(broken)) == count + 1


@pytest.mark.parametrize("name", ["utf-16le", "utf-16be", "utf-16"])
def test_a_unit_that_is_not_whole_belongs_to_the_high_surrogate_before_it(name: str) -> None:
    """Together they are one subpart, which begins at the surrogate."""
    one = encoding(name)
    for high, text in product((0xD800, 0xDBFF), ("", "A", "😀")):
        packet = coded(one, text) + one.pack([high])
        offset = one.units(len(packet)) - 1
        assert one.first_error(packet) == FirstError(ErrorKind.SURROGATE, offset)
        for rest in (b"A", b"\0", b"\xD8", b"\xDC"):
            assert one.first_error(packet + rest) == FirstError(ErrorKind.TOO_SHORT, offset)
            assert one.decode(packet + rest) == one.decode(packet) == [*map(ord, text), REPLACEMENT]
            assert one.ends(packet + rest)[-2:] == b"\0\1"
            check(one, packet + rest)
            check_cut(one, packet + rest)
    # No such subpart with a low surrogate, nor with an earlier high one.
    for units in ((0xDC00,), (0xD800, 0x41), (0xD800, 0xD800)):
        check(one, one.pack(units) + b"\xDC")
        assert one.first_error(one.pack(units) + b"\xDC") == FirstError(ErrorKind.SURROGATE, 0)


@pytest.mark.parametrize("name", ["utf-16le", "utf-16be"])
def test_every_three_units_of_utf_16_and_a_part_of_one(name: str) -> None:
    one = encoding(name)
    edges = [0x41, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFEFF, 0xD8, 0xDC]
    for some in product(edges, repeat=3):
        for rest in (b"", b"A", b"\xD8", b"\xDC"):
            check(one, one.pack(some) + rest)


@every
def test_an_earlier_error_comes_before_a_unit_that_is_not_whole(one: Encoding) -> None:
    """Except a high surrogate right before that unit, which belongs to the same error."""
    for wrong, size in product(one.wrong, range(1, one.unit_bytes)):
        error = one.first_error(wrong)
        assert error is not None
        rest = b"A".ljust(one.unit_bytes, b"\0")[:size]
        assert one.first_error(wrong + one.encode([0x41]) + rest) == error
        behind = one.unpack(wrong)[error.offset :]
        high = one.unit_bytes == 2 and len(behind) == 1 and 0xD800 <= behind[0] < 0xDC00
        kind = ErrorKind.TOO_SHORT if high else error.kind
        assert one.first_error(wrong + rest) == FirstError(kind, error.offset)


@every
def test_a_byte_order_mark_is_stripped_once_and_at_the_start(one: Encoding) -> None:
    mark = coded(one, MARK)
    assert mark in one.byte_order_marks if one.greatest >= 0xFEFF else one.byte_order_marks == ()
    for text in (MARK, MARK * 2, f"{MARK}A", f"A{MARK}", ""):
        packet = coded(one, text)
        assert one.decode(packet) == cpython(one, packet)
        stripped = packet.removeprefix(mark) if one.byte_order_marks else packet
        assert one.decode(packet, bom="strip") == cpython(one, stripped)
    for size in range(1, len(mark)):
        assert one.decode(mark[:size], bom="strip") == one.decode(mark[:size]) == cpython(one, mark[:size])


@every
def test_units_and_bytes(one: Encoding) -> None:
    packet = one.pack(one.edges)
    assert len(packet) == len(one.edges) * one.unit_bytes
    assert one.unpack(packet) == list(one.edges)
    assert one.unpack(packet[:-1]) == list(one.edges[:-1])
    assert one.pack([0x41]).decode(codec(one)) == "A"
    assert [one.units(size) for size in (0, 1, one.unit_bytes, one.unit_bytes + 1)] == [0, 1, 1, 2]


@every
@pytest.mark.parametrize(("option", "choices"), [("errors", "replace, drop"), ("bom", "keep, strip")])
def test_other_options_are_refused(one: Encoding, option: str, choices: str) -> None:
    with pytest.raises(ParameterError, match=rf"^{option} must be one of {choices}(, strict)?, got 'ignore'$"):
        one.decode(b"", **{option: "ignore"})


@every
def test_edges_are_on_both_sides_of_every_place_where_one_unit_alone_changes(one: Encoding) -> None:
    """All units of one byte; of wider ones those around the powers of two and the bounds of scalars."""
    if one.unit_bytes == 1:
        candidates = [*range(256)]
    else:
        bounds = [1 << bit for bit in range(8 * one.unit_bytes)] + [0xD800, 0xDC00, 0xE000, 0x110000]
        candidates = sorted({at for bound in bounds for at in (bound - 1, bound) if at < 256**one.unit_bytes})

    def said(unit: int) -> tuple[ErrorKind | None, int]:
        error, scalars = one.first_error(one.pack([unit])), one.decode(one.pack([unit]))
        return None if error is None else error.kind, int(scalars == [REPLACEMENT])

    for low, high in pairwise(candidates):
        if said(low) != said(high):
            assert low in one.edges
            assert high in one.edges


told = pytest.mark.parametrize(("name", "orders"), [
    ("utf-16", ("utf-16be", "utf-16le")), ("utf-32", ("utf-32be", "utf-32le"))])


@told
def test_a_mark_tells_the_byte_order_of_all(name: str, orders: tuple[str, str]) -> None:
    """Every three units at edges, after the mark of either order, and an incomplete unit."""
    one = encoding(name)
    for order, mark in zip(map(encoding, orders), one.byte_order_marks, strict=True):
        assert one.order_of(mark).name == order.name
        assert one.mark(mark + b"A") == mark
        for size in range(3):
            for some in product(one.edges, repeat=size):
                for rest in (b"", b"\xD8"):
                    packet = mark + order.pack(some) + rest
                    check(one, packet)
                    assert one.decode(packet) == order.decode(packet)
                    assert one.first_error(packet) == order.first_error(packet)
                    assert one.unpack(packet) == [0xFEFF, *some]


@told
def test_without_a_mark_it_is_big_endian(name: str, orders: tuple[str, str]) -> None:
    """Big-endian too: a packet with part of a mark, with a mark that is not first, or with the other width's mark."""
    one, big, little = map(encoding, (name, *orders))
    assert [order.name for order in one.orders] == [*orders]
    other = {"utf-16": b"\0\0\xFE\xFF", "utf-32": b"\xFF\xFEA\0"}[name]
    marked = coded(little, MARK)
    for packet in (b"", marked[:-1], marked[:1] + b"A" + marked[1:], coded(little, "A") + marked,
                   coded(big, "A") + marked, other, coded(big, "é漢😀")):
        assert one.order_of(packet).name == big.name
        assert one.mark(packet) == b""
        assert one.decode(packet) == one.decode(packet, bom="strip") == big.decode(packet)
        check(one, packet)


@told
def test_text_is_written_big_endian_without_a_mark(name: str, orders: tuple[str, str]) -> None:
    assert encoding(name).encode([0x41, 0x20AC]) == "A€".encode(orders[0])
    assert encoding(name).byte_order == "big"
