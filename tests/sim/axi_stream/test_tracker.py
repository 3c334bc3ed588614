"""Packets inside a core, matched and stamped."""

from runewire_sim import Chunk, PacketEnd, ProtocolError, Stats
from runewire_sim.axi_stream import PacketTracker, StreamBeat

FULL, PART = StreamBeat(0x1122, 3, False), StreamBeat(0x22, 1, True)


def test_the_tracker_stamps_each_packet() -> None:
    tracker = PacketTracker(2, sparse=False)
    for cycle, beat in enumerate([FULL, PART, PART]):
        tracker.enter(cycle, beat)
    assert tracker.inside == 2
    events = [event for cycle, beat in [(5, FULL), (6, PART), (9, PART)] for event in tracker.leave(cycle, beat)]
    assert events == [Chunk(b"\x22\x11\x22", PacketEnd(0, 0, 1, 5, 6)), Chunk(b"\x22", PacketEnd(0, 2, 2, 9, 9))]
    assert tracker.inside == 0
    assert tracker.stats(20) == Stats(20, 0, 9, 3, 3, 4, 4)
    assert list(tracker.leave(10, PART)) == [ProtocolError("an output beat belongs to no packet")]


def test_a_gap_is_a_pause_of_the_source() -> None:
    """A cycle in which the core stalls the input is none."""
    tracker = PacketTracker(2, sparse=False)
    tracker.enter(3, FULL)
    tracker.pause()
    tracker.enter(5, PART)
    tracker.pause()
    tracker.enter(9, PART)
    ends = [event.end for cycle, beat in [(5, FULL), (6, PART), (9, PART)] for event in tracker.leave(cycle, beat)
            if isinstance(event, Chunk) and event.end]
    assert [end.gaps for end in ends] == [0b10, 0b01]


def test_a_sparse_core_sends_a_beat_for_a_beat() -> None:
    assert sparse_beats(2, 2) == []
    assert sparse_beats(2, 1) == [ProtocolError("1 output beats for 2 input beats")]


def test_a_mark_that_is_added_has_a_beat_of_a_sparse_core() -> None:
    assert sparse_beats(2, 3, mark_beats=1) == []
    assert sparse_beats(2, 2, mark_beats=1) == [ProtocolError("2 output beats for 2 input beats")]


def test_behind_a_packer_beats_are_as_many_as_its_rows() -> None:
    """Each input beat has one byte, and a row two."""
    for beats_in, rows in ((1, 1), (2, 1), (3, 2), (4, 2), (5, 3)):
        assert sparse_beats(beats_in, rows, packed=2) == []
        assert sparse_beats(beats_in, rows + 1, packed=2) == [
            ProtocolError(f"{rows + 1} output beats for {beats_in} input beats")]


def sparse_beats(beats_in: int, beats_out: int, mark_beats: int = 0, packed: int = 0) -> list[ProtocolError]:
    """What is wrong with a packet of so many beats."""
    tracker = PacketTracker(4, sparse=True, mark_beats=mark_beats, packed=packed)
    for beat in range(beats_in):
        tracker.enter(beat, StreamBeat(0, 1, beat == beats_in - 1))
    last = beats_out - 1
    events = [event for beat in range(beats_out) for event in tracker.leave(5 + beat, StreamBeat(0, 15, beat == last))]
    return [event for event in events if isinstance(event, ProtocolError)]
