"""The rules of a stream."""

import pytest
from runewire_sim.axi_stream import StreamBeat, StreamRules

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
