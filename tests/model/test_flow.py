"""Texts in segments: joined, the answers equal the one for the whole text in one packet, whatever the cut."""

import codecs
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runewire_model import ENCODINGS, Flow, PacketResult, TranscoderParameters, ValidatorParameters
from runewire_model.report import Sidebands
from runewire_model.report_fields import possible_counters

ALL = Sidebands(count=possible_counters(None))
REPORTED = Sidebands(records=0x0A, record_report=True, count=possible_counters(0x0A))
CORES = {
    **{f"{name} to utf-32le": TranscoderParameters(name, "utf-32le", sidebands=ALL) for name in ENCODINGS},
    **{f"{name} checked": TranscoderParameters(name, None, sidebands=ALL) for name in ENCODINGS},
    **{f"{name} stripped": TranscoderParameters(name, "utf-8", errors="drop", bom="strip", sidebands=ALL)
       for name, each in ENCODINGS.items() if each.byte_order_marks},
    **{f"{name} with a mark": TranscoderParameters(name, "utf-16", lanes=1, bom="add", sidebands=ALL)
       for name in ENCODINGS},
    **{f"{name} to ascii": TranscoderParameters(name, "ascii", replacement=0x1A, sidebands=ALL)
       for name in ENCODINGS if name != "ascii"},
    **{f"{name} in runs": TranscoderParameters(
        name, "utf-16le", replace_runs=True, sidebands=Sidebands(records=0x0A, count=possible_counters(0x0A)))
       for name, each in ENCODINGS.items() if each.wrong},
    "utf-8 sanitized in runs": TranscoderParameters("utf-8", "utf-8", replacement=0x3F, replace_runs=True,
                                                    sidebands=ALL),
    **{f"{name} checked, with reported records": TranscoderParameters(name, None, sidebands=REPORTED)
       for name, each in ENCODINGS.items() if each.wrong},
    **{f"{name} with a mark and reported records": TranscoderParameters(name, "utf-16be", bom="add", sidebands=REPORTED)
       for name, each in ENCODINGS.items() if each.wrong},
    **{f"{name} to latin-1 with reported records": TranscoderParameters(name, "latin-1", sidebands=REPORTED)
       for name, each in ENCODINGS.items() if each.wrong},
    **{f"{name} in records": TranscoderParameters(
        name, None, sidebands=Sidebands(records=0x0A, count=possible_counters(0x0A)))
       for name, each in ENCODINGS.items() if each.unit_bytes == 1},
}
EVERY = pytest.mark.parametrize("core", CORES.values(), ids=CORES)
DEEP = ("utf-8 to utf-32le", "utf-8 checked")
"""Cores with every text of three bytes."""
INTERESTING = {1: bytes.fromhex("0A 41 80 9F BF C0 C3 E0 E2 ED F0 F4 FF"), 2: b"\x00\x0A\xD8\xDC\xFE\xFF",
               4: b"\x00\x41\xFE\xFF\xD8"}
"""Bytes for texts of units of so many bytes."""


def cuts(text: bytes) -> Iterator[list[bytes]]:
    """Every way to cut a text into segments, none of them empty unless the text is."""
    for places in product((False, True), repeat=max(len(text) - 1, 0)):
        ends = [place for place, here in enumerate(places, 1) if here]
        yield [text[first:last] for first, last in zip([0, *ends], [*ends, len(text)], strict=True)]


def answers(flow: Flow, segments: Sequence[bytes]) -> list[PacketResult]:
    last = len(segments) - 1
    return [flow.segment(segment, more=place < last) for place, segment in enumerate(segments)]


def together(found: Sequence[PacketResult]) -> PacketResult:
    """What the segments' answers say of the whole text."""
    counts = {name: sum(each.counts[name] for each in found) for name in found[0].counts}
    records = tuple(flag for each in found for flag in each.records)
    bad = tuple(record for each in found for record in each.bad_records)
    return PacketResult(b"".join(each.output for each in found), found[-1].error, counts, records, bad)


@cache
def whole(core: TranscoderParameters, text: bytes) -> PacketResult:
    return core.compute(text)


