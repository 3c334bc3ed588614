"""AXI4-Stream in plain Python: beats and the rules."""

from random import Random

import pytest
from runewire_model import DecoderParameters, ValidatorParameters
from runewire_sim import Chunk, PacketEnd, ProtocolError, Stalls, Stats
from runewire_sim.axis import PacketTracker, Player, StreamBeat, StreamRules, kept_bytes, packet_beats


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


FULL, PART = StreamBeat(0x1122, 3, False), StreamBeat(0x22, 1, True)


@pytest.mark.parametrize(("cycles", "broken"), [
    ([(FULL, True), (PART, True)], []),
    ([(FULL, False), (FULL, False), (FULL, True), (None, True), (PART, True)], []),
    ([(FULL, False), (None, True)], ["s: valid fell before ready"]),
    ([(FULL, False), (PART, True)], ["s: the payload changed while valid waited for ready"]),
    ([(FULL, False), (StreamBeat(0x1122, 3, False, 1), True)], ["s: the payload changed while valid waited for ready"]),
    ([(StreamBeat(0x22, 1, False), True)], ["s: a partial beat before the last, tkeep is 0x1"]),
    ([(StreamBeat(0x2200, 2, True), True)], ["s: kept bytes are not contiguous from lane 0, tkeep is 0x2"]),
    ([(StreamBeat(0x1122, 1, True), True)], ["s: an unkept lane is not zero"]),
    ([(StreamBeat(0x1122, 1, True), False), (StreamBeat(0x1122, 1, True), True)], ["s: an unkept lane is not zero"]),
])
def test_rules_of_a_dense_stream(cycles: list[tuple[StreamBeat | None, bool]], broken: list[str]) -> None:
    rules = StreamRules("s", 2, clean=True)
    assert [message for beat, ready in cycles for message in rules.observe(beat, ready)] == broken


@pytest.mark.parametrize(("keep", "broken"), [
    (0x0F, []), (0xF0, []), (0x00, []), (0xFF, []), (0x1F, ["s: tkeep 0x1f splits an element"])])
def test_rules_of_a_sparse_stream(keep: int, broken: list[str]) -> None:
    assert StreamRules("s", 8, element=4).observe(StreamBeat(0, keep, False), True) == broken


def test_reset_ends_what_waits() -> None:
    rules = StreamRules("s", 2)
    rules.observe(FULL, False)
    rules.reset()
    assert rules.observe(None, True) == []


def test_the_ledger_stamps_each_packet() -> None:
    ledger = PacketTracker(2, 2, sparse=False)
    for cycle, beat in enumerate([FULL, PART, PART]):
        ledger.enter(cycle, beat)
    assert ledger.inside == 2
    events = [event for cycle, beat in [(5, FULL), (6, PART), (9, PART)] for event in ledger.leave(cycle, beat)]
    assert events == [Chunk(b"\x22\x11\x22", PacketEnd(0, 0, 1, 5, 6)), Chunk(b"\x22", PacketEnd(0, 2, 2, 9, 9))]
    assert ledger.inside == 0
    assert ledger.stats(20) == Stats(20, 0, 9, 3, 3, 4, 4)
    assert list(ledger.leave(10, PART)) == [ProtocolError("an output beat belongs to no packet")]


def test_a_sparse_core_sends_a_beat_for_a_beat() -> None:
    assert sparse_beats(2, 2) == []
    assert sparse_beats(2, 1) == [ProtocolError("1 output beats for 2 input beats")]


def test_a_mark_that_is_added_has_a_beat_of_a_sparse_core() -> None:
    assert sparse_beats(2, 3, mark_beats=1) == []
    assert sparse_beats(2, 2, mark_beats=1) == [ProtocolError("2 output beats for 2 input beats")]


def sparse_beats(beats_in: int, beats_out: int, mark_beats: int = 0) -> list[ProtocolError]:
    """What is wrong with a packet of so many beats."""
    ledger = PacketTracker(1, 4, sparse=True, mark_beats=mark_beats)
    for beat in range(beats_in):
        ledger.enter(beat, StreamBeat(0, 1, beat == beats_in - 1))
    last = beats_out - 1
    events = [event for beat in range(beats_out) for event in ledger.leave(5 + beat, StreamBeat(0, 15, beat == last))]
    return [event for event in events if isinstance(event, ProtocolError)]


def wire(player: Player, delay: int) -> list[object]:
    """Plays through a wire of that delay which is always ready and clears what is not kept; no sink pauses."""
    line: list[StreamBeat | None] = [None] * delay
    events: list[object] = []
    while not player.finished:
        offer, _, _ = player.drive()
        line.append(offer and StreamBeat(int.from_bytes(kept_bytes(offer, 2), "little"), offer.keep, offer.last))
        events += player.sample(True, line.pop(0))
    return events


def test_the_player_plays_all_and_drains() -> None:
    events = wire(Player(ValidatorParameters(lanes=2), [b"abc", b"", b"d"], Stalls(0.5, 0.0, 1)), 3)
    assert [event.output for event in events if isinstance(event, Chunk)] == [b"abc", b"", b"d"]
    assert not [event for event in events if isinstance(event, ProtocolError)]
    stats = events[-1]
    assert isinstance(stats, Stats)
    assert stats.cycles == stats.last_out + 65


def test_the_player_stops_a_core_that_is_stuck() -> None:
    player = Player(DecoderParameters(lanes=2), [b"abc"], Stalls())
    events: list[object] = []
    while not player.finished:
        player.drive()
        events += player.sample(False, None)
    assert events[0] == ProtocolError(
        "cycle 10000: deadlock: no beat has moved for 10000 cycles, 0 packets inside")


def test_the_player_tells_of_unknown_values() -> None:
    player = Player(ValidatorParameters(lanes=2), [b"abc"], Stalls())
    player.drive()
    events = list(player.unknown("m_axis_tvalid"))
    assert events[0] == ProtocolError("cycle 0: m_axis_tvalid has an unknown value")
    assert player.finished
