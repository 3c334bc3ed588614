"""Text over a serial line: the same text back, with ``?`` for each ill-formed subpart."""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from runewire_model import SanitizerParameters, TranscoderParameters
from runewire_model.report import KIND_WIDTH

from .core import GeneratedCore
from .uart import UartReceiver, UartTransmitter

NEWLINE = 0x0A
"""The byte that ends a packet: it is ASCII, so no sequence continues after it."""
REPLACEMENT = ord("?")
"""Replacement for each ill-formed subpart. U+FFFD has three bytes, too many for the rate at which text comes in."""


def sanitizer(family: str) -> TranscoderParameters:
    """The core between receiver and transmitter: never more bytes out than in."""
    return SanitizerParameters(lanes=1, replacement=REPLACEMENT, pipeline="compact", family=family, report="kind")


class TextOverUart(wiring.Component):
    """`UartReceiver`, `sanitizer` and `UartTransmitter` in a row. A newline ends a packet.

    The clock is ``divisor`` times the baud rate. No byte is lost if the sender takes at least ``10 * divisor - 1``
    cycles for a byte.

    Members
    -------
    rx, tx : the lines
    clear : clears ``kind`` and ``lost``
    kind : kind of the first error since start or ``clear`` (`runewire_model.ErrorKind`), 0 for none
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
        report = {field.name: core.m_axis_tuser[field.lsb:field.lsb + field.width]
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
                m.d.sync += self.kind.eq(report["kind"])
            with m.If(receiver.lost):
                m.d.sync += self.lost.eq(1)
        return m
