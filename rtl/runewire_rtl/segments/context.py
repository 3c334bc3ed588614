"""Context of a flow: state that a packet of the flow leaves to the flow's next packet.

Two flows, 3 and 5, whose packets of one byte follow each other without a pause:

    cycle              0    1    2    3    4    5    6
    flow               3    3    5    3    5    5    3
    state comes from   mem  own  mem  e1   e1   own  e2
    written                 3    3    5    3    5    5

With a single flow the state is a register. With more of them it is a memory, read two cycles before the state is used
or earlier, written one cycle after. So a packet may come too soon for the memory. In the cycle after its flow's last
packet it uses the state itself (*own*). Some cycles later it uses a result on its way to the memory (*e1*, *e2*).

Throughput: one packet per cycle, in any order of flows.

Limits: the new state is computed from the old one in one cycle. The number of flows is a power of two in hardware.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Const, Module, Mux, Signal, Value

from ..cut_points import cut_point
from ..pipeline import Pipeline, Plan, Timed
from ..pipeline.layout_policy import Policy
from ..pipeline.restart import replica
from .flow_memory import Write, read_cycles, read_row


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
        # With a register after every step the choice of the state has a cycle of its own.
        self._sooner = int(pipeline.plan is Plan.FAST)
        if uses.flow is not None:
            times += [uses.flow.step + _ahead(uses.flow, pipeline.policy) * cycle,
                      uses.ends.step + self._sooner * cycle]
            times += [] if uses.begins is None else [uses.begins.step + (1 + self._sooner) * cycle,
                                                     uses.counts.step + self._sooner * cycle]
        self.pipeline, self.name, self.uses = pipeline, name, uses
        self.step = step = pipeline.before_register(max(times))
        self._state = Signal(width, name=name, reset_less=True)
        self._forgetting = forgetting
        before = Signal(width, name=f"{name}_before", reset_less=True)
        if uses.flow is None:
            pipeline.m.d.comb += before.eq(self._state)
        elif not self._sooner:
            other = self._register("other", self._others(uses.flow, forgetting))
            pipeline.m.d.comb += before.eq(Mux(self._elsewhere(uses.flow), other, self._state))
        self.before = Timed(pipeline, step, before, before.name)

    def set(self, after: Value) -> None:
        """``after``: the state after the beat, zero after a text's last."""
        m, uses = self.pipeline.m, self.uses
        with m.If(uses.counts.at(self.step)):
            m.d.sync += self._state.eq(after)
        if uses.flow is not None and self._sooner:
            elsewhere, other = self._elsewhere(uses.flow), self._others(uses.flow, self._forgetting)
            loads = Const(1) if uses.begins is None else self._register(
                "loads", self._far(uses.flow) | uses.counts.at(self.step - self.pipeline.plan.value))
            with m.If(loads):
                m.d.sync += self.before.at(self.step).eq(Mux(elsewhere, other, after))

    def clear(self, when: Value) -> None:
        """Clear the state, for a pipeline that no packets after a reset pass. It follows `set`. `Forgetting` clears
        the memory."""
        with self.pipeline.m.If(when):
            self.pipeline.m.d.sync += self._state.eq(0)

    def _register(self, name: str, value: Value) -> Signal:
        signal = Signal(len(value), name=f"{self.name}_{name}", reset_less=True)
        self.pipeline.m.d.sync += signal.eq(value)
        return signal

    def _elsewhere(self, flow: Timed) -> Value:
        """Whether a beat's state is not the one that the beat before leaves. With `_sooner` it is the next beat."""
        return self._register("elsewhere", self._far(flow))

    def _far(self, flow: Timed) -> Value:
        """`_elsewhere`, a cycle sooner."""
        uses, cycle = self.uses, self.pipeline.plan.value
        step = self.step - self._sooner * cycle
        far = ~continues(flow.at(step - cycle), flow.at(step), uses.ends.at(step))
        return far if uses.begins is None else uses.begins.at(step - cycle) & far

    def _others(self, flow: Timed, forgetting: Forgetting) -> Value:
        """The state of the next beat's flow, which left it at least two cycles before that beat."""
        m, step, name, policy = self.pipeline.m, self.step, self.name, self.pipeline.policy
        register = self._register

        def before(cycles: int) -> Value:
            return flow.at(step - cycles * self.pipeline.plan.value)

        ends = self.uses.ends.at(step)
        ended, by, old = register("ended", ends), register("ended_flow", flow.at(step)), register("old", self._state)
        write = Write(ended | forgetting.busy, Mux(forgetting.busy, forgetting.row, by),
                      Mux(forgetting.busy, 0, self._state))
        ahead = _ahead(flow, policy)
        found = read_row(m, name, lambda cycles: before(ahead - cycles), write, policy)
        # The results that are too late for the memory, the oldest first: each goes with the beat that needs it.
        hits = {distance: register(f"hit{distance}", on_its_way(before(distance - 1), by, ended))
                for distance in range(ahead + 1, 2, -1)}
        if ahead > SHORT:
            result, caught = old, Const(0, 1)
            for distance in range(ahead + 1, SHORT + 2, -1):
                result = register(f"result{distance}", Mux(hits[distance], old, result))
                caught = register(f"caught{distance}", hits[distance] | caught)
            found = register("found", Mux(hits[SHORT + 2], old, Mux(caught, result, found)))
        first = register("first", on_its_way(before(2), flow.at(step), ends))
        return Mux(first, self._state, Mux(hits[SHORT + 1], old, found))


SHORT = 2
"""Cycles from a flow's number to the use of its state, if the memory has a single bank."""


def _ahead(flow: Timed, policy: Policy) -> int:
    """Cycles from a flow's number to the use of its state."""
    cycles = read_cycles(flow.shape.width, policy)
    return SHORT if cycles < SHORT else cycles + SHORT


@cut_point
def continues(flow: Value, other: Value, ends: Value) -> Value:
    """Whether a beat continues the text of the ``other`` flow, whose packet ``ends`` in the cycle before."""
    return (flow == other) & ends


@cut_point
def on_its_way(flow: Value, other: Value, ends: Value) -> Value:
    """The same for a packet that ended two or three cycles before, too late for the memory."""
    return (flow == other) & ends
