"""Both ends of a board's cable in a cocotb bench: cocotbext-eth and scapy send, receive and unpack."""

import os
import struct
from ipaddress import IPv4Address
from typing import Any, NamedTuple

from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer, with_timeout
from cocotbext.eth import GmiiFrame, RgmiiSink, RgmiiSource
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether

BOARD = IPv4Address(os.environ["RUNEWIRE_IP"])
PORT = 1337
MORE_PORT = 1338
BROADCAST = "ff:ff:ff:ff:ff:ff"


class Peer(NamedTuple):
    mac: str
    ip: str
    port: int


HERE, THERE = Peer("02:aa:bb:cc:dd:01", "192.168.1.7", 40001), Peer("02:aa:bb:cc:dd:02", "10.3.2.1", 65535)


class Datagram(NamedTuple):
    """A datagram from the board: its receiver, the port that it comes from, and its bytes."""

    to: Peer
    source: int
    payload: bytes


class Reply(NamedTuple):
    """All parts of a reply, joined."""

    to: Peer
    source: int
    kind: int
    number: int
    offset: int
    text: bytes
    parts: int


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

    async def reply_datagram(self) -> Datagram:
        """The next datagram, all checksums and lengths checked."""
        frame = await self.frame()
        assert frame.src == self.mac
        ip, udp = frame[IP], frame[UDP]
        checksum = ip.chksum
        del ip.chksum
        assert IP(bytes(ip)).chksum == checksum
        assert (ip.src, udp.chksum, ip.len) == (str(BOARD), 0, udp.len + 20)
        payload = bytes(udp.payload)[: udp.len - 8]
        assert len(payload) == udp.len - 8 <= 1472
        return Datagram(Peer(frame.dst, ip.dst, udp.dport), udp.sport, payload)

    async def reply(self) -> Reply:
        """The next reply, all its parts."""
        text, parts = b"", 0
        while True:
            to, source, payload = await self.reply_datagram()
            kind, part, number, offset = struct.unpack_from(">BBHH", payload)
            assert part & 0x7F == parts
            text += payload[6:]
            parts += 1
            if part & 0x80:
                return Reply(to, source, kind, number, offset, text, parts)

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


def expected(data: bytes) -> tuple[bytes, int]:
    """The text in UTF-16, and the offset of Python's first error (0 without one)."""
    try:
        data.decode()
        offset = 0
    except UnicodeDecodeError as error:
        offset = error.start
    return data.decode(errors="replace").encode("utf-16-le"), offset


def right(reply: Reply, text: bytes) -> None:
    """The reply is what Python says of the text."""
    made, offset = expected(text)
    assert reply.text == made
    assert reply.offset == offset
    assert (reply.kind > 0) == ("�" in text.decode(errors="replace") and "�".encode() not in text)
