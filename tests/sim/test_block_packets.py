"""Packets of repeated blocks: where they may be cut, and their beginnings."""

from random import Random

import pytest
from runewire_model import ENCODINGS, Encoding, TranscoderParameters
from runewire_model.report import Sidebands
from runewire_model.report_fields import possible_counters
from runewire_sim.block_packets import BlockPacket, blocks, weave
from runewire_sim.golden import Golden, Known

ORDERS = [(each, order) for each in ENCODINGS.values() for order in each.orders]


def woven(encoding: Encoding, order: Encoding, size: int = 20_000, longest: int = 400) -> list[BlockPacket]:
    """Packets of noise, of blocks of up to 30 units."""
    random = Random(1)
    found = blocks(order, random.randbytes(3_000), random, 30)
    return list(weave(order, found, random, size, longest, order is not encoding.orders[0]))


@pytest.mark.parametrize(("encoding", "order"), ORDERS, ids=lambda each: each.name)
@pytest.mark.parametrize("target", ["utf-8", "ascii", None])
def test_the_parts_have_the_answer_of_the_whole(encoding: Encoding, order: Encoding, target: str | None) -> None:
    records = 0x0A if target is None and encoding.unit_bytes == 1 else None
    counted = Sidebands(count=possible_counters(records), records=records)
    parameters = TranscoderParameters(encoding.name, target, 1, sidebands=counted)
    known: Known = {}
    packets = woven(encoding, order)
    assert any(packet.cuts for packet in packets)
    for packet in packets:
        parts, whole = Golden(parameters, packet, known), Golden(parameters, bytes(packet))
        assert b"".join(parts.output()) == b"".join(whole.output())
        for name in ("error", "code_points", "counts", "records", "marks"):
            assert getattr(parts, name) == getattr(whole, name)


def test_a_block_is_answered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    encoding = ENCODINGS["utf-8"]
    asked: list[bytes] = []
    compute = TranscoderParameters.compute
    monkeypatch.setattr(TranscoderParameters, "compute",
                        lambda self, packet: (asked.append(packet), compute(self, packet))[1])
    packets = woven(encoding, encoding)
    known: Known = {}
    for packet in packets:
        for _ in Golden(TranscoderParameters("utf-8", "utf-16le", 1), packet, known).output():
            pass
    ends = sum(1 + bool(packet.cuts) for packet in packets)
    assert len(asked) == ends + len(known)
    assert len(known) < sum(len(packet.cuts) for packet in packets) / 4


@pytest.mark.parametrize(("encoding", "order"), ORDERS, ids=lambda each: each.name)
def test_the_packets_have_the_sizes_asked_for(encoding: Encoding, order: Encoding) -> None:
    packets = woven(encoding, order)
    unit = encoding.unit_bytes
    assert {len(packet) % unit for packet in packets} == {0}
    assert max(map(len, packets)) <= 400 * unit
    assert sum(max(len(packet), unit) for packet in packets) == 20_000


@pytest.mark.parametrize(("encoding", "order"), ORDERS, ids=lambda each: each.name)
def test_packets_in_another_byte_order_begin_with_its_mark(encoding: Encoding, order: Encoding) -> None:
    packets = [packet for packet in woven(encoding, order, longest=20) if len(packet) >= 4]
    marked = sum(packet.startswith(order.byte_order_marks) for packet in packets)
    if order is not encoding.orders[0]:
        assert marked == len(packets)
    else:
        assert marked < len(packets) / 2
        assert (marked > 0) == bool(order.byte_order_marks)


def test_packets_begin_and_end_amid_a_block() -> None:
    encoding = ENCODINGS["utf-8"]
    packets = woven(encoding, encoding, longest=40)
    assert {packet[0] >= 0x80 for packet in packets if packet} == {True, False}
    assert b"" in packets
