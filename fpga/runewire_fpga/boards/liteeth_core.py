"""LiteEth's UDP/IP stack with a gigabit PHY at an ECP5, as Verilog that runs at 125 MHz.

LiteEth's own `LiteEthUDPIPCore` has paths through all its layers, and reaches half that clock. This stack has the same
parts with registers between the layers. It has one clock, so no clock crossings. It has no table of addresses: a reply
goes to the sender of its datagram.
"""

from __future__ import annotations

from ipaddress import IPv4Address
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from liteeth.common import (
    arp_table_request_layout,
    arp_table_response_layout,
    eth_fcs_length,
    eth_ipv4_user_description,
    eth_mac_description,
    eth_min_frame_length,
    eth_phy_description,
    eth_udp_description,
    ethernet_type_arp,
    ethernet_type_ip,
)
from liteeth.core.arp import LiteEthARPRX, LiteEthARPTX
from liteeth.core.ip import LiteEthIPRX, LiteEthIPTX
from liteeth.core.udp import LiteEthUDPDepacketizer, LiteEthUDPTX
from liteeth.mac import crc, gap, padding, preamble
from liteeth.mac.common import LiteEthMACCrossbar, LiteEthMACDepacketizer, LiteEthMACPacketizer
from liteeth.phy.ecp5rgmii import LiteEthPHYRGMII
from litex.build.lattice.common import lattice_ecp5_trellis_special_overrides
from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect import stream
from migen import ClockDomain, If, Signal

NAME = "runewire_liteeth"
"""The module."""
HZ = 125e6
WIDTH = 8
"""Bits per cycle: at 125 MHz a gigabit."""
STALL = 32
"""Bytes that wait while the checksum of an IP header is computed, which takes less time than preamble and gap."""

PADS = {"rx_clk": 1, "rx_ctl": 1, "rx_data": 4, "tx_clk": 1, "tx_ctl": 1, "tx_data": 4}
"""Pins of the PHY (RGMII), and their widths."""
OUTPUTS = {
    "clk": 1,
    "text_valid": 1, "text_data": WIDTH, "text_last": 1, "text_error": 1,
    "text_length": 16, "text_to": 16, "text_protocol": 8, "text_port": 16, "text_ip": 32, "text_mac": 48,
    "reply_ready": 1,
}
"""``clk`` is the clock of all ports. ``text_*`` are the bytes after a UDP header in packets for our address, up to the
end of the frame with its padding. ``length`` and ``to`` are the header's length and destination port, ``protocol`` the
IP header's, ``port``, ``ip`` and ``mac`` the sender's. ``error``, with the last byte: the frame was damaged."""
INPUTS = {
    "reset": 1,
    "reply_valid": 1, "reply_data": WIDTH, "reply_last": 1,
    "reply_length": 16, "reply_from": 16, "reply_port": 16, "reply_ip": 32, "reply_mac": 48,
}
"""``reply_*``: a datagram, its source port ``from``, and its receiver. Its bytes must follow each other without a
pause."""


def mac_address(ip: IPv4Address) -> int:
    """A locally administered address (IEEE 802): no two boards of a network have the same."""
    return 0x0200_0000_0000 | int(ip)


def _joined(*stages: Any) -> list[Any]:
    return [one.source.connect(other.sink) for one, other in pairwise(stages)]


class _Mac(LiteXModule):
    """LiteEth's MAC in one clock domain."""

    def __init__(self, phy: Any) -> None:
        raw, framed = eth_phy_description(WIDTH), eth_mac_description(WIDTH)
        self.by_type = LiteEthMACCrossbar(WIDTH)
        incoming = [
            preamble.LiteEthMACPreambleChecker(WIDTH),
            stream.Buffer(raw),
            crc.LiteEthMACCRC32Checker(raw),
            stream.SyncFIFO(raw, STALL, buffered=True),
            stream.Buffer(raw, pipe_ready=True),
            LiteEthMACDepacketizer(WIDTH),
            stream.Buffer(framed, pipe_ready=True),
        ]
        outgoing = [
            stream.Buffer(framed, pipe_ready=True),
            LiteEthMACPacketizer(WIDTH),
            stream.Buffer(raw, pipe_ready=True),
            padding.LiteEthMACPaddingInserter(WIDTH, eth_min_frame_length - eth_fcs_length),
            stream.Buffer(raw),
            crc.LiteEthMACCRC32Inserter(raw),
            preamble.LiteEthMACPreambleInserter(WIDTH),
            gap.LiteEthMACGap(WIDTH),
        ]
        self.submodules += incoming + outgoing
        self.comb += [
            # The checker compares the FCS when this is set; the PHY leaves it at 0.
            phy.source.last_be.eq(phy.source.last),
            *_joined(phy, *incoming), incoming[-1].source.connect(self.by_type.master.sink),
            self.by_type.master.source.connect(outgoing[0].sink), *_joined(*outgoing, phy),
        ]

    def get_port(self, ethernet_type: int, dw: int) -> Any:
        """The port of a type of frame, with a register after the comparison of the type."""
        port = self.by_type.get_port(ethernet_type, dw)
        buffer = stream.Buffer(eth_mac_description(dw), pipe_ready=True)
        self.submodules += buffer
        self.comb += port.source.connect(buffer.sink)
        return SimpleNamespace(sink=port.sink, source=buffer.source)


