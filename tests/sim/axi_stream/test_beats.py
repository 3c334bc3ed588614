"""Packets as beats, and output beats collected."""

from random import Random

import pytest
from runewire_model.report import Sidebands
from runewire_sim.axi_stream import OutputReader, StreamBeat, kept_bytes, packet_beats


@pytest.mark.parametrize(("packet", "keeps"), [
    (b"", [0]), (b"a", [1]), (b"abcd", [15]), (b"abcde", [15, 1]), (b"abcdefgh", [15, 15])])
def test_beats_of_a_packet(packet: bytes, keeps: list[int]) -> None:
    beats = list(packet_beats(packet, 4))
    assert [beat.keep for beat in beats] == keeps
    assert [beat.last for beat in beats] == [False] * (len(keeps) - 1) + [True]
    assert b"".join(kept_bytes(beat, 4) for beat in beats) == packet
    assert all(beat.data >> 8 * beat.keep.bit_length() == 0 for beat in beats)


def test_poison_fills_only_what_is_not_kept() -> None:
    beats = [next(iter(packet_beats(b"ab", 4, Random(seed)))) for seed in range(20)]
    assert {kept_bytes(beat, 4) for beat in beats} == {b"ab"}
    assert len({beat.data for beat in beats}) > 10


def test_kept_bytes_with_holes() -> None:
    assert kept_bytes(StreamBeat(0x44332211, 0b1010, True), 4) == b"\x22\x44"


def test_output_beats_are_collected_with_their_record_flags() -> None:
    """Two lanes: tuser has the report flag, then two bits a lane."""
    reader = OutputReader(2, Sidebands(report="flag", records=0x0A))
    assert list(reader.add(StreamBeat(0x0A61, 3, False, 0b01_00_0))) == []
    assert list(reader.add(StreamBeat(0x62, 1, True, 0b00_11_1))) == []
    assert (reader.size, reader.tuser) == (3, 1)
    assert reader.take() == (b"a\nb", bytes([0, 1, 3]))
    assert (reader.size, reader.take()) == (0, (b"", b""))


@pytest.mark.parametrize(("beat", "message"), [
    (StreamBeat(0x61, 1, True, 0b01_00_0), "m_axis: an unkept lane has a mark"),
    (StreamBeat(0x6161, 3, False, 1), "tuser is not zero before the last beat"),
])
def test_what_an_output_beat_must_not_have(beat: StreamBeat, message: str) -> None:
    assert list(OutputReader(2, Sidebands(report="flag", records=0x0A)).add(beat)) == [message]
