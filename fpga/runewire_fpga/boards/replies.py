"""Parts of the output side that do not depend on the core: senders that wait for replies, and the bytes of replies."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, fifo, stream, wiring
from amaranth.lib.wiring import In, Out

from .datagrams import COUNT, ROOM, SENDER, WAITING

REPLY = data.StructLayout({"data": 8, "last": 1})
"""A byte of a reply."""
READING = data.StructLayout({"text": 1, "upper": 1, "last": 1, "head": 8})
"""A byte to send: of the header its value, of the text its half of the word that is read from the memory."""


class Senders(wiring.Component):
    """Queue of senders whose replies wait, and the room that these have reserved.

    Members
    -------
    sender : a datagram's, when its text goes to the core
    next : the sender of the next reply
    released : units that are free again
    room, full : units that may be reserved; the queue is full
    """

    def __init__(self) -> None:
        super().__init__({
            "sender": In(stream.Signature(SENDER, always_ready=True)),
            "next": Out(stream.Signature(SENDER)),
            "released": In(COUNT),
            "room": Out(range(ROOM + 1), init=ROOM),
            "full": Out(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.queue = queue = fifo.SyncFIFO(width=SENDER.size, depth=WAITING)
        m.d.comb += [
            queue.w_data.eq(self.sender.payload), queue.w_en.eq(self.sender.valid), self.full.eq(~queue.w_rdy),
            self.next.payload.eq(queue.r_data), self.next.valid.eq(queue.r_rdy), queue.r_en.eq(self.next.ready),
        ]
        m.d.sync += self.room.eq(
            self.room + self.released - Mux(self.sender.valid, self.sender.payload.reserved, 0))
        return m


class ReplyBytes(wiring.Component):
    """Queue of the bytes of replies. A word comes from the memory two cycles after its address.

    Members
    -------
    issue : a byte, in the cycle of its word's address
    may : a byte may be issued
    word : output of the memory
    reply : bytes, one a cycle after the first handshake of a reply
    """

    def __init__(self) -> None:
        super().__init__({
            "issue": In(stream.Signature(READING, always_ready=True)),
            "may": Out(1),
            "word": In(16),
            "reply": Out(stream.Signature(REPLY)),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.queue = queue = fifo.SyncFIFO(width=REPLY.size, depth=16)
        one = Signal(READING)
        two = Signal(READING)
        valid = Signal(2)
        word = Signal(16)
        byte = Signal(REPLY)
        m.d.comb += [
            byte.data.eq(Mux(two.text, word.word_select(two.upper, 8), two.head)), byte.last.eq(two.last),
            queue.w_data.eq(byte), queue.w_en.eq(valid[1]),
            self.reply.payload.eq(queue.r_data), self.reply.valid.eq(queue.r_rdy), queue.r_en.eq(self.reply.ready),
        ]
        m.d.sync += [
            # The queue has a place for every byte under way.
            self.may.eq(queue.w_level < queue.depth - 4),
            one.eq(self.issue.payload), two.eq(one), valid[0].eq(self.issue.valid), valid[1].eq(valid[0]),
            word.eq(self.word),
        ]
        return m
