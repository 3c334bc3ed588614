"""Skid buffer: holds the beat that was taken while the pipeline stopped, so `ready` can be a register.

    cycle         0    1    2    3    4    5
    offered       A    B    C    C    C    D
    ready         1    1    0    0    1    1
    advance       1    0    0    1    1    1    the pipeline takes the beat that is passed on
    waits              -    B    B    -
    passed on     A    B    B    B    C    D
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Elaboratable, Module, Mux, Signal, Value

from ..cut_points import cut_point
from ..pipeline.stages import about, summary


class Skid(Elaboratable):
    """Holds the beat that is taken while ``advance`` is clear, and takes no other until it is set.

    ``given`` is the input stream. ``output`` is the output stream; the pipeline takes a beat from it in each cycle with
    ``advance``. Nothing is passed on from ``given`` unless ``open`` is set.
    """

    def __init__(self, given: Any, output: Any) -> None:
        self.given = given
        self.output = output
        self.advance = Signal()
        self.open = Signal()

    @cut_point
    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "skid", summary(Skid))
        given, output = self.given, self.output
        offered, passed = Value.cast(given.payload), Value.cast(output.payload)
        waits = Signal(name="waits", reset_less=True)
        held = Signal(len(offered), name="held", reset_less=True)
        m.d.comb += [
            given.ready.eq(self.open & ~waits), output.valid.eq((given.valid & self.open) | waits),
            passed.eq(Mux(waits, held, offered)),
        ]
        m.d.sync += waits.eq(output.valid & ~self.advance)
        with m.If(~waits):
            m.d.sync += held.eq(offered)
        return m
