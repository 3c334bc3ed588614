"""From any state to the first one: a reset of one cycle, stretched until the core has run empty.

A core of 8 lanes, whose latency is 20 cycles, after a reset of one cycle in the middle of traffic:

    cycle     0   1     9     33    41
    reset     1   0     0     0     0
    flush     ?   1     0     0     0     while 1, packets of one beat enter the pipeline, whatever is at the port
    clear     ?   1     1     0     0     while 1, rows and credits are held at their first values
    open      ?   0     0     0     1     while 0, the core takes nothing and offers nothing

Most registers of a core are not reset: what is under way runs out of the pipeline. What a packet leaves behind there,
the end of the next packet clears, so packets of one beat are sent after it. What counts rows and credits is held until
the last of them has come out.
"""

from __future__ import annotations

from amaranth.hdl import Elaboratable, Module, Signal

from .cut_points import cut_point
from .pipeline.carry_free_counters import incremented
from .pipeline.register_roles import DRAIN, role
from .pipeline.restart import Restart
from .pipeline.stages import about

__all__ = ["Drain", "start_cycles"]

PHASE = 8
"""Cycles of each phase: one with ``flush``, some until the pipeline is empty, one in which copies of ``clear`` fall."""

SETTLE = 4
"""Cycles in which what counts rows or credits still follows the last of them."""


def _phases(latency: int) -> int:
    return 1 + -(-(PHASE + latency + SETTLE) // PHASE)


def start_cycles(latency: int) -> int:
    """Cycles from the last one in reset to the first in which a core of that latency may take a beat."""
    return 1 + PHASE * _phases(latency)


class Drain(Elaboratable):
    """The only registers of a core that its clock domain's reset sets: one rising edge is enough, from any state.

    ``open`` is clear from that edge on until a core of ``latency`` cycles has run empty. Nothing needs to be reset
    where registers start at their initial values, as in an FPGA that was just configured.
    """

    def __init__(self) -> None:
        self.restart = Restart(Signal(name="flush"), Signal(name="clear"))
        self.open = Signal()
        self.latency = 0

    @cut_point
    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "drain", "After a reset, holds the core closed until nothing of before is under way.")
        count = Signal(range(PHASE), attrs=role(DRAIN, "count"))
        # Known a cycle ahead: the phases are enabled by a register.
        ends = Signal(attrs=role(DRAIN, "ends"))
        phases = Signal(_phases(self.latency), init=-1, attrs=role(DRAIN, "phases"))
        m.d.sync += [count.eq(incremented(count)), ends.eq(count == PHASE - 2)]
        with m.If(ends):
            m.d.sync += phases.eq(phases << 1)
        m.d.comb += [
            self.restart.flush.eq(phases[0]), self.restart.clear.eq(phases[-2]), self.open.eq(~phases[-1]),
        ]
        return m
