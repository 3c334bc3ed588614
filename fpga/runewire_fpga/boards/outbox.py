"""Output side of text over Ethernet: the core's output is stored until its verdict is known, then sent as replies."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, fifo, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from runewire_model.report import KIND_WIDTH

from .datagrams import COUNT, LONGEST, ROOM, SENDER, WAITING
from .replies import REPLY, ReplyBytes, Senders

HEADER = 6
"""Bytes of a reply before the text."""
PART = (LONGEST - HEADER) // 2
"""Units of UTF-16 in a reply. A longer text has several replies."""
OFFSET_BITS = 16
"""Width of an error's offset."""
UNIT = data.StructLayout({"data": 16, "keep": 1, "last": 1, "damaged": 1, "kind": KIND_WIDTH, "offset": OFFSET_BITS})
"""A unit of UTF-16; with the last of a packet its report."""
VERDICT = data.StructLayout({"damaged": 1, "kind": KIND_WIDTH, "offset": OFFSET_BITS, "units": COUNT})
"""The report of a datagram, and the number of its units."""


class Outbox(wiring.Component):
    """Memory of units, with a queue of senders and one of verdicts, and the state machine that sends the replies.

    A reply is `HEADER` bytes, most significant first: the kind of the first error, 0 for none; the part of the reply,
    with 128 added to the last one's; the number of the datagram, 16 bits; the offset of its first error, 16 bits. Then
    the text, `PART` units at most, little-endian.

    Members
    -------
    unit : output of the core
    sender : from `Inbox`
    room, full : units that may be reserved; the queue of senders is full
    reply : bytes of replies, one a cycle after the first handshake of a reply
    to, length : receiver of the reply, and its number of bytes; stable while it is sent
    """

    def __init__(self) -> None:
        super().__init__({
            "unit": In(stream.Signature(UNIT, always_ready=True)),
            "sender": In(stream.Signature(SENDER, always_ready=True)),
            "room": Out(range(ROOM + 1)),
            "full": Out(1),
            "reply": Out(stream.Signature(REPLY)),
            "to": Out(SENDER),
            "length": Out(16),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        memory = Memory(shape=16, depth=ROOM, init=[])
        m.submodules.memory = memory
        m.submodules.senders = senders = Senders()
        m.submodules.verdicts = verdicts = fifo.SyncFIFO(width=VERDICT.size, depth=WAITING)
        m.d.comb += [
            senders.sender.valid.eq(self.sender.valid), senders.sender.payload.eq(self.sender.payload),
            self.room.eq(senders.room), self.full.eq(senders.full),
        ]
        self._keep(m, memory.write_port(), verdicts)
        self._send(m, memory.read_port(), senders, verdicts)
        return m

    def _keep(self, m: Module, port: Any, verdicts: Any) -> None:
        """Write units to the memory; units of a damaged datagram are overwritten."""
        unit = Signal(UNIT)
        valid = Signal()
        m.d.sync += [unit.eq(self.unit.payload), valid.eq(self.unit.valid)]
        start = Signal(range(ROOM))
        at = Signal(range(ROOM))
        units = Signal(COUNT)
        after = Signal.like(at)
        count = Signal.like(units)
        verdict = Signal(VERDICT)
        m.d.comb += [
            port.addr.eq(at), port.data.eq(unit.data), port.en.eq(valid & unit.keep),
            after.eq(at + unit.keep), count.eq(units + unit.keep),
            verdict.damaged.eq(unit.damaged), verdict.kind.eq(unit.kind), verdict.offset.eq(unit.offset),
            verdict.units.eq(count),
            verdicts.w_data.eq(verdict), verdicts.w_en.eq(valid & unit.last),
        ]
        with m.If(valid):
            m.d.sync += [at.eq(after), units.eq(count)]
            with m.If(unit.last):
                m.d.sync += units.eq(0)
                with m.If(unit.damaged):
                    m.d.sync += at.eq(start)
                with m.Else():
                    m.d.sync += start.eq(after)

    def _send(self, m: Module, port: Any, senders: Senders, verdicts: Any) -> None:
        """Read replies from the memory."""
        m.submodules.bytes = queue = ReplyBytes()
        verdict = Signal(VERDICT)
        left = Signal(COUNT)  # units of the datagram that are not yet sent
        units = Signal(COUNT)  # units of this reply that are not yet read
        part = Signal(7)
        is_last = Signal()
        tail = Signal(range(ROOM))
        upper = Signal()
        step = Signal(range(HEADER))
        head = Array([verdict.kind, Cat(part, is_last), self.to.number[8:], self.to.number[:8],
                      verdict.offset[8:], verdict.offset[:8]])
        issue = queue.issue.payload
        m.d.comb += [
            port.addr.eq(tail), port.en.eq(1), queue.word.eq(port.data),
            self.reply.payload.eq(queue.reply.payload), self.reply.valid.eq(queue.reply.valid),
            queue.reply.ready.eq(self.reply.ready),
        ]
        m.d.sync += senders.released.eq(0)
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [verdict.eq(verdicts.r_data), self.to.eq(senders.next.payload), part.eq(0)]
                with m.If(verdicts.r_rdy):
                    m.d.comb += [verdicts.r_en.eq(1), senders.next.ready.eq(1)]
                    m.next = "VERDICT"
            with m.State("VERDICT"):
                m.d.sync += left.eq(verdict.units)
                with m.If(verdict.damaged):
                    m.d.sync += senders.released.eq(self.to.reserved)
                    m.next = "IDLE"
                with m.Else():
                    m.next = "PART"
            with m.State("PART"):
                m.d.sync += [is_last.eq(left <= PART), units.eq(Mux(left <= PART, left, PART)), step.eq(0),
                             upper.eq(0)]
                m.next = "HEADER"
            with m.State("HEADER"):
                m.d.sync += self.length.eq(HEADER + (units << 1))
                with m.If(queue.may):
                    m.d.comb += [queue.issue.valid.eq(1), issue.head.eq(head[step]),
                                 issue.last.eq((step == HEADER - 1) & (units == 0))]
                    m.d.sync += step.eq(step + 1)
                    with m.If(step == HEADER - 1):
                        m.d.sync += left.eq(left - units)
                        m.next = "TEXT"
            with m.State("TEXT"):
                with m.If(units == 0):
                    m.next = "SENT"
                with m.Elif(queue.may):
                    m.d.comb += [queue.issue.valid.eq(1), issue.text.eq(1), issue.upper.eq(upper),
                                 issue.last.eq(upper & (units == 1))]
                    m.d.sync += upper.eq(~upper)
                    with m.If(upper):
                        m.d.sync += [tail.eq(tail + 1), units.eq(units - 1)]
            with m.State("SENT"), m.If(self.reply.valid & self.reply.ready & self.reply.payload.last):
                m.d.sync += part.eq(part + 1)
                m.next = "PART"
                with m.If(is_last):
                    m.d.sync += senders.released.eq(self.to.reserved)
                    m.next = "IDLE"
