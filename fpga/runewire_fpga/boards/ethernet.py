"""Text over Ethernet: UDP datagrams of UTF-8 in, their verdicts and the text in UTF-16 back."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

from amaranth.hdl import Array, Cat, Instance, Module, Mux, ResetSignal, Signal
from amaranth.lib import data, fifo, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from runewire_model import TranscoderParameters
from runewire_model.report import KIND_WIDTH, Sidebands

from . import liteeth_core
from .core import GeneratedCore

__all__ = ["HEADER", "LONGEST", "PART", "PORT", "Inbox", "Outbox", "TextOverEthernet", "transcoder"]

PORT = 1337
"""The UDP port."""
LONGEST = 1472
"""Bytes of text in a datagram: those of a frame of 1500, without the headers of IP and UDP. Longer ones are dropped."""
HEADER = 6
"""Bytes of a reply before the text."""
PART = (LONGEST - HEADER) // 2
"""Units of UTF-16 in a reply. A text of more has several replies."""
ROOM = 8192
"""Units of UTF-16 that are kept until they are sent: a power of two."""
WAITING = 32
"""Datagrams, likewise."""
OFFSET_BITS = 16
UDP = 17
"""The protocol in an IP header (RFC 768)."""
UDP_HEADER = 8
"""Bytes that the length in a UDP header counts beside the text."""
COUNT = range(LONGEST + 1)


def transcoder() -> TranscoderParameters:
    """The core: a byte per cycle. What comes in beside a packet's end says that its frame was damaged."""
    return TranscoderParameters("utf-8", "utf-16le", lanes=1, sidebands=Sidebands(offset_bits=OFFSET_BITS, user=1))


ARRIVING = data.StructLayout({name.removeprefix("text_"): width for name, width in liteeth_core.OUTPUTS.items()
                              if name.startswith("text_") and name != "text_valid"})
"""A byte of a frame, as LiteEth gives it."""
TEXT = data.StructLayout({"data": 8, "keep": 1, "last": 1, "damaged": 1})
"""A byte of text; without ``keep`` none, in the one beat of a datagram without text."""
SENDER = data.StructLayout({"mac": 48, "ip": 32, "port": 16, "number": 16, "reserved": COUNT})
"""Where a datagram came from, which one it is, and how many units are reserved for its reply."""
UNIT = data.StructLayout({"data": 16, "keep": 1, "last": 1, "damaged": 1, "kind": KIND_WIDTH, "offset": OFFSET_BITS})
"""A unit of UTF-16, and with a packet's last its report."""
VERDICT = data.StructLayout({"damaged": 1, "kind": KIND_WIDTH, "offset": OFFSET_BITS, "units": COUNT})
"""What became of a datagram."""
REPLY = data.StructLayout({"data": 8, "last": 1})