@EVERY
def test_every_cut_of_small_texts(core: TranscoderParameters) -> None:
    """One flow for all: nothing of a text is left for the next."""
    flow = Flow(core)
    size = core.reads.unit_bytes
    small = INTERESTING[size]
    longest = 3 if core in (CORES[name] for name in DEEP) else 2
    texts = [bytes(text) for length in range(longest + 1) for text in product(small, repeat=length)]
    texts += [*core.reads.troublemakers.values(), *core.reads.wrong[:6]]
    for text in texts:
        if len(text) < 8:
            for segments in cuts(text):
                assert together(answers(flow, segments)) == whole(core, text), segments


@EVERY
def test_empty_segments_change_nothing(core: TranscoderParameters) -> None:
    flow = Flow(core)
    for text in core.reads.troublemakers.values():
        segments = [part for octet in text for part in (b"", bytes([octet]), b"")]
        assert together(answers(flow, [b"", *segments, b"", b""])) == core.compute(text), text


def texts(core: TranscoderParameters) -> st.SearchStrategy[bytes]:
    """Noise, and joined units at the edges of the encoding's classes, with one of its marks or without."""
    edges = [core.reads.pack([unit]) for unit in core.reads.edges]
    edges += [] if core.sidebands.records is None else [core.reads.pack([core.sidebands.records])] * 3
    parts = st.lists(st.sampled_from([*edges, *core.reads.wrong]) if edges else st.binary(max_size=4), max_size=12)
    marks = st.sampled_from([b"", *core.reads.byte_order_marks])
    return st.builds(lambda mark, parts, rest: mark + b"".join(parts) + rest, marks, parts, st.binary(max_size=3))


@EVERY
def test_any_cut_of_any_text(core: TranscoderParameters) -> None:
    @settings(deadline=None, max_examples=25)
    @given(texts(core), st.lists(st.integers(0, 60), max_size=8))
    def check(text: bytes, places: list[int]) -> None:
        ends = sorted(min(place, len(text)) for place in places)
        segments = [text[first:last] for first, last in zip([0, *ends], [*ends, len(text)], strict=True)]
        found = answers(Flow(core), segments)
        assert together(found) == core.compute(text)
        # A report never says less than the one before.
        errors = [each.error for each in found]
        assert [error for error in errors if error] == [found[-1].error] * sum(error is not None for error in errors)
    check()


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name not in ("utf-16", "utf-32")])
def test_cpythons_incremental_decoders_agree(name: str) -> None:
    core = TranscoderParameters(name, "utf-32le")

    @settings(deadline=None, max_examples=25)
    @given(texts(core), st.lists(st.integers(0, 60), max_size=8))
    def check(text: bytes, places: list[int]) -> None:
        ends = sorted(min(place, len(text)) for place in places)
        segments = [text[first:last] for first, last in zip([0, *ends], [*ends, len(text)], strict=True)]
        decoder = codecs.getincrementaldecoder(name)("replace")
        expected = "".join(decoder.decode(part) for part in segments) + decoder.decode(b"", final=True)
        output = together(answers(Flow(core), segments)).output
        assert output == expected.encode("utf-32-le")
    check()


def test_a_euro_cut_in_two() -> None:
    flow = Flow(TranscoderParameters("utf-8", "utf-32le"))
    first = flow.segment(b"a\xE2\x82", more=True)
    assert (first.output, first.error) == ("a".encode("utf-32-le"), None)
    second = flow.segment(b"\xAC\xFF")
    assert second.output == "€\uFFFD".encode("utf-32-le")
    assert second.error is not None
    assert (second.error.kind.name, second.error.offset) == ("HEADER_BITS", 4)


def test_a_report_says_what_is_known_by_then() -> None:
    """After C0 the kind depends on the next byte. Once there is an error, every later segment reports it."""
    flow = Flow(ValidatorParameters())
    found = answers(flow, [b"ok\xC0", b"\x80", b"", b"ok"])
    assert [each.output for each in found] == [b"ok", b"\xC0\x80", b"", b"ok"]
    assert [each.error and (each.error.kind.name, each.error.offset) for each in found] == [
        None, ("OVERLONG", 2), ("OVERLONG", 2), ("OVERLONG", 2)]


