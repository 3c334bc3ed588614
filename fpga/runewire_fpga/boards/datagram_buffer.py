"""Buffer of whole datagrams between `Inbox` and a core whose state a damaged frame must not change."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import data, fifo, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .datagrams import COUNT, LONGEST, SENDER, TEXT, WAITING

BYTES = 4096
"""Bytes that are stored: a power of two."""
DATAGRAM = data.StructLayout({"port": 16, "more": 1, "size": COUNT})
"""A datagram that is stored."""
BEAT = data.StructLayout({"data": 8, "keep": 1, "last": 1, "port": 16, "more": 1})
"""A byte of text, with its sender's port, and whether the text continues; ``keep`` is low without text."""


class DatagramBuffer(wiring.Component):
    """Memory of bytes, and a queue of the datagrams in it. A damaged datagram is overwritten.

    A byte per cycle goes out, and a datagram costs one cycle more. Frames have more bytes than that around their text.

    Members
    -------
    text, arriving : from `Inbox`
    beat : to the core
    sender : the sender of each datagram that is not damaged, at the end of its frame
    full : the longest datagram finds no room
    """

    def __init__(self) -> None:
        super().__init__({
            "text": In(stream.Signature(TEXT, always_ready=True)),
            "arriving": In(stream.Signature(SENDER, always_ready=True)),
            "beat": Out(stream.Signature(BEAT)),
            "sender": Out(stream.Signature(SENDER, always_ready=True)),
            "full": Out(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        memory = Memory(shape=8, depth=BYTES, init=[])
        m.submodules.memory = memory
        m.submodules.queue = queue = fifo.SyncFIFO(width=DATAGRAM.size, depth=WAITING)
        end = Signal(range(BYTES))
        self._store(m, memory.write_port(), queue, end)
        tail = self._pass_on(m, memory.read_port(), queue)
        used = Signal.like(end)
        m.d.sync += [used.eq(end - tail), self.full.eq((used >= BYTES - LONGEST) | ~queue.w_rdy)]
        return m

    def _store(self, m: Module, port: Any, queue: Any, end: Signal) -> None:
        """Write bytes behind ``end``, where the last undamaged datagram ends."""
        sender = Signal(SENDER)
        size = Signal(COUNT)
        text = self.text.payload
        datagram = Signal(DATAGRAM)
        whole = Signal()
        m.d.comb += [
            port.addr.eq(end + size), port.data.eq(text.data), port.en.eq(self.text.valid & text.keep),
            whole.eq(self.text.valid & text.last & ~text.damaged),
            datagram.port.eq(sender.port), datagram.more.eq(sender.more), datagram.size.eq(size + text.keep),
            queue.w_data.eq(datagram), queue.w_en.eq(whole),
            self.sender.payload.eq(sender), self.sender.valid.eq(whole),
        ]
        with m.If(self.arriving.valid):
            m.d.sync += sender.eq(self.arriving.payload)
        with m.If(self.text.valid):
            m.d.sync += size.eq(datagram.size)
            with m.If(text.last):
                m.d.sync += size.eq(0)
        with m.If(whole):
            m.d.sync += end.eq(end + datagram.size)

    def _pass_on(self, m: Module, port: Any, queue: Any) -> Signal:
        """Read a datagram byte by byte; returns the place of the next byte."""
        tail = Signal(range(BYTES))
        datagram = Signal(DATAGRAM)
        under_way = Signal()
        read = Signal()  # the memory's output is the byte of `at`
        at = Signal(BEAT)
        issue = Signal(BEAT)
        advance = Signal()
        m.d.comb += [
            advance.eq(~self.beat.valid | self.beat.ready), port.en.eq(advance), port.addr.eq(tail),
            issue.keep.eq(datagram.size != 0), issue.last.eq(datagram.size <= 1),
            issue.port.eq(datagram.port), issue.more.eq(datagram.more),
        ]
        with m.If(advance):
            m.d.sync += [
                read.eq(under_way), at.eq(issue),
                self.beat.valid.eq(read), self.beat.payload.eq(at), self.beat.payload.data.eq(port.data),
            ]
        with m.If(~under_way):
            m.d.comb += queue.r_en.eq(1)
            m.d.sync += [datagram.eq(queue.r_data), under_way.eq(queue.r_rdy)]
        with m.Elif(advance):
            m.d.sync += [tail.eq(tail + issue.keep), datagram.size.eq(datagram.size - 1), under_way.eq(~issue.last)]
        return tail
