"""Report port: a stream with one report per packet, from the cycle after the handshake of its last output beat.

Two reports can wait. While two do, `valid` stays low for a packet's last beat: the core stalls and no report is lost.

    cycle             1    2    3    4    5    6
    last beat taken   p0   p1             p2
    report ready                0    1    1    1
    at the port            p0   p0   p0   p1   p2
    waiting                     p1   p1
    room              1    1    0    0    1    1
"""

from __future__ import annotations

from typing import Any, ClassVar

from amaranth.hdl import Elaboratable, Module, Signal, Value

from ..pipeline.restart import replica
from ..pipeline.stages import about, summary


class ReportPort(Elaboratable):
    """Offers each packet's report on a stream of its own.

    ``take``: a packet's last beat is taken in this cycle, and ``report`` is the packet's. Permitted only while ``room``
    is set. ``offer``: a report is at the port, for the stream's `valid`. ``clear`` holds the port empty.
    """

    kind: ClassVar[str] = "report_port"
    """The name of its module."""

    def __init__(self, output: Any, clear: Value) -> None:
        self.output = output
        self.clear = clear
        self.take = Signal()
        self.report = Signal(len(Value.cast(output.payload)))
        self.room = Signal()
        self.offer = Signal()

    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, self.kind, summary(type(self)))
        first, second = (Signal(len(self.report), name=name, reset_less=True) for name in ("first", "second"))
        one, two = (Signal(name=name, reset_less=True) for name in ("one_waits", "two_wait"))
        leaves = Signal(name="leaves")
        m.d.comb += [
            leaves.eq(self.output.valid & self.output.ready), self.room.eq(~two), self.offer.eq(one),
            Value.cast(self.output.payload).eq(first),
        ]
        m.d.sync += [
            one.eq(self.take | two | (one & ~leaves)),
            two.eq((two | (self.take & one)) & ~leaves),
        ]
        with m.If(leaves | ~one):
            with m.If(two):
                m.d.sync += first.eq(second)
            with m.Else():
                m.d.sync += first.eq(self.report)
        with m.If(~two):
            m.d.sync += second.eq(self.report)
        with m.If(replica(m, self.clear, "report_clear")):
            m.d.sync += [one.eq(0), two.eq(0)]
        return m
