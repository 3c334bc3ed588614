"""The source: beats in order, each offered until its handshake."""

from runewire_sim.axi_stream import StreamBeat, StreamSource

FIRST, SECOND = StreamBeat(1, 1, False), StreamBeat(2, 1, True)


def test_a_beat_is_offered_until_its_handshake() -> None:
    beats = iter([FIRST, SECOND])
    source = StreamSource(lambda: next(beats, None))
    assert source.more()
    assert source.offer(paused=True) is None
    assert source.offer(paused=False) is FIRST
    assert source.offer(paused=True) is FIRST, "a pause does not withdraw a beat"
    assert source.handshake() is FIRST
    assert source.offer(paused=True) is None
    assert source.offer(paused=False) is SECOND
    assert source.handshake() is SECOND
    assert not source.more()
    assert source.offer(paused=False) is None


def test_beats_may_come_later() -> None:
    queue: list[StreamBeat] = []
    source = StreamSource(lambda: queue.pop(0) if queue else None)
    assert not source.more()
    queue.append(FIRST)
    assert source.more()
    assert source.offer(paused=False) is FIRST
