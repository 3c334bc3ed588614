"""State of turns: a value that a turn leaves to the next one, or with flows to the next turn of its flow.

Two flows, 3 and 5, and a count of the records of each text. The second beat has two turns:

    flow             3    5    5    3
    turn of a beat   1    1    2    1
    beat's last      yes  -    yes  yes
    records in it    1    -    2    1
    count before     0    0    0    1

Without flows the state is a register that a reset clears. With flows it is a `Context`, which every turn loads, also
with an unchanged value: the first turn of a packet gets it from elsewhere, and later turns from the turn before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from amaranth.hdl import Cat, Mux, Signal, Value

from ..pipeline import Pipeline, Timed
from ..pipeline.restart import replica
from ..segments.context import Context, Forgetting, Uses


@dataclass(frozen=True)
class TurnsOfFlows:
    """The turns that use contexts, and how these are cleared."""

    uses: Uses
    forgetting: Forgetting


class TurnState:
    """State of some parts, of ``widths`` by name, read and set at ``step``: the first one at which the ``operands`` of
    its next value are available, or later. ``now``: the parts' values. ``flows``: None for a register.
    """

    def __init__(self, pipeline: Pipeline, widths: Mapping[str, int], flows: TurnsOfFlows | None,
                 *operands: Timed) -> None:
        self._pipeline, self._context = pipeline, None
        self._name, *_ = widths
        known = max(each.step for each in operands)
        self.now: list[Value]
        if flows is None:
            self.step = pipeline.state_step(known)
            self.now = [Signal(width, name=name, reset_less=True) for name, width in widths.items()]
            return
        self._context = Context(pipeline, self._name, sum(widths.values()), flows.uses, known, flows.forgetting)
        self.step = self._context.step
        word = self._context.before.at(self.step)
        ends = [*accumulate(widths.values())]
        self.now = [word[end - width : end] for end, width in zip(ends, widths.values(), strict=True)]

    def set(self, when: Value, *after: Value, resets: bool = True) -> None:
        """Set the parts to ``after``, if ``when`` is set. ``resets``: a reset clears them."""
        m = self._pipeline.m
        if self._context is None:
            with m.If(when):
                m.d.sync += [Value.cast(now).eq(value) for now, value in zip(self.now, after, strict=True)]
        else:
            values = zip(self.now, after, strict=True)
            self._context.set(Mux(when, Cat(value[: len(now)] for now, value in values), Cat(self.now)))
        if not resets:
            return
        clear = replica(m, self._pipeline.restart.clear, f"{self._name}_clear")
        if self._context is None:
            with m.If(clear):
                m.d.sync += [now.eq(0) for now in self.now]
        else:
            self._context.clear(clear)

    def part(self, at: int, name: str) -> Timed:
        """One of the parts as a value of the pipeline."""
        return Timed(self._pipeline, self.step, self.now[at], name)
