"""Output side of records over Ethernet: a filter's output and its rejects are stored, then sent to two ports."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, fifo, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from runewire_model.report import KIND_WIDTH

from .datagrams import COUNT, LONGEST, ROOM, SENDER, WAITING
from .replies import REPLY, ReplyBytes, Senders

HEADER = 8
"""Bytes of a reply before the text."""
LONGEST_TEXT = LONGEST - HEADER
"""Bytes of a datagram whose records fit into one reply each."""
KEPT = data.StructLayout({"data": 8, "keep": 1, "last": 1, "rejected": COUNT})
"""A byte of the filter's output; with a packet's last the number of its rejected records."""
REJECTED = data.StructLayout({"data": 8, "keep": 1, "last": 1, "kind": KIND_WIDTH, "offset": COUNT, "record": COUNT})
"""A byte of a rejected record; with its last why, and the record's number."""
PACKET = data.StructLayout({"units": COUNT, "kind": KIND_WIDTH, "offset": COUNT, "number": COUNT})
"""What a reply's header says of the records kept (``number`` of rejected ones) or of a rejected one (its number)."""


class RecordOutbox(wiring.Component):
    """Two memories of bytes, each with a queue of packets, and the state machine that sends them.

    A datagram has one reply with the records that stay, to its sender, then one for each rejected record, to the
    sender's next port. A reply is four 16-bit numbers, most significant byte first, and the text: the kind of the
    record's first error, 0 for records that stay; the number of the datagram; the offset of the error in its record;
    the record's number in the datagram, and with records that stay how many do not.

    Members
    -------
    kept, rejected : output of the filter. A rejected record has a byte at least, so that room in the memory is room
        in the queue
    sender : of a datagram whose bytes come
    room, full, reply, to, length : as of `Outbox`
    """

    def __init__(self) -> None:
        super().__init__({
            "kept": In(stream.Signature(KEPT, always_ready=True)),
            "rejected": In(stream.Signature(REJECTED, always_ready=True)),
            "sender": In(stream.Signature(SENDER, always_ready=True)),
            "room": Out(range(ROOM + 1)),
            "full": Out(1),
            "reply": Out(stream.Signature(REPLY)),
            "to": Out(SENDER),
            "length": Out(16),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.senders = senders = Senders()
        m.submodules.packets = packets = fifo.SyncFIFO(width=PACKET.size, depth=WAITING)
        m.submodules.rejects = rejects = fifo.SyncFIFOBuffered(width=PACKET.size, depth=ROOM)
        memories = [Memory(shape=8, depth=ROOM, init=[]) for _ in range(2)]
        m.submodules.kept_bytes, m.submodules.rejected_bytes = memories
        m.d.comb += [
            senders.sender.valid.eq(self.sender.valid), senders.sender.payload.eq(self.sender.payload),
            self.room.eq(senders.room), self.full.eq(senders.full),
        ]
        for one, memory, queue in ((self.kept, memories[0], packets), (self.rejected, memories[1], rejects)):
            self._store(m, one, memory.write_port(), queue)
        self._send(m, [memory.read_port() for memory in memories], senders, packets, rejects)
        return m

    def _store(self, m: Module, one: Any, port: Any, queue: Any) -> None:
        """Write bytes to the memory, and each packet to the queue."""
        byte = Signal.like(one.payload)
        valid = Signal()
        at = Signal(range(ROOM))
        units = Signal(COUNT)
        packet = Signal(PACKET)
        m.d.sync += [byte.eq(one.payload), valid.eq(one.valid)]
        m.d.comb += [
            port.addr.eq(at), port.data.eq(byte.data), port.en.eq(valid & byte.keep),
            packet.units.eq(units + byte.keep), queue.w_data.eq(packet), queue.w_en.eq(valid & byte.last),
            *([packet.number.eq(byte.rejected)] if one is self.kept else
              [packet.kind.eq(byte.kind), packet.offset.eq(byte.offset), packet.number.eq(byte.record)]),
        ]
        with m.If(valid):
            m.d.sync += [at.eq(at + byte.keep), units.eq(Mux(byte.last, 0, packet.units))]

    def _send(self, m: Module, ports: list[Any], senders: Senders, packets: Any, rejects: Any) -> None:
        """Read replies from the memories."""
        m.submodules.bytes = queue = ReplyBytes()
        packet = Signal(PACKET)
        is_reject = Signal()
        left = Signal(COUNT)  # rejected records of the datagram that are not yet sent
        tails = [Signal(range(ROOM)) for _ in ports]
        step = Signal(range(HEADER))
        numbers = (packet.kind, self.to.number, packet.offset, packet.number)
        head = Array([half for number in numbers for half in (Cat(number)[8:16], Cat(number)[:8])])
        issue = queue.issue.payload
        m.d.comb += [
            *(line for port, tail in zip(ports, tails, strict=True) for line in (port.addr.eq(tail), port.en.eq(1))),
            queue.word.eq(Cat(port.data for port in ports)), issue.upper.eq(is_reject),
            self.reply.payload.eq(queue.reply.payload), self.reply.valid.eq(queue.reply.valid),
            queue.reply.ready.eq(self.reply.ready),
        ]
        m.d.sync += senders.released.eq(0)
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [packet.eq(packets.r_data), self.to.eq(senders.next.payload), is_reject.eq(0), step.eq(0)]
                with m.If(packets.r_rdy):
                    m.d.comb += [packets.r_en.eq(1), senders.next.ready.eq(1)]
                    m.d.sync += left.eq(PACKET(packets.r_data).number)
                    m.next = "HEADER"
            with m.State("HEADER"):
                m.d.sync += self.length.eq(HEADER + packet.units)
                with m.If(queue.may):
                    m.d.comb += [queue.issue.valid.eq(1), issue.head.eq(head[step]),
                                 issue.last.eq((step == HEADER - 1) & (packet.units == 0))]
                    m.d.sync += step.eq(step + 1)
                    with m.If(step == HEADER - 1):
                        m.next = "TEXT"
            with m.State("TEXT"):
                with m.If(packet.units == 0):
                    m.next = "SENT"
                with m.Elif(queue.may):
                    m.d.comb += [queue.issue.valid.eq(1), issue.text.eq(1), issue.last.eq(packet.units == 1)]
                    m.d.sync += packet.units.eq(packet.units - 1)
                    for number, tail in enumerate(tails):
                        with m.If(is_reject == number):
                            m.d.sync += tail.eq(tail + 1)
            with m.State("SENT"), m.If(self.reply.valid & self.reply.ready & self.reply.payload.last):
                m.next = "REJECT"
                with m.If(left == 0):
                    m.d.sync += senders.released.eq(self.to.reserved)
                    m.next = "IDLE"
            with m.State("REJECT"):
                m.d.sync += [packet.eq(rejects.r_data), step.eq(0)]
                with m.If(rejects.r_rdy):
                    m.d.comb += rejects.r_en.eq(1)
                    m.d.sync += [is_reject.eq(1), left.eq(left - 1), self.to.port.eq(self.to.port + ~is_reject)]
                    m.next = "HEADER"
