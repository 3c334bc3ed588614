"""cocotb bench for a board's RGMII pins alone: cocotbext-eth and scapy send, receive and unpack, and Python's codec has
the answers."""

import os
import random
import struct
from ipaddress import IPv4Address
from itertools import pairwise
from typing import Any, NamedTuple

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer, with_timeout
from cocotbext.eth import GmiiFrame, RgmiiSink, RgmiiSource
from runewire_model.texts import damage, generate
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether

BOARD = IPv4Address(os.environ["RUNEWIRE_IP"])
PORT = 1337
BROADCAST = "ff:ff:ff:ff:ff:ff"
FIRST_ERRORS = {
    "no, it is fine: é€😀".encode(): 0, b"": 0, b"\xff": 1, b"ab\xe2\x82": 2, b"caf\x80": 3, b"\xc0\x80": 4,
    b"\xf4\x90\x80\x80": 5, b"\xed\xa0\x80": 6, b"12345\xed\xa0\x80 \xff": 6,
}
"""Texts, and the kind of the first error in them, by the numbers of docs/semantics.md."""


class Peer(NamedTuple):
    mac: str
    ip: str
    port: int


HERE, THERE = Peer("02:aa:bb:cc:dd:01", "192.168.1.7", 40001), Peer("02:aa:bb:cc:dd:02", "10.3.2.1", 65535)


class Reply(NamedTuple):
    """All parts of a reply, joined."""

    to: Peer
    kind: int
    number: int
    offset: int
    text: bytes
    parts: int


def expected(data: bytes) -> tuple[bytes, int]:
    """The text in UTF-16, and the offset of Python's first error (0 without one)."""
    try:
        data.decode()
        offset = 0
    except UnicodeDecodeError as error:
        offset = error.start
    return data.decode(errors="replace").encode("utf-16-le"), offset


class Wire:
    """Both ends of the cable, and the board's other pins."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        Clock(dut.clk30, 33_334, unit="ps").start()
        Clock(dut.rx_clk, 8, unit="ns").start()
        self.source = RgmiiSource(dut.rx_data, dut.rx_ctl, dut.rx_clk)
        self.sink = RgmiiSink(dut.tx_data, dut.tx_ctl, dut.tx_clk)
        self.source.log.setLevel("WARNING")
        self.sink.log.setLevel("WARNING")
        self.mac = BROADCAST

    def send(self, frame: bytes, spoil: bool = False) -> None:
        """``spoil``: one bit of the frame is inverted, so that its FCS is wrong."""
        whole = GmiiFrame.from_payload(frame)
        if spoil:
            whole.data[-6] ^= 0x10
        self.source.send_nowait(whole)

    def datagram(self, text: bytes, peer: Peer = HERE, port: int = PORT, to: str = str(BOARD), **fields: Any) -> bytes:
        return bytes(Ether(src=peer.mac, dst=self.mac) / IP(src=peer.ip, dst=to)
                     / UDP(sport=peer.port, dport=port, **fields) / text)

    async def frame(self) -> Any:
        """The next frame that the board sends, its FCS checked."""
        found = await with_timeout(self.sink.recv(), 60, "us")
        assert found.error is None
        assert found.get_preamble() == b"\x55" * 7 + b"\xd5"
        assert found.check_fcs()
        assert len(found.get_payload()) >= 60
        return Ether(bytes(found.get_payload()))

    async def reply(self) -> Reply:
        """The next reply, all checksums and lengths checked."""
        text, parts = b"", 0
        while True:
            frame = await self.frame()
            assert frame.src == self.mac
            ip, udp = frame[IP], frame[UDP]
            checksum = ip.chksum
            del ip.chksum
            assert IP(bytes(ip)).chksum == checksum
            assert (ip.src, udp.sport, udp.chksum, ip.len) == (str(BOARD), PORT, 0, udp.len + 20)
            payload = bytes(udp.payload)[: udp.len - 8]
            assert len(payload) == udp.len - 8 <= 1472
            kind, part, number, offset = struct.unpack_from(">BBHH", payload)
            assert part & 0x7F == parts
            text += payload[6:]
            parts += 1
            if part & 0x80:
                return Reply(Peer(frame.dst, ip.dst, udp.dport), kind, number, offset, text, parts)

    async def silence(self) -> None:
        """Nothing is sent."""
        await Timer(15, "us")
        assert self.sink.empty()

    async def meet(self) -> None:
        """Request the board's address, and use it from then on."""
        self.send(bytes(Ether(src=HERE.mac, dst=BROADCAST)
                        / ARP(op="who-has", hwsrc=HERE.mac, psrc=HERE.ip, pdst=str(BOARD))))
        answer = (await self.frame())[ARP]
        assert (answer.op, answer.psrc, answer.hwdst, answer.pdst) == (2, str(BOARD), HERE.mac, HERE.ip)
        self.mac = answer.hwsrc


async def started(dut: Any) -> Wire:
    wire = Wire(dut)
    await Timer(1, "us")
    if not dut.reset_n.value:
        await RisingEdge(dut.reset_n)
    await Timer(2, "us")
    await wire.meet()
    return wire


def right(reply: Reply, text: bytes) -> None:
    made, offset = expected(text)
    assert reply.text == made
    assert reply.offset == offset
    assert (reply.kind > 0) == ("�" in text.decode(errors="replace") and "�".encode() not in text)


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
        assert reply.to == peer
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
