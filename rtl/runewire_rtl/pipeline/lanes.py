"""Values with one member per lane, and the lanes of earlier beats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from amaranth.hdl import Signal, Value, ValueLike

from ..cut_points import cut_point
from .gates import cleared, emptied
from .pipeline import Pipeline, Timed
from .plan import Plan


@cut_point
def remembered(value: Value, last: Value, plan: Plan) -> Value:
    """State that a lane leaves to the next beat: zero after a packet's last beat."""
    return emptied(value, last) if plan is Plan.COMPACT else cleared(value, last)


@dataclass
class Lanes:
    """One value per byte lane. Lanes before the beat are remembered from earlier beats.

    ``values`` holds one :class:`Timed` for each of the beat's ``width`` lanes, and possibly one more for the lane after
    the beat. A packet begins with zeros before it.
    """

    pipeline: Pipeline
    name: str
    values: Sequence[Timed]
    width: int
    _history: dict[int, Timed] = field(default_factory=dict, init=False, repr=False)
    _replicas: tuple[Timed, ...] = field(default=(), init=False, repr=False)

    @classmethod
    def map(
        cls, name: str, function: Callable[..., ValueLike], *operands: Lanes, after: int = 0, keep: bool = False,
    ) -> Lanes:
        """One step of logic in every lane that all operands have; ``after``, ``keep`` as in :meth:`Pipeline.step`."""
        pipeline = operands[0].pipeline
        count = min(len(operand.values) for operand in operands)
        start = max([after, *(value.step for operand in operands for value in operand.values[:count])])
        values = [
            pipeline.step(f"{name}_l{lane}", function, *(operand.values[lane] for operand in operands), after=start,
                          keep=keep)
            for lane in range(count)
        ]
        return cls(pipeline, name, values, operands[0].width)

    def __getitem__(self, lane: int) -> Timed:
        return self.values[lane]

    def beat(self) -> list[Timed]:
        """The lanes of the beat, without the one after it."""
        return list(self.values[: self.width])

    def ahead(self) -> Lanes:
        """In each lane of the beat, the value of the next lane."""
        return Lanes(self.pipeline, self.name, self.values[1:], self.width)

    def back(self, distance: int) -> Lanes:
        """In each lane the value ``distance`` lanes earlier in the packet, zero before its start."""
        return Lanes(
            self.pipeline,
            f"{self.name}b{distance}",
            [
                self.values[lane - distance] if lane >= distance else self._past(distance - lane)
                for lane in range(len(self.values))
            ],
            self.width,
        )

    def _past(self, distance: int) -> Timed:
        """The value ``distance`` lanes before the beat's first."""
        if distance not in self._history:
            pipe = self.pipeline
            step = max(value.step for value in self.values)
            name = f"{self.name}_past{distance}"
            signal = Signal(self.values[0].shape, name=f"{name}_s{step}", reset_less=True)
            self._history[distance] = Timed(pipe, step, signal, name)
            index = self.width - distance
            source = self.values[index] if index >= 0 else self._past(-index)
            valid, last = self._flags(step)
            with pipe.m.If(valid.at(step)):
                pipe.m.d.sync += signal.eq(remembered(source.at(step), last.at(step), pipe.plan))
        return self._history[distance]

    def _flags(self, step: int) -> tuple[Timed, ...]:
        """Replicas of ``valid`` and ``over`` for the state at ``step``: it has many bits, far from other users."""
        if not self._replicas:
            pipe = self.pipeline
            # At the first steps the flags are still gates of the input stage.
            self._replicas = tuple(
                pipe.replica(f"{self.name}_{flag.name}", flag, after=step - 1)
                if step > 1 else flag for flag in (pipe.valid, pipe.over)
            )
        return self._replicas