class Inbox(wiring.Component):
    """Datagrams out of frames: their text to the core, their senders to the outbox.

    A datagram is dropped as a whole where it is too long, or where its reply may find no room. The numbers of the
    datagrams to our port count those too. Headers and the bytes behind them come at least 40 cycles apart.

    Members
    -------
    i : bytes of frames, padding with them
    text : input of the core; a datagram's end comes when that of its frame is known to be whole or damaged
    sender : a sender for each datagram that is taken, before its text
    room : units that may be reserved
    closed : nothing may be taken
    """

    def __init__(self) -> None:
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
        size = Signal(16)
        with m.If(self.i.valid):
            m.d.sync += begun.eq(~arriving.last)
        m.d.sync += [
            valid.eq(self.i.valid), first.eq(self.i.valid & ~begun),
            ours.eq((arriving.to == PORT) & (arriving.protocol == UDP)), size.eq(arriving.length - UDP_HEADER),
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
        m.d.comb += take.eq(first & ours & (size <= LONGEST) & (size <= self.room) & ~self.closed)
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
            self.sender.payload.number.eq(number), self.sender.payload.reserved.eq(size),
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


class Outbox(wiring.Component):
    """Keeps what a core makes of datagrams until their verdicts are known, and sends the replies.

    A reply is `HEADER` bytes, most significant first: the kind of the first error, 0 for none; the part of the reply,
    with 128 added to the last one's; the number of the datagram, 16 bits; the offset of its first error, 16 bits. Then
    the text, `PART` units at most, little-endian.

    Members
    -------
    unit : output of the core
    sender : as `Inbox` has it
    room, full : how many units may be reserved, and whether no sender fits any more
    reply : bytes of replies, one a cycle once one was taken
    to, length : where the reply goes, and how many bytes it has; they stay while it is sent
    """

    def __init__(self) -> None:
        super().__init__({
            "unit": In(stream.Signature(UNIT, always_ready=True)),
            "sender": In(stream.Signature(SENDER, always_ready=True)),
            "room": Out(range(ROOM + 1), init=ROOM),
            "full": Out(1),
            "reply": Out(stream.Signature(REPLY)),
            "to": Out(SENDER),
            "length": Out(16),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        memory = Memory(shape=16, depth=ROOM, init=[])
        m.submodules.memory = memory
        m.submodules.senders = senders = fifo.SyncFIFO(width=SENDER.size, depth=WAITING)
        m.submodules.verdicts = verdicts = fifo.SyncFIFO(width=VERDICT.size, depth=WAITING)
        released = Signal(COUNT)
        m.d.comb += [
            senders.w_data.eq(self.sender.payload), senders.w_en.eq(self.sender.valid), self.full.eq(~senders.w_rdy),
        ]
        m.d.sync += self.room.eq(
            self.room + released - Mux(self.sender.valid, self.sender.payload.reserved, 0))
        self._keep(m, memory.write_port(), verdicts)
        self._send(m, memory.read_port(), senders, verdicts, released)
        return m

    def _keep(self, m: Module, port: Any, verdicts: Any) -> None:
        """Units to the memory. Those of a damaged datagram are written over."""
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

    def _send(self, m: Module, port: Any, senders: Any, verdicts: Any, released: Signal) -> None:
        """Replies out of the memory: bytes come with their step, two steps after their address."""
        m.submodules.bytes = queue = fifo.SyncFIFO(width=REPLY.size, depth=16)
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
        # A byte under way: of the header as it is, of the text its place in the word that is read.
        reading = data.StructLayout({"valid": 1, "text": 1, "upper": 1, "last": 1, "head": 8})
        issue = Signal(reading)
        one = Signal(reading)
        two = Signal(reading)
        word = Signal(16)
        byte = Signal(REPLY)
        may = Signal()
        m.d.comb += [
            port.addr.eq(tail), port.en.eq(1),
            byte.data.eq(Mux(two.text, word.word_select(two.upper, 8), two.head)), byte.last.eq(two.last),
            queue.w_data.eq(byte), queue.w_en.eq(two.valid),
            self.reply.payload.eq(queue.r_data), self.reply.valid.eq(queue.r_rdy), queue.r_en.eq(self.reply.ready),
        ]
        m.d.sync += [
            # As many as are under way at most have a place in the queue.
            may.eq(queue.w_level < queue.depth - 4),
            one.eq(issue), two.eq(one), word.eq(port.data), released.eq(0),
        ]
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [verdict.eq(verdicts.r_data), self.to.eq(senders.r_data), part.eq(0)]
                with m.If(verdicts.r_rdy):
                    m.d.comb += [verdicts.r_en.eq(1), senders.r_en.eq(1)]
                    m.next = "VERDICT"
            with m.State("VERDICT"):
                m.d.sync += left.eq(verdict.units)
                with m.If(verdict.damaged):
                    m.d.sync += released.eq(self.to.reserved)
                    m.next = "IDLE"
                with m.Else():
                    m.next = "PART"
            with m.State("PART"):
                m.d.sync += [is_last.eq(left <= PART), units.eq(Mux(left <= PART, left, PART)), step.eq(0),
                             upper.eq(0)]
                m.next = "HEADER"
            with m.State("HEADER"):
                m.d.sync += self.length.eq(HEADER + (units << 1))
                with m.If(may):
                    m.d.comb += [issue.valid.eq(1), issue.head.eq(head[step]),
                                 issue.last.eq((step == HEADER - 1) & (units == 0))]
                    m.d.sync += step.eq(step + 1)
                    with m.If(step == HEADER - 1):
                        m.d.sync += left.eq(left - units)
                        m.next = "TEXT"
            with m.State("TEXT"):
                with m.If(units == 0):
                    m.next = "SENT"
                with m.Elif(may):
                    m.d.comb += [issue.valid.eq(1), issue.text.eq(1), issue.upper.eq(upper),
                                 issue.last.eq(upper & (units == 1))]
                    m.d.sync += upper.eq(~upper)
                    with m.If(upper):
                        m.d.sync += [tail.eq(tail + 1), units.eq(units - 1)]
            with m.State("SENT"), m.If(self.reply.valid & self.reply.ready & self.reply.payload.last):
                m.d.sync += part.eq(part + 1)
                m.next = "PART"
                with m.If(is_last):
                    m.d.sync += released.eq(self.to.reserved)
                    m.next = "IDLE"


class TextOverEthernet(wiring.Component):
    """LiteEth's stack, `Inbox`, `transcoder` and `Outbox`, in the clock domain ``sync``, whose clock is the PHY's.

    ``pads``: ports of the board by the names that `liteeth_core.PADS` has. ``ip``: the board's address.

    Members
    -------
    clk : the clock
    """

    def __init__(self, pads: dict[str, Any], ip: IPv4Address) -> None:
        self._pads = pads
        self._ip = ip
        super().__init__({"clk": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.inbox = inbox = Inbox()
        m.submodules.core = core = GeneratedCore(transcoder())
        m.submodules.outbox = outbox = Outbox()
        arriving = inbox.i.payload
        given = {"reset": ResetSignal(), "reply_valid": outbox.reply.valid, "reply_data": outbox.reply.payload.data,
                 "reply_last": outbox.reply.payload.last, "reply_length": outbox.length,
                 **{f"reply_{name}": outbox.to[name] for name in ("port", "ip", "mac")}}
        taken = {"clk": self.clk, "text_valid": inbox.i.valid, "reply_ready": outbox.reply.ready,
                 **{f"text_{name}": arriving[name] for name in ARRIVING.members}}
        platform.add_file(f"{liteeth_core.NAME}.v", liteeth_core.verilog(PORT, self._ip))
        m.submodules.liteeth = Instance(
            liteeth_core.NAME,
            **{f"{'i' if name.startswith('rx') else 'o'}_{name}": self._pads[name] for name in liteeth_core.PADS},
            **{f"i_{name}": given[name] for name in liteeth_core.INPUTS},
            **{f"o_{name}": taken[name] for name in liteeth_core.OUTPUTS})
        text, unit = inbox.text.payload, outbox.unit.payload
        report = {field.name: core.m_axis_tuser[field.lsb:field.lsb + field.width]
                  for field in core.parameters.sidebands.last_beat}
        m.d.comb += [
            core.s_axis_tdata.eq(text.data), core.s_axis_tkeep.eq(text.keep), core.s_axis_tlast.eq(text.last),
            core.s_axis_tuser.eq(text.damaged), core.s_axis_tvalid.eq(inbox.text.valid),
            # A core whose output never waits takes a beat in each cycle, once it has started.
            inbox.closed.eq(outbox.full | ~core.s_axis_tready), inbox.room.eq(outbox.room),
            core.m_axis_tready.eq(1), outbox.unit.valid.eq(core.m_axis_tvalid),
            unit.data.eq(core.m_axis_tdata), unit.keep.eq(core.m_axis_tkeep[0]), unit.last.eq(core.m_axis_tlast),
            unit.damaged.eq(report["user"]), unit.kind.eq(report["kind"]), unit.offset.eq(report["offset"]),
            outbox.sender.valid.eq(inbox.sender.valid), outbox.sender.payload.eq(inbox.sender.payload),
        ]
        return m
