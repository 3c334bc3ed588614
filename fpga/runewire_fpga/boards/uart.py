"""Text over a serial line: 8 data bits, no parity, one stop bit, least significant bit first."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out
from runewire_model import SanitizerParameters, TranscoderParameters
from runewire_model.report import KIND_WIDTH

from .core import GeneratedCore

__all__ = ["BAUD", "NEWLINE", "REPLACEMENT", "TextOverUart", "UartReceiver", "UartTransmitter", "sanitizer"]

BAUD = 3_000_000
"""Bits per second, each way."""
NEWLINE = 0x0A
"""The byte that ends a packet: as it is ASCII, no sequence reaches over it."""
REPLACEMENT = ord("?")
"""What is sent for each ill-formed subpart. U+FFFD has three bytes, and would not fit into the rate at which text
comes in."""


def sanitizer(family: str) -> TranscoderParameters:
    """The core between receiver and transmitter: never more bytes out than in."""
    return SanitizerParameters(lanes=1, replacement=REPLACEMENT, pipeline="compact", family=family, report="kind")


class UartReceiver(wiring.Component):
    """Bytes from a serial line, a bit of which lasts ``divisor`` cycles, 4 or more.

    Each bit is sampled once, in its middle to a cycle. Sender and receiver may differ by 2.5 % at 4 cycles per bit.

    Members
    -------
    rx : the line, in no clock domain
    o : output stream of bytes
    lost : high for a cycle where a byte is lost: its stop bit was low, or the byte before still waits
    """

    def __init__(self, divisor: int) -> None:
        self.divisor = divisor
        super().__init__({"rx": In(1, init=1), "o": Out(stream.Signature(8)), "lost": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        line = Signal(init=1)
        before = Signal(init=1)
        m.submodules.synchronizer = FFSynchronizer(self.rx, line, init=1)
        m.d.sync += before.eq(line)
        timer = Signal(range(self.divisor))
        left = Signal(range(11))  # bits of the byte that are not yet sampled, start and stop bit with them
        bits = Signal(8)
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(left == 0):
            m.d.sync += timer.eq(self.divisor // 2 - 1)
            with m.If(before & ~line):
                m.d.sync += left.eq(10)
        with m.Elif(timer != 0):
            m.d.sync += timer.eq(timer - 1)
        with m.Else():
            m.d.sync += [timer.eq(self.divisor - 1), left.eq(left - 1), bits.eq(Cat(bits[1:], line))]
            with m.If((left == 10) & line):  # a start bit that is over so soon is none
                m.d.sync += left.eq(0)
            with m.If(left == 1):
                with m.If(line & (self.o.ready | ~self.o.valid)):
                    m.d.sync += [self.o.valid.eq(1), self.o.payload.eq(bits)]
                with m.Else():
                    m.d.comb += self.lost.eq(1)
        return m


class UartTransmitter(wiring.Component):
    """Bytes to a serial line, a bit of which lasts ``divisor`` cycles, 4 or more.

    Where the next byte waits already, the stop bit is a cycle short: so bytes leave faster than those of a sender come
    that is a little fast itself. Receivers look at the middle of a stop bit.

    Members
    -------
    i : input stream of bytes
    tx : the line
    """

    def __init__(self, divisor: int) -> None:
        self.divisor = divisor
        super().__init__({"i": In(stream.Signature(8)), "tx": Out(1, init=1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        timer = Signal(range(self.divisor))
        left = Signal(range(11))  # bits that are not yet over
        bits = Signal(9, init=-1)
        m.d.comb += self.i.ready.eq(left == 0)
        m.d.sync += timer.eq(timer - 1)
        with m.If(left == 0):
            m.d.sync += timer.eq(self.divisor - 1)
            with m.If(self.i.valid):
                m.d.sync += [self.tx.eq(0), bits.eq(Cat(self.i.payload, 1)), left.eq(10)]
        with m.Elif(timer == 0):
            # The cycle in which the next byte is taken is the stop bit's, and it is one short.
            m.d.sync += timer.eq(self.divisor - 1)
            with m.If(left == 2):
                m.d.sync += timer.eq(self.divisor - 3)
            m.d.sync += [Cat(self.tx, bits).eq(Cat(bits, 1)), left.eq(left - 1)]
        return m


class TextOverUart(wiring.Component):
    """Text in, the same out with ``?`` for each ill-formed subpart: `UartReceiver`, `sanitizer`, `UartTransmitter`.

    A newline ends a packet. The domain's clock is ``divisor`` times `BAUD`. Nothing is lost where the sender is no
    faster than a byte in ``10 * divisor - 1`` cycles.

    Members
    -------
    rx, tx : the lines
    clear : forgets `kind` and `lost`
    kind : the kind of the first error since start or ``clear``, 0 for none (`runewire_model.ErrorKind`)
    lost : a byte was lost since then
    """

    def __init__(self, divisor: int, family: str) -> None:
        self.divisor = divisor
        self.core = sanitizer(family)
        super().__init__({"rx": In(1, init=1), "tx": Out(1, init=1), "clear": In(1), "kind": Out(KIND_WIDTH),
                          "lost": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.receiver = receiver = UartReceiver(self.divisor)
        m.submodules.core = core = GeneratedCore(self.core)
        m.submodules.transmitter = transmitter = UartTransmitter(self.divisor)
        told = {field.name: core.m_axis_tuser[field.lsb:field.lsb + field.width]
                for field in self.core.sidebands.last_beat}
        m.d.comb += [
            receiver.rx.eq(self.rx),
            core.s_axis_tdata.eq(receiver.o.payload), core.s_axis_tkeep.eq(1),
            core.s_axis_tlast.eq(receiver.o.payload == NEWLINE),
            core.s_axis_tvalid.eq(receiver.o.valid), receiver.o.ready.eq(core.s_axis_tready),
            # A newline is the last byte of every packet, so no beat is empty.
            transmitter.i.payload.eq(core.m_axis_tdata),
            transmitter.i.valid.eq(core.m_axis_tvalid), core.m_axis_tready.eq(transmitter.i.ready),
            self.tx.eq(transmitter.tx),
        ]
        with m.If(self.clear):
            m.d.sync += [self.kind.eq(0), self.lost.eq(0)]
        with m.Else():
            with m.If((self.kind == 0) & core.m_axis_tvalid & core.m_axis_tready):
                m.d.sync += self.kind.eq(told["kind"])
            with m.If(receiver.lost):
                m.d.sync += self.lost.eq(1)
        return m
