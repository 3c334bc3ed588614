"""Skid buffer behind the output buffer of a wide core: no path leads from the output's `ready` to a read controller.

    cycle       0    1    2    3    4    5
    row         A    B    C    C    C    D     at the output buffer
    waits                 yes  yes             row B, in the skid buffer
    output      A    B    B    B    C    D
    ready       1    0    0    1    1    1     of the output
    ready       1    1    0    0    1    1     of the output buffer: no row waits

In cycle 1 the sink is not ready, but the output buffer does not see it yet, so row B leaves it and waits here. Each
read controller has a register ``waits`` of its own, or ``passes`` with the opposite value (`Policy.true_enables`). All
are equal. The lanes of a read controller wait with it.

Throughput: one row per cycle. Latency: none, a row passes in the same cycle if none waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Elaboratable, Module, Mux, Signal, Value

from ..cut_points import cut_point
from ..pipeline.layout_policy import Policy
from ..pipeline.restart import replica
from ..pipeline.stages import about, summary
from .output_buffer import LANE_FIELDS, OutputBuffer


class OutputSkid(Elaboratable):
    """Skid buffer between the rows of an output buffer and the output: holds the row that left the buffer while the
    output was not ready.

    ``given`` and ``output`` are streams of the same shape; ``valid`` of neither is used. ``lanes`` lanes share a read
    controller. ``offers``: ``valid`` of each read controller, the leader's first, all equal. ``ready``: their
    ``ready``, in the same order. ``offer``: the output has a row. While ``clear`` is set no row waits.
    """

    def __init__(self, given: Any, output: Any, lanes: int, clear: Value, policy: Policy) -> None:
        self.given = given
        self.output = output
        self.lanes = lanes
        self.clear = clear
        self.policy = policy
        self.readers = 1 + -(-len(output.payload.keep) // lanes)
        self.offers = [Signal(name=f"offer{reader}") for reader in range(self.readers)]
        self.ready = [Signal(name=f"ready{reader}") for reader in range(self.readers)]
        self.offer = Signal()

    @cut_point
    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "output_skid", summary(OutputSkid))
        parts = list(zip(_parts(self.given.payload, self.lanes), _parts(self.output.payload, self.lanes), strict=True))
        clear = self.clear
        for reader, (offered, passed) in enumerate(parts):
            if reader % self.policy.readers == 0:
                clear = replica(m, self.clear, "clear_copy")
            held = Signal(len(offered), name=f"held{reader}", reset_less=True)
            row = Signal(len(offered), name=f"row{reader}")
            offers, ready = self.offers[reader], self.output.ready
            if self.policy.true_enables:
                flag = Signal(name=f"passes{reader}", init=1, reset_less=True, attrs=self.policy.keep)
                waits, passes, shown = ~flag, flag, Mux(flag, row, held)
                following = ready | flag & ~offers
            else:
                flag = Signal(name=f"waits{reader}", reset_less=True, attrs=self.policy.keep)
                waits, passes, shown = flag, ~flag, Mux(flag, held, row)
                following = (offers | flag) & ~ready
            m.d.comb += [row.eq(offered), passed.eq(shown), self.ready[reader].eq(passes)]
            m.d.sync += flag.eq(following)
            with m.If(clear):
                m.d.sync += flag.eq(flag.init)
            with m.If(passes):
                m.d.sync += held.eq(row)
            if reader == 0:
                m.d.comb += self.offer.eq(self.offers[0] | waits)
        return m


def add_output_skid(m: Module, buffer: OutputBuffer, given: Any, output: Any) -> Value:
    """Put a skid buffer between ``given``, the rows of the output buffer, and the output. Returns its ``offer``."""
    m.submodules.output_skid = skid = OutputSkid(given, output, buffer.group, buffer.clear, buffer.policy)
    buffer.ready, buffer.offers = skid.ready, skid.offers
    return skid.offer


def _parts(payload: Any, lanes: int) -> Sequence[Value]:
    """The fields of a row that do not belong to a lane; then, for each ``lanes`` lanes, their fields."""
    members = payload.shape().members
    count = len(payload.keep)
    whole = [Value.cast(payload[name]) for name in members if name not in LANE_FIELDS]
    of_lanes = [Value.cast(payload[name]) for name in members if name in LANE_FIELDS]
    return [Cat(whole), *(
        Cat(value[len(value) // count * first : len(value) // count * min(first + lanes, count)] for value in of_lanes)
        for first in range(0, count, lanes))]
