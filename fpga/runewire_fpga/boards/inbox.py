"""Input side of text over Ethernet: datagrams out of frames, their text to the core, their senders to the outbox."""

from __future__ import annotations

from amaranth.hdl import Const, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .datagrams import COUNT, LONGEST, MORE_PORT, PORT, ROOM, SENDER, TEXT
from .liteeth_core import OUTPUTS

UDP = 17
"""The protocol in an IP header (RFC 768)."""
UDP_HEADER = 8
"""Bytes that the length in a UDP header counts in addition to the text."""
ARRIVING = data.StructLayout({name.removeprefix("text_"): width for name, width in OUTPUTS.items()
                              if name.startswith("text_") and name != "text_valid"})
"""A byte of a frame, from LiteEth."""


class Inbox(wiring.Component):
    """Parser of UDP datagrams: their text to the core, their senders to the outbox.

    A datagram that is too long, or whose reply may find no room, is dropped, but counts in the numbers of datagrams.
    From one frame to the next there are at least 40 cycles. ``longest``: bytes of text in a datagram. ``segments``:
    accept `MORE_PORT` too, and reserve a unit for the character that a segment may complete.

    Members
    -------
    i : bytes of frames, with their padding
    text : input of the core; a datagram's last beat comes at the end of its frame, which decides ``damaged``
    sender : the sender of each datagram that is accepted, before its text
    room : units that may be reserved
    closed : accept no datagram
    """

    def __init__(self, longest: int = LONGEST, segments: bool = False) -> None:
        self._longest = longest
        self._segments = segments
        super().__init__({
            "i": In(stream.Signature(ARRIVING, always_ready=True)),
            "text": Out(stream.Signature(TEXT, always_ready=True)),
            "sender": Out(stream.Signature(SENDER, always_ready=True)),
            "room": In(range(ROOM + 1)),
            "closed": In(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        arriving = self.i.payload

        # Step 1: the headers, behind the first byte.
        begun = Signal()  # a frame's first byte was there
        valid = Signal()
        first = Signal()
        ours = Signal()
        more = Signal()
        size = Signal(16)
        more_port = (arriving.to == MORE_PORT) if self._segments else Const(0)
        with m.If(self.i.valid):
            m.d.sync += begun.eq(~arriving.last)
        m.d.sync += [
            valid.eq(self.i.valid), first.eq(self.i.valid & ~begun),
            ours.eq(((arriving.to == PORT) | more_port) & (arriving.protocol == UDP)), more.eq(more_port),
            size.eq(arriving.length - UDP_HEADER),
        ]
        byte = Signal(8)
        last = Signal()
        error = Signal()
        m.d.sync += [byte.eq(arriving.data), last.eq(arriving.last), error.eq(arriving.error)]

        # Step 2: whether it is taken, and how many bytes of its text are still to come.
        number = Signal(16)
        taking = Signal()
        left = Signal(COUNT)
        valid2 = Signal()
        byte2 = Signal(8)
        last2 = Signal()
        error2 = Signal()
        take = Signal()
        reserved = size + self._segments
        m.d.comb += take.eq(first & ours & (size <= self._longest) & (reserved <= self.room) & ~self.closed)
        m.d.sync += [valid2.eq(valid), byte2.eq(byte), last2.eq(valid & last), error2.eq(error)]
        is_text = Signal()
        m.d.comb += is_text.eq(valid2 & taking & (left != 0))
        with m.If(first):
            m.d.sync += [taking.eq(take), left.eq(size)]
        with m.Elif(is_text):
            m.d.sync += left.eq(left - 1)
        with m.If(first & ours):
            m.d.sync += number.eq(number + 1)
        m.d.sync += [
            self.sender.valid.eq(take),
            *(self.sender.payload[name].eq(arriving[name]) for name in ("mac", "ip", "port")),
            self.sender.payload.number.eq(number), self.sender.payload.more.eq(more),
            self.sender.payload.reserved.eq(reserved),
        ]

        # Step 3: a byte is held until the next one comes, or the frame's end.
        held = Signal(8)
        holds = Signal()
        ending = Signal()
        damaged = Signal()
        m.d.sync += [
            self.text.valid.eq((is_text & holds) | ending),
            self.text.payload.data.eq(held), self.text.payload.keep.eq(holds),
            self.text.payload.last.eq(ending), self.text.payload.damaged.eq(damaged),
            ending.eq(last2 & taking), damaged.eq(error2 | (left > 1)),
        ]
        with m.If(is_text):
            m.d.sync += [held.eq(byte2), holds.eq(1)]
        with m.Elif(ending):
            m.d.sync += holds.eq(0)
        return m