class _Stack(LiteXModule):
    def __init__(self, ip: IPv4Address) -> None:
        mac, address = mac_address(ip), int(ip)
        self.ports = {name: Signal(width, name=name) for name, width in {**PADS, **INPUTS, **OUTPUTS}.items()}
        at = SimpleNamespace(**self.ports)
        self.cd_sys = ClockDomain()
        self.comb += [self.cd_sys.clk.eq(at.rx_clk), self.cd_sys.rst.eq(at.reset), at.clk.eq(at.rx_clk)]
        pads = SimpleNamespace(rx_ctl=at.rx_ctl, rx_data=at.rx_data, tx_ctl=at.tx_ctl, tx_data=at.tx_data)
        # Its domains have our clock. Between clock and data are 2 ns in both directions, as in LiteEth.
        self.phy = LiteEthPHYRGMII(
            SimpleNamespace(rx=at.rx_clk, tx=at.tx_clk), pads, with_hw_init_reset=False,
            with_inband_status=False)
        self.mac = _Mac(self.phy)
        self._answer_arp(mac, address)
        senders = SimpleNamespace(request=stream.Endpoint(arp_table_request_layout),
                                  response=stream.Endpoint(arp_table_response_layout))
        self.comb += [senders.request.ready.eq(1), senders.response.valid.eq(1),
                      senders.response.mac_address.eq(at.reply_mac)]
        port_of_ip = self.mac.get_port(ethernet_type_ip, WIDTH)
        self.ip_rx = LiteEthIPRX(mac, address, with_broadcast=False, dw=WIDTH)
        self.ip_tx = LiteEthIPTX(mac, address, senders, dw=WIDTH)
        self.datagrams = stream.Buffer(eth_ipv4_user_description(WIDTH), pipe_ready=True)
        self.depacketizer = LiteEthUDPDepacketizer(WIDTH)
        self.text = stream.Buffer(eth_udp_description(WIDTH))
        self.udp = LiteEthUDPTX(address, WIDTH)
        self.comb += [
            port_of_ip.source.connect(self.ip_rx.sink),
            *_joined(self.ip_rx, self.datagrams, self.depacketizer, self.text), self.text.source.ready.eq(1),
            at.text_valid.eq(self.text.source.valid), at.text_data.eq(self.text.source.data),
            at.text_last.eq(self.text.source.last), at.text_error.eq(self.text.source.error),
            at.text_length.eq(self.text.source.length), at.text_to.eq(self.text.source.dst_port),
            at.text_port.eq(self.text.source.src_port), at.text_protocol.eq(self.datagrams.source.protocol),
            at.text_ip.eq(self.datagrams.source.ip_address), at.text_mac.eq(self.ip_rx.sink.sender_mac),
            self.udp.sink.valid.eq(at.reply_valid), self.udp.sink.data.eq(at.reply_data),
            self.udp.sink.last.eq(at.reply_last), self.udp.sink.length.eq(at.reply_length),
            self.udp.sink.src_port.eq(at.reply_from), self.udp.sink.dst_port.eq(at.reply_port),
            self.udp.sink.ip_address.eq(at.reply_ip), at.reply_ready.eq(self.udp.sink.ready),
            *_joined(self.udp, self.ip_tx), self.ip_tx.source.connect(port_of_ip.sink),
        ]

    def _answer_arp(self, mac: int, address: int) -> None:
        """Answer ARP requests for our address; a request that comes during an answer is dropped."""
        port = self.mac.get_port(ethernet_type_arp, WIDTH)
        self.arp_rx, self.arp_tx = LiteEthARPRX(mac, address, WIDTH), LiteEthARPTX(mac, address, WIDTH)
        asked, answer = self.arp_rx.source, self.arp_tx.sink
        self.comb += [port.source.connect(self.arp_rx.sink), self.arp_tx.source.connect(port.sink), answer.reply.eq(1)]
        self.sync += If(answer.valid,
            If(answer.ready, answer.valid.eq(0)),
        ).Elif(asked.valid & asked.request,
            answer.valid.eq(1), answer.ip_address.eq(asked.ip_address), answer.mac_address.eq(asked.mac_address),
        )


def verilog(ip: IPv4Address) -> str:
    """The module `NAME`, with the ports `PADS`, `INPUTS` and `OUTPUTS`; its replies come from ``ip``."""
    stack = _Stack(ip)
    made = convert(stack, ios={*stack.ports.values()}, name=NAME,
                   special_overrides=lattice_ecp5_trellis_special_overrides)
    text = str(made)
    # The text before and after holds the date.
    return text[text.index("`timescale"):text.rindex("endmodule")] + "endmodule\n"
