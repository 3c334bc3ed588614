"""cocotb bench for a board with flows: texts are cut at random, the segments of several senders alternate, and Python's
codec has the answer of each whole text."""

import random
from typing import Any, NamedTuple

import cocotb
from ethernet_wire import HERE, MORE_PORT, PORT, Peer, Reply, Wire, right, started
from runewire_model.texts import damage, generate

AT_ONCE = 8
"""Datagrams that are sent before their replies are read."""
SCRIPTS = ("chinese", "cyrillic", "emoji", "mixed", "arabic")


class Segment(NamedTuple):
    peer: Peer
    text: bytes
    more: bool


def cut(text: bytes, peer: Peer, chance: random.Random) -> list[Segment]:
    """Segments of a text: of a byte, of some, and of none."""
    parts = []
    while text:
        size = chance.choice((0, 1, 1, 2, 3, 5, 8, 40))
        parts.append(text[:size])
        text = text[size:]
    if chance.random() < 0.5:
        parts.append(b"")
    return [Segment(peer, part, number < len(parts) - 1) for number, part in enumerate(parts)]


def interleaved(queues: list[list[Segment]], chance: random.Random) -> list[Segment]:
    """Segments of all queues, each queue's in order."""
    left = [list(queue) for queue in queues]
    found = []
    while left := [queue for queue in left if queue]:
        found.append(chance.choice(left).pop(0))
    return found


async def answers(wire: Wire, segments: list[Segment]) -> list[Reply]:
    """The reply to each segment, which must be to its sender and in order."""
    found: list[Reply] = []
    for start in range(0, len(segments), AT_ONCE):
        for segment in segments[start:start + AT_ONCE]:
            wire.send(wire.datagram(segment.text, segment.peer, MORE_PORT if segment.more else PORT))
        for segment in segments[start:start + AT_ONCE]:
            reply = await wire.reply()
            assert (reply.to, reply.source) == (segment.peer, MORE_PORT if segment.more else PORT)
            assert not found or reply.number == found[-1].number + 1
            found.append(reply)
    return found


def joined(segments: list[Segment], replies: list[Reply]) -> dict[Peer, list[Reply]]:
    """The replies to each sender's texts: outputs joined, and the report of the last segment."""
    texts: dict[Peer, list[Reply]] = {}
    under_way: dict[Peer, bytes] = {}
    for segment, reply in zip(segments, replies, strict=True):
        text = under_way.pop(segment.peer, b"") + reply.text
        if segment.more:
            under_way[segment.peer] = text
        else:
            texts.setdefault(segment.peer, []).append(reply._replace(text=text))
    assert not under_way
    return texts


def port(number: int) -> Peer:
    return HERE._replace(port=number)


@cocotb.test
async def texts_that_are_cut_at_random_are_as_in_one_packet(dut: Any) -> None:
    wire = await started(dut)
    chance = random.Random(1)
    texts = {port(50_000 + number): [damage(generate(script, 90, number), rate, number) for rate in (0, 0.08)]
             for number, script in enumerate(SCRIPTS)}
    segments = interleaved([[segment for text in both for segment in cut(text, peer, chance)]
                            for peer, both in texts.items()], chance)
    found = joined(segments, await answers(wire, segments))
    for peer, both in texts.items():
        for text, reply in zip(both, found[peer], strict=True):
            right(reply, text)


@cocotb.test
async def a_closed_text_leaves_nothing_to_the_next(dut: Any) -> None:
    wire = await started(dut)
    peer = port(50_003)
    segments = [Segment(peer, b"ab\xe2", True), Segment(peer, b"\x82", False),
                Segment(peer, b"\xac c", True), Segment(peer, b"", False), Segment(peer, "d€".encode(), False)]
    replies = joined(segments, await answers(wire, segments))[peer]
    for reply, text in zip(replies, (b"ab\xe2\x82", b"\xac c", "d€".encode()), strict=True):
        right(reply, text)


@cocotb.test
async def a_damaged_frame_changes_no_text(dut: Any) -> None:
    wire = await started(dut)
    one, two = port(50_001), port(50_002)
    replies = await answers(wire, [Segment(one, b"a\xf0\x9f", True), Segment(two, b"\xe2\x82", True)])
    for spoiled in (b"\x80", b"", generate("chinese", 1472, 1)):
        wire.send(wire.datagram(spoiled, one, MORE_PORT), spoil=True)
        wire.send(wire.datagram(spoiled, two), spoil=True)
    await wire.silence()
    last = await answers(wire, [Segment(one, b"\x98\x80", False), Segment(two, b"\xac", False)])
    assert last[0].number == replies[-1].number + 7
    for reply, before, text in zip(last, replies, ("a😀", "€"), strict=True):
        right(reply._replace(text=before.text + reply.text), text.encode())


@cocotb.test
async def the_longest_segments_come_at_wire_speed(dut: Any) -> None:
    wire = await started(dut)
    text = generate("chinese", 2944, 3)
    segments = [Segment(port(50_009), text[:1472], True), *(Segment(port(50_010), b"\xc3", True),
                Segment(port(50_010), b"\xbc", False)) * 3, Segment(port(50_009), text[1472:], False)]
    found = joined(segments, await answers(wire, segments))
    right(found[port(50_009)][0], text)
    assert [reply.text for reply in found[port(50_010)]] == ["ü".encode("utf-16-le")] * 3