def test_a_record_ends_where_the_text_does_even_in_an_empty_segment() -> None:
    flow = Flow(ValidatorParameters(records=0x0A, count=("records", "bad-records")))
    found = answers(flow, [b"a\n\xFFb", b"c", b""])
    assert [each.output for each in found] == [b"a\n\xFFb", b"c", b""]
    assert [each.records for each in found] == [(False,), (), (True,)]
    assert [each.counts["bad_records"] for each in found] == [0, 0, 1]


@pytest.mark.parametrize(("segments", "flags", "tail"), [
    ([b"a\n\xFFb", b"c", b""], ["0001 0000", "00", ""], 3), ([b"\xFF", b"\n", b""], ["00", "03", ""], 0),
    ([b"\n\xE2\x82", b"", b"\xAC\n\xE2", b"a"], ["01", "", "00 00 00 01", "00 00"], 3), ([b"", b""], ["", ""], 0),
    ([b"a\n", b"", b"b"], ["0001", "", "00"], 1),
])
def test_a_record_goes_on_over_segments(segments: list[bytes], flags: list[str], tail: int) -> None:
    flow = Flow(ValidatorParameters(records=0x0A, flows=1))
    found, tails = [], []
    for at, segment in enumerate(segments, 1):
        flow.segment(segment, at < len(segments))
        found.append(flow.flags)
        tails.append(flow.tail)
    assert found == [bytes.fromhex(each) for each in flags]
    assert tails == [0] * (len(segments) - 1) + [tail]


def test_an_ill_formed_record_is_reported_in_the_segment_that_ends_it() -> None:
    """With its number in the text and its first error, both of which may be of segments before."""
    flow = Flow(ValidatorParameters(records=0x0A, record_report=True, flows=1))
    texts = [[b"ok\na\xFF", b"", b"\xFF\n\n\xC0", b"\x80"], [b"\n\xE2\x82", b""], [b"\xE2\x82", b"\xAC\n"]]
    assert [[[(each.record, each.kind.name, each.offset) for each in answer.bad_records]
             for answer in answers(flow, text)] for text in texts] == [
        [[], [], [(1, "HEADER_BITS", 1)], [(3, "OVERLONG", 0)]], [[], [(1, "TOO_SHORT", 0)]], [[], []]]


def test_a_run_of_ill_formed_parts_goes_on_over_segments() -> None:
    """Also over an empty one; the next text has a run of its own."""
    flow = Flow(TranscoderParameters("utf-8", "utf-8", replacement=0x3F, replace_runs=True))
    texts = [[b"a\xFF", b"", b"\xFF\xE2", b"\xFFb\xFF", b"c\xFF"], [b"\xFF"]]
    assert [[each.output for each in answers(flow, text)] for text in texts] == [
        [b"a?", b"", b"", b"b?", b"c?"], [b"?"]]
    flow.segment(b"\xFF", more=True)
    assert flow.answered.core.made(b"\xFF\xFFa\xFF", in_run=True) == [0, 0, 1, 1]


def test_an_added_mark_leaves_with_the_first_segment() -> None:
    """Also with an empty one; it replaces the text's own, which may come in pieces."""
    flow = Flow(TranscoderParameters("utf-8", "utf-16be", bom="add"))
    texts = [[b"", b"a", b""], [b"\xEF\xBB", b"\xBFa"], [b""], [b"a", b"\xEF\xBB\xBF"]]
    assert [[each.output.decode("utf-16-be") for each in answers(flow, text)] for text in texts] == [
        ["\uFEFF", "a", ""], ["\uFEFF", "a"], ["\uFEFF"], ["\uFEFFa", "\uFEFF"]]


def test_reset_forgets_the_text() -> None:
    flow = Flow(ValidatorParameters())
    flow.segment(b"\xFF\xE2", more=True)
    flow.reset()
    assert flow.segment(b"\x82") == ValidatorParameters().compute(b"\x82")


@pytest.mark.parametrize("segment", ["text", 7, None])
def test_a_segment_is_bytes(segment: object) -> None:
    with pytest.raises(TypeError, match="data must be bytes"):
        Flow(ValidatorParameters()).segment(segment)  # type: ignore[arg-type]
