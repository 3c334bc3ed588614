"""The comparison with the golden model, without a simulator."""

from collections.abc import Generator
from dataclasses import replace
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runewire_model import (
    ENCODINGS,
    DecoderParameters,
    EncoderParameters,
    ErrorKind,
    FirstError,
    PacketResult,
    TranscoderParameters,
    ValidatorParameters,
)
from runewire_model.report import Sidebands
from runewire_sim import Chunk, Difference, PacketEnd, PacketError, Report, Run, Stats, compare
from runewire_sim import golden as golden_module
from runewire_sim.differences import end_difference
from runewire_sim.golden import Golden, code_points
from runewire_sim.results import Event
from runewire_sim.sidebands import NO_SIDEBANDS

STATS = Stats(0, 0, 0, 0, 0, 0, 0)
DECODER = DecoderParameters(lanes=4)
ENCODER = EncoderParameters(lanes=1)
VALIDATOR = ValidatorParameters(lanes=4)
COUNT = ("code-points", "utf16-units", "replacements", "bytes")


def run(results: list[tuple[bytes, int]], size: int = 10**9) -> Run:
    def events() -> Generator[Event, None, None]:
        for output, tuser in results:
            at = 0
            while len(output) - at > size:
                yield Chunk(output[at : at + size], None)
                at += size
            yield Chunk(output[at:], PacketEnd(tuser, 0, 0, 0, 0))
        yield STATS

    return Run(events())


def answers(parameters: TranscoderParameters, packets: list[bytes]) -> list[tuple[bytes, int]]:
    results = [parameters.compute(packet) for packet in packets]
    return [(result.output, parameters.sidebands.pack(result.error, result.counts)) for result in results]


edges = st.lists(st.sampled_from(ENCODINGS["utf-8"].edges), max_size=60).map(bytes)
texts = st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass"))


@given(st.lists(edges | texts, max_size=4).map(b"".join), st.integers(4, 9), st.sampled_from([
    DECODER, DecoderParameters(bom="strip", errors="drop", count=COUNT), VALIDATOR,
    ValidatorParameters(records=0x61, count=(*COUNT, "records", "bad-records"))]))
def test_a_packet_computed_in_pieces_is_the_packet(packet: bytes, piece: int, parameters: TranscoderParameters) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(golden_module, "PIECE", piece)
        golden = Golden(parameters, packet)
        output = b"".join(golden.output())
    assert PacketResult(output, golden.error, golden.counts, tuple(golden.records)) == parameters.compute(packet)
    assert [mark & 2 > 0 for mark in golden.marks if mark & 1] == golden.records
    assert len(golden.marks) == (len(packet) if parameters.sidebands.records else 0)
    assert golden.code_points == code_points(parameters, output)


