"""Context of a flow: state that a packet of the flow leaves to the flow's next packet.

Two flows, 3 and 5, whose packets of one byte follow each other without a pause:

    cycle              0    1    2    3    4    5    6
    flow               3    3    5    3    5    5    3
    state comes from   mem  own  mem  e1   e1   own  e2
    written                 3    3    5    3    5    5

With a single flow the state is a register. With more of them it is a memory, read two cycles before the state is used,
written one cycle after. So a packet may come too soon for the memory: in the cycle after its flow's last packet it uses
the state itself (*own*), and up to two cycles later one of the results on their way to the memory (*e1*, *e2*).

Throughput: one packet per cycle, in any order of flows.

Limits: the new state is computed from the old one in one cycle. The number of flows is a power of two in hardware.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory

from ..cut_points import cut_point
from ..pipeline import Pipeline, Timed
from ..pipeline.restart import replica


@dataclass(frozen=True)
class Forgetting:
    """Clears the contexts after a reset, one row in each cycle. ``busy``: rows are left. ``row``: the present one."""

    busy: Value
    row: Value

    @classmethod
    def never(cls) -> Forgetting:
        """Nothing is cleared."""
        return cls(Const(0), Const(0))

    @classmethod
    def after(cls, m: Module, clear: Value, rows: int) -> Forgetting:
        """Begin when ``clear`` falls. In a core that is never reset, memories start empty, and nothing is cleared."""
        if rows < 2 or isinstance(clear, Const):
            return cls.never()
        busy, row = Signal(name="forgets", init=1, reset_less=True), Signal(range(rows), name="forgotten_row",
                                                                            reset_less=True)
        m.d.sync += [row.eq(row + 1), busy.eq(busy & ~row.all())]
        with m.If(replica(m, clear, "forgets_clear")):
            m.d.sync += [row.eq(0), busy.eq(1)]
        return cls(busy, row)


@dataclass(frozen=True)
class Uses:
    """When the context is used. ``begins``: beats that continue another packet's state; None for every beat.
    ``counts``: beats that change it. ``ends``: beats after which the state is the flow's. ``flow``: the flow's number;
    None with a single flow."""

    begins: Timed | None
    counts: Timed
    ends: Timed
    flow: Timed | None


class Context:
    """State of ``width`` bits per flow, zero at first.

    ``before``: the state before the present beat at ``step``. `set` gives the state after it.
    """

    def __init__(self, pipeline: Pipeline, name: str, width: int, uses: Uses, known: int,
                 forgetting: Forgetting) -> None:
        """``known``: the step at which the new state can be computed from the old one, or later."""
        cycle = pipeline.plan.value
        times = [uses.counts.step, uses.ends.step, known]
        if uses.flow is not None:
            times += [uses.flow.step + 2 * cycle, *([] if uses.begins is None else [uses.begins.step + cycle])]
        self.pipeline, self.name, self.uses = pipeline, name, uses
        self.step = step = pipeline.before_register(max(times))
        self._state = Signal(width, name=name, reset_less=True)
        before = Signal(width, name=f"{name}_before")
        pipeline.m.d.comb += before.eq(self._state if uses.flow is None else Mux(
            self._elsewhere(uses.flow), self._others(uses.flow, forgetting), self._state))
        self.before = Timed(pipeline, step, before, before.name)

    def set(self, after: Value) -> None:
        """``after``: the state after the beat, zero after a text's last."""
        m = self.pipeline.m
        with m.If(self.uses.counts.at(self.step)):
            m.d.sync += self._state.eq(after)

    def _elsewhere(self, flow: Timed) -> Value:
        """Whether the beat's state is not the register's."""
        m, step, cycle = self.pipeline.m, self.step, self.pipeline.plan.value
        begins = Const(1) if self.uses.begins is None else self.uses.begins.at(step - cycle)
        elsewhere = Signal(name=f"{self.name}_elsewhere", reset_less=True)
        m.d.sync += elsewhere.eq(begins & ~continues(flow.at(step - cycle), flow.at(step), self.uses.ends.at(step)))
        return elsewhere

    def _others(self, flow: Timed, forgetting: Forgetting) -> Value:
        """The state that a flow left at least two cycles ago."""
        m, step, cycle, name = self.pipeline.m, self.step, self.pipeline.plan.value, self.name
        width, bits = len(self._state), flow.shape.width
        ended = Signal(name=f"{name}_ended", reset_less=True)
        by = Signal(bits, name=f"{name}_ended_flow", reset_less=True)
        old = Signal(width, name=f"{name}_old", reset_less=True)
        m.d.sync += [ended.eq(self.uses.ends.at(step)), by.eq(flow.at(step)), old.eq(self._state)]
        memory = Memory(shape=width, depth=1 << bits, init=[], attrs={"no_rw_check": True})
        m.submodules[f"{name}_memory"] = memory
        write, read = memory.write_port(), memory.read_port(domain="sync")
        first, second = Signal(name=f"{name}_first", reset_less=True), Signal(name=f"{name}_second", reset_less=True)
        early = flow.at(step - 2 * cycle)
        other = Signal(width, name=f"{name}_other", reset_less=True)
        m.d.sync += [first.eq(on_its_way(early, flow.at(step), self.uses.ends.at(step))),
                     second.eq(on_its_way(early, by, ended)),
                     other.eq(Mux(first, self._state, Mux(second, old, read.data)))]
        m.d.comb += [
            read.addr.eq(early), read.en.eq(1),
            write.en.eq(ended | forgetting.busy), write.addr.eq(Mux(forgetting.busy, forgetting.row, by)),
            write.data.eq(Mux(forgetting.busy, 0, self._state)),
        ]
        return other


@cut_point
def continues(flow: Value, other: Value, ends: Value) -> Value:
    """Whether a beat continues the text of the ``other`` flow, whose packet ``ends`` in the cycle before."""
    return (flow == other) & ends


@cut_point
def on_its_way(flow: Value, other: Value, ends: Value) -> Value:
    """The same for a packet that ended two or three cycles before, too late for the memory."""
    return (flow == other) & ends
