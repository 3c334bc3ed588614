"""Drain: turns a reset of one cycle, in any state, into a wait until the core has run empty.

A core of 8 lanes, whose latency is 20 cycles, after a reset of one cycle in the middle of traffic:

    cycle     0   1     9     33    41
    reset     1   0     0     0     0
    flush     ?   1     0     0     0     while 1, packets of one beat enter the pipeline, whatever the input does
    clear     ?   1     1     0     0     while 1, rows and credits are held at their first values
    open      ?   0     0     0     1     while 0, `ready` at the input and `valid` at the output are low

Most registers of a core are not reset: the beats under way run out of the pipeline. State left behind by a packet is
cleared by the next packet's end, so packets of one beat follow. Row numbers and credits are held until the last of
these has left the pipeline.
"""

from __future__ import annotations

from amaranth.hdl import Elaboratable, Module, Signal, Value
from runewire_model.report import Sidebands

from .cut_points import cut_point
from .pipeline.carry_free_counters import incremented
from .pipeline.register_roles import DRAIN, role
from .pipeline.restart import Restart
from .pipeline.stages import about

PHASE = 8
"""Cycles of each phase: one with ``flush``, several until the pipeline is empty, one until copies of ``clear`` fall."""

PLAIN = Sidebands()

RECORD_REPORT = 80
"""Cycles by which a record report may be later than the core's output."""

SETTLE = 4
"""Cycles until row numbers and credits have settled after the last beat."""


def _phases(latency: int) -> int:
    return 1 + -(-(PHASE + latency + SETTLE) // PHASE)


def start_latency(latency: int, sidebands: Sidebands) -> int:
    """Cycles until a core of ``latency`` cycles has run empty, its record report too."""
    return latency + (RECORD_REPORT if sidebands.record_report else 0)


def start_cycles(latency: int, sidebands: Sidebands = PLAIN) -> int:
    """Cycles from the last one in reset to the first in which a core of ``latency`` cycles may take a beat. Contexts of
    several flows are cleared one by one, which begins in the last phase."""
    flows = 1 << sidebands.flow_bits
    return 1 + PHASE * _phases(start_latency(latency, sidebands)) + max(0, flows - (PHASE - 1))


class Drain:
    """The signals to the parts of a core. ``open``: `ready` and `valid` of their ports may be high. It is constant 1
    for a part that has no port of the core: no beat comes to it before the core is open, and ``restart`` empties it."""

    def __init__(self, restart: Restart, opened: Value) -> None:
        self.restart = restart
        self.open = opened


class ResetSequencer(Drain, Elaboratable):
    """The only registers of a core that its clock domain's reset sets: one rising edge is enough, from any state.

    ``open`` is low from that edge until a core of ``latency`` cycles has run empty. No reset is needed if registers
    start at their initial values, as in a newly configured FPGA.
    """

    def __init__(self) -> None:
        super().__init__(Restart(Signal(name="flush"), Signal(name="clear")), Signal(name="open"))
        self.latency = 0

    @cut_point
    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "drain", "After a reset, holds the core closed until nothing of before is under way.")
        count = Signal(range(PHASE), attrs=role(DRAIN, "count"))
        # Computed one cycle earlier: a register enables the phases.
        ends = Signal(attrs=role(DRAIN, "ends"))
        phases = Signal(_phases(self.latency), init=-1, attrs=role(DRAIN, "phases"))
        m.d.sync += [count.eq(incremented(count)), ends.eq(count == PHASE - 2)]
        with m.If(ends):
            m.d.sync += phases.eq(phases << 1)
        m.d.comb += [
            self.restart.flush.eq(phases[0]), self.restart.clear.eq(phases[-2]), self.open.eq(~phases[-1]),
        ]
        return m
