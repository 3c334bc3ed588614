"""cocotb bench for a board's RGMII pins alone: cocotbext-eth and scapy send, receive and unpack, and Python's codec has
the answers."""

import random
from itertools import pairwise
from typing import Any

import cocotb
from ethernet_wire import BOARD, BROADCAST, HERE, PORT, THERE, right, started
from runewire_model.texts import damage, generate
from scapy.layers.l2 import ARP, Ether

FIRST_ERRORS = {
    "no, it is fine: é€😀".encode(): 0, b"": 0, b"\xff": 1, b"ab\xe2\x82": 2, b"caf\x80": 3, b"\xc0\x80": 4,
    b"\xf4\x90\x80\x80": 5, b"\xed\xa0\x80": 6, b"12345\xed\xa0\x80 \xff": 6,
}
"""Texts, and the kind of the first error in them, by the numbers of docs/semantics.md."""


@cocotb.test
async def who_asks_for_the_address_is_told_and_nobody_else(dut: Any) -> None:
    wire = await started(dut)
    wire.send(bytes(Ether(src=HERE.mac, dst=BROADCAST)
                    / ARP(op="who-has", hwsrc=HERE.mac, psrc=HERE.ip, pdst=str(BOARD + 1))))
    await wire.silence()
    wire.send(bytes(Ether(src=THERE.mac, dst=BROADCAST)
                    / ARP(op="who-has", hwsrc=THERE.mac, psrc=THERE.ip, pdst=str(BOARD))))
    answer = await wire.frame()
    assert (answer.dst, answer[ARP].hwdst, answer[ARP].hwsrc) == (THERE.mac, THERE.mac, wire.mac)


@cocotb.test
async def first_errors_are_told(dut: Any) -> None:
    wire = await started(dut)
    for text, kind in FIRST_ERRORS.items():
        wire.send(wire.datagram(text))
        reply = await wire.reply()
        right(reply, text)
        assert reply.kind == kind


@cocotb.test
async def real_text_and_damage_come_back_at_wire_speed(dut: Any) -> None:
    wire = await started(dut)
    # UTF-16 of ASCII is twice as long, so it cannot be all of what comes.
    sizes = {"chinese": 1470, "cyrillic": 500, "ascii": 100, "emoji": 403, "arabic": 30}
    texts = [generate(script, size, 1) for script, size in sizes.items()]
    texts += [damage(text, 0.05, 2) for text in texts[1:]]
    peers = [HERE if number % 3 else THERE for number in range(len(texts))]
    for text, peer in zip(texts, peers, strict=True):
        wire.send(wire.datagram(text, peer))
    replies = [await wire.reply() for _ in texts]
    for text, peer, reply in zip(texts, peers, replies, strict=True):
        right(reply, text)
        assert (reply.to, reply.source) == (peer, PORT)
    assert all(after.number == before.number + 1 for before, after in pairwise(replies))
    await wire.silence()


@cocotb.test
async def more_than_a_frame_holds_comes_in_parts(dut: Any) -> None:
    wire = await started(dut)
    for size, parts in ((733, 1), (734, 2), (1472, 3)):
        text = generate("ascii", size, size)
        wire.send(wire.datagram(text))
        reply = await wire.reply()
        right(reply, text)
        assert reply.parts == parts


@cocotb.test
async def damaged_frames_are_dropped_and_the_next_is_not(dut: Any) -> None:
    wire = await started(dut)
    long, short = generate("mixed", 900, 1), "ü".encode()
    before = None
    for spoiled in (long, short, b"", generate("chinese", 1472, 1)):
        wire.send(wire.datagram(spoiled), spoil=True)  # of the short ones it is padding
        wire.send(wire.datagram(long))
        reply = await wire.reply()
        right(reply, long)
        assert before is None or reply.number == before + 2
        before = reply.number
    await wire.silence()


@cocotb.test
async def what_is_not_for_it_has_no_reply(dut: Any) -> None:
    wire = await started(dut)
    wire.send(wire.datagram(b"other port", port=PORT + 1))
    wire.send(wire.datagram(b"other address", to=str(BOARD + 1)))
    wire.send(wire.datagram(b"broadcast", to="192.168.1.255"))
    wire.send(wire.datagram(b"too long" * 185))
    wire.send(wire.datagram(b"cut off", len=600))
    wire.send(bytes(Ether(src=HERE.mac, dst=wire.mac, type=0x86DD)) + bytes(60))
    await wire.silence()
    wire.send(wire.datagram(b"here"))
    right(await wire.reply(), b"here")


@cocotb.test
async def what_has_no_room_is_dropped_as_a_whole(dut: Any) -> None:
    wire = await started(dut)
    chance = random.Random(5)
    texts = [generate("ascii", chance.randint(1300, 1472), seed) for seed in range(14)]
    for text in texts:
        wire.send(wire.datagram(text))
    replies = [await wire.reply()]
    first = replies[0].number
    while replies[-1].number < first + len(texts) - 1:
        try:
            replies.append(await wire.reply())
        except Exception:  # the last ones were dropped
            break
    assert 6 < len(replies) < len(texts)
    for reply in replies:
        right(reply, texts[reply.number - first])
    wire.send(wire.datagram(b"and on"))
    right(await wire.reply(), b"and on")
