"""The comparison with the golden model, without a simulator."""

from collections.abc import Generator
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
from runewire_sim import Chunk, Difference, PacketEnd, PacketError, Report, Run, Stats, compare, scoreboard
from runewire_sim.results import Event
from runewire_sim.scoreboard import Golden

STATS = Stats(0, 0, 0, 0, 0, 0, 0)
DECODER = DecoderParameters(lanes=4)
ENCODER = EncoderParameters(lanes=1)
VALIDATOR = ValidatorParameters(lanes=4)


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
    DECODER, DecoderParameters(bom="strip", errors="drop"), VALIDATOR]))
def test_a_packet_computed_in_pieces_is_the_packet(packet: bytes, piece: int, parameters: TranscoderParameters) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoreboard, "PIECE", piece)
        golden = Golden(parameters, packet)
        output = b"".join(golden.output())
    assert PacketResult(output, golden.error) == parameters.compute(packet)
    assert golden.code_points == scoreboard.code_points(parameters, output)


@given(st.lists(st.integers(0, 2**32 - 1) | st.integers(0xD7F0, 0xE010), max_size=12))
def test_an_encoder_packet_in_pieces_is_the_packet(words: list[int]) -> None:
    packet = pack(f"<{len(words)}I", *words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoreboard, "PIECE", 8)
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
