"""A serial line: 8 data bits, no parity, one stop bit, least significant bit first."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

BAUD = 3_000_000
"""Bits per second, each way."""


class UartReceiver(wiring.Component):
    """Bytes from a serial line, a bit of which lasts ``divisor`` cycles, 4 or more.

    Each bit is sampled once, in its middle to a cycle. Sender and receiver may differ by 2.5 % at 4 cycles per bit.

    Members
    -------
    rx : the line, in no clock domain
    o : output stream of bytes
    lost : high for a cycle when a byte is lost: its stop bit is low, or the byte before it still waits
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
    """Serial transmitter. A bit lasts ``divisor`` cycles, 4 or more.

    If the next byte is waiting, the stop bit is one cycle shorter. So a sender that is slightly too fast does not
    overrun it. Receivers sample the middle of a stop bit.

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
