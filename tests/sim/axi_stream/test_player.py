"""The player: plays all packets, and ends."""

from itertools import count, islice

import pytest
from runewire_model import DecoderParameters, ValidatorParameters
from runewire_sim import Chunk, ProtocolError, Stalls, Stats
from runewire_sim.axi_stream import Player, StreamBeat, kept_bytes


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


@pytest.mark.parametrize("ready", [(False, False), (True, False), (False, True)])
def test_a_pause_of_the_source_is_a_gap_if_the_core_is_ready(ready: tuple[bool, bool]) -> None:
    """The source pauses in cycles 1 and 2, between two packets of a beat."""
    stalls = next(stalls for seed in count() if [*islice((stalls := Stalls(0.5, 0.0, seed)).source_pauses, 4)] == [
        False, True, True, False])
    player = Player(ValidatorParameters(lanes=2), [b"a", b"b"], stalls)
    events: list[object] = []
    output: StreamBeat | None = None
    for level in (True, *ready, True, True):
        offer, _, _ = player.drive()
        events += player.sample(level, output)
        output = offer
    assert [event.end.gaps for event in events if isinstance(event, Chunk) and event.end] == [0, any(ready)]


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