@given(st.lists(st.integers(0, 2**32 - 1) | st.integers(0xD7F0, 0xE010), max_size=12))
def test_an_encoder_packet_in_pieces_is_the_packet(words: list[int]) -> None:
    packet = pack(f"<{len(words)}I", *words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(golden_module, "PIECE", 8)
        golden = Golden(ENCODER, packet)
        assert PacketResult(b"".join(golden.output()), golden.error) == ENCODER.compute(packet)


@pytest.mark.parametrize("size", [1, 3, 4, 1000])
def test_agreement(size: int) -> None:
    packets = [b"", "a€😀".encode(), b"a\xFFb", b"\xE2\x82"]
    report = compare(DECODER, packets, run(answers(DECODER, packets), size))
    first = PacketError(2, FirstError(ErrorKind.HEADER_BITS, 1))
    assert report == Report(packets=4, bytes_in=13, code_points=7, flagged=2, first_error=first, stats=STATS)
    assert report.agree


@pytest.mark.parametrize(("parameters", "results", "difference"), [
    (DECODER, [(pack("<2I", 0x61, 0x63), 0)], "scalar 1: hardware U+0063, model U+0062"),
    (DECODER, [(pack("<I", 0x61), 0)], "the hardware sends 4 bytes, the model 8"),
    (DECODER, [(pack("<3I", 0x61, 0x62, 0x63), 0)], "scalar 2: hardware U+0063, model nothing"),
    (VALIDATOR, [(b"aX", 0)], "byte 1: hardware 58, model 62"),
    (VALIDATOR, [(b"ab", 1 << 4 | 4 << 1 | 1)], "first error: hardware OVERLONG at 1, model none"),
    (VALIDATOR, [(b"ab", 1)], "first error: hardware tuser 0x000000001, model none"),
    (VALIDATOR, [(b"ab", 2)], "first error: hardware tuser 0x000000002, model none"),
    (VALIDATOR, [], "the hardware sends no more"),
])
@pytest.mark.parametrize("size", [1, 1000])
def test_differences(
    parameters: TranscoderParameters, results: list[tuple[bytes, int]], difference: str, size: int,
) -> None:
    report = compare(parameters, [b"ab"], run(results, size))
    assert not report.agree
    assert report.differing == 1
    assert report.first_difference is not None
    if size > 1:
        assert report.first_difference == Difference(0, difference)


BESIDE = {"count": ("bytes",), "offset_bits": 16, "user": 2, "id": 3, "dest": 3}
"""The report has an error bit, a kind, an offset from bit 4 on, and a counter from bit 20 on; the rest from bit 36."""


def _of_two_bytes(sidebands: Sidebands) -> Golden:
    golden = Golden(replace(ValidatorParameters(8), sidebands=sidebands), b"ab")
    assert [*golden.output()] == [b"ab"]
    return golden


@pytest.mark.parametrize(("end", "difference"), [
    (PacketEnd(2 << 20, 0, 0, 0, 0), None),
    (PacketEnd(2 << 20 | 1, 0, 0, 0, 0), "packet bad: hardware True, model False"),
    (PacketEnd(3 << 20, 0, 0, 0, 0), "bytes: hardware 3, model 2"),
    (PacketEnd(2 << 20 | 5 << 4 | 2 << 1 | 1, 0, 0, 0, 0), "first error: hardware TOO_SHORT at 5, model none"),
    (PacketEnd(1 << 36 | 2 << 20, 0, 0, 0, 0), "tuser carried: hardware 0x1, model 0x0"),
    (PacketEnd(2 << 20, 0, 0, 0, 0, tid=1), "tid: hardware 0x1, model 0x0"),
    (PacketEnd(2 << 20, 0, 0, 0, 0, tdest=7), "tdest: hardware 0x7, model 0x0"),
])
@pytest.mark.parametrize("port", ["none", "beside", "only"])
def test_differences_at_a_packets_end(end: PacketEnd, difference: str | None, port: str) -> None:
    sidebands = Sidebands(**BESIDE, report_port=port)
    if port == "only":
        end = replace(end, tuser=end.tuser >> 36, report=end.tuser & (1 << 36) - 1)
    elif port == "beside":
        end = replace(end, report=end.tuser & (1 << 36) - 1)
    found = end_difference(sidebands, _of_two_bytes(sidebands), NO_SIDEBANDS, end)
    assert found == difference


def test_a_report_that_does_not_come_is_a_difference() -> None:
    end = PacketEnd(2 << 20, 0, 0, 0, 0)
    sidebands = Sidebands(**BESIDE, report_port="beside")
    assert end_difference(sidebands, _of_two_bytes(sidebands), NO_SIDEBANDS, end) == "the hardware sends no report"


def test_marks_are_compared() -> None:
    parameters = ValidatorParameters(lanes=4, records=0x0A)

    def events() -> Generator[Event, None, None]:
        yield Chunk(b"a\n", None, b"\0\1")
        yield Chunk(b"\xFFb\nc", PacketEnd(2 << 4 | 1 << 1 | 1, 0, 0, 0, 0), b"\0\0\1\1")
        yield STATS

    report = compare(parameters, [b"a\n\xFFb\nc"], Run(events(), parameters.sidebands))
    assert report.first_difference == Difference(
        0, "records, byte 4: hardware a well-formed record's end, model an ill-formed record's end")
    assert (report.records, report.bad_records) == (3, 1)


def test_the_packets_after_a_difference_are_compared_too() -> None:
    packets = [b"a", b"b", b"c", b"d"]
    report = compare(VALIDATOR, packets, run([(b"a", 0), (b"x", 0), (b"c", 0), (b"y", 0)]))
    assert report.first_difference == Difference(1, "byte 0: hardware 78, model 62")
    assert (report.packets, report.differing) == (4, 2)


def test_a_packet_too_many_is_a_difference() -> None:
    report = compare(VALIDATOR, [b"a"], run([(b"a", 0), (b"b", 0)]))
    assert report.first_difference == Difference(1, "the hardware sends a packet that nobody sent it")


def test_callbacks_see_everything_as_it_comes() -> None:
    chunks: list[Chunk] = []
    progress: list[int] = []
    packets = [b"abcdef", b"gh"]
    compare(VALIDATOR, packets, run(answers(VALIDATOR, packets), 2), on_chunk=chunks.append,
            on_packet=lambda report: progress.append(report.bytes_in))
    assert b"".join(chunk.output for chunk in chunks) == b"abcdefgh"
    assert progress == sorted(progress)
    assert progress[-1] == 8
