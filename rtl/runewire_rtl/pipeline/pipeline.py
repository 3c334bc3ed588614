"""Feed-forward pipelines with automatic register placement.

A core is a chain of *steps*; each is a function small enough for one look-up table or two. A :class:`Plan` decides
after which steps there is a register. A :class:`Timed` value belongs to one step. :meth:`Pipeline.step` delays its
operands to a common step before it combines them. So no stage is aligned by hand, and a core's latency can be read off.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import ParamSpec, TypeVar

from amaranth.hdl import Module, Shape, Signal, Value, ValueLike

from ..cut_points import cut_point
from .gates import cleared, emptied
from .layout_policy import TUNED, Policy
from .restart import Restart
from .stage import Stage, summary

__all__ = ["Broadcast", "Lanes", "Pipeline", "Plan", "Timed", "fan_out_tree", "logic", "remembered", "stage"]

P = ParamSpec("P")
R = TypeVar("R")


class Plan(enum.Enum):
    """How many steps share one clock cycle.

    ``FAST`` has a register after every step, for the highest clock; ``BALANCED`` after every second one; ``COMPACT``
    after every sixth, for small devices and low latency.
    """

    FAST = 1
    BALANCED = 2
    COMPACT = 6

    @classmethod
    def of(cls, name: str) -> Plan:
        return cls[name.upper()]

    def registers_before(self, step: int) -> int:
        """Registers between step 0 and ``step``, in cycles."""
        return step // self.value


@cut_point
def logic(name: str, function: Callable[..., ValueLike]) -> Callable[..., ValueLike]:
    """The function of the pipeline step ``name``."""
    return function


@cut_point
def remembered(value: Value, last: Value, plan: Plan) -> Value:
    """State that a lane leaves to the next beat: zero after a packet's last beat."""
    return emptied(value, last) if plan is Plan.COMPACT else cleared(value, last)


class Timed:
    """A value of one step of a pipeline, and its delayed copies at later steps.

    The delay registers are in the stage that first uses them, or in the stage ``home``.
    """

    def __init__(self, pipeline: Pipeline, step: int, signal: Value, name: str, home: Stage | None = None) -> None:
        self.pipeline = pipeline
        self.name = name
        self.step = step
        self.shape = Shape.cast(signal.shape())
        self.home = home
        self._at = {step: signal}

    def at(self, step: int) -> Value:
        """The value delayed to ``step``, which must not precede its own."""
        assert step >= self.step, f"{self.name} is available at step {self.step}, not at {step}"
        if step not in self._at:
            self._at[step] = self.pipeline.delayed(self.at(step - 1), step, self.name, self.home)
        return self._at[step]

    def part(self, low: int, width: int) -> Timed:
        """``width`` of the value's bits, from ``low`` up."""
        return Timed(self.pipeline, self.step, self.at(self.step)[low : low + width], f"{self.name}_{low}")

    def parts(self, width: int) -> list[Timed]:
        """The value in parts of ``width`` bits, the lowest first."""
        if self.shape.width == width:
            return [self]
        return [self.part(low, width) for low in range(0, self.shape.width, width)]


class Pipeline:
    """A pipeline inside module ``around``, in which no beat waits for another.

    ``valid`` and ``last`` (one bit each, at step 0) mark the beats. No register of the pipeline is reset: the last beat
    of the next packet clears what an earlier packet left behind. ``mark`` (one bit): the beat is a byte order mark
    before a packet, and leaves no state. ``restart`` resets the row counters after the pipeline. ``entry`` is the stage
    of step 0. All registers wait while ``enable`` is low, if there is one; every statement about cycles then refers to
    cycles in which it is high. Signals are named after their value, lane and step: ``complete_l3_s5``.
    """

    def __init__(
        self, around: Module, plan: Plan, *, valid: ValueLike, last: ValueLike, mark: ValueLike | None = None,
        restart: Restart | None = None, entry: Stage | None = None, policy: Policy = TUNED,
        enable: Value | None = None,
    ) -> None:
        self.around = around
        self.plan = plan
        self.policy = policy
        self.restart = restart or Restart.never()
        self.enable = enable
        self._entry = entry or Stage(around, "pipeline", summary(Pipeline), enable)
        self._inside: Stage | None = None
        self._stages: dict[str, Stage] = {}
        self._names: dict[str, int] = {}
        self._first: dict[str, str] = {}
        """The stage that first used each step name."""
        marks = Stage(around, "beats", "Whether a beat passes, and whether it is its packet's last, at each step.",
                      enable)
        self.valid = self.enter(valid, "valid", marks)
        self.last = self.enter(Value.cast(valid) & last, "last", marks)
        self.mark = None if mark is None else self.enter(Value.cast(valid) & mark, "mark", marks)
        self.text_ends = None if mark is None else self.enter(
            Value.cast(valid) & (Value.cast(last) | mark), "over", marks)
        """Marks last beats and byte order marks, where there are such."""

    @property
    def over(self) -> Timed:
        """Flags the beats after which a packet's text begins; they clear all state."""
        return self.text_ends or self.last

    @property
    def m(self) -> Module:
        """The module of the present stage. Outside any stage: the module around, or with ``enable`` the entry's."""
        if self._inside is not None:
            return self._inside.m
        return self.around if self.enable is None else self._entry.m

    @contextmanager
    def stage(self, name: str, text: str) -> Iterator[None]:
        """A context in which new steps belong to the stage ``name``, a module of its own. ``text``: what the stage
        does.

        A stage may be entered again; its first ``text`` counts.
        """
        if name not in self._stages:
            self._stages[name] = Stage(self.around, name, text, self.enable)
        before, self._inside = self._inside, self._stages[name]
        try:
            yield
        finally:
            self._inside = before

    def enter(self, value: ValueLike, name: str, home: Stage | None = None) -> Timed:
        """``value`` as a value of step 0."""
        value = Value.cast(value)
        signal = Signal(value.shape(), name=f"{name}_s0")
        self._entry.add("comb", signal.eq(value))
        return Timed(self, 0, signal, name, home)

    def delayed(self, value: Value, step: int, name: str, home: Stage | None) -> Value:
        """``value``, which belongs to the step before, delayed to ``step``."""
        if self.plan is Plan.COMPACT and self.plan.registers_before(step) == self.plan.registers_before(step - 1):
            # All steps of one cycle share one name.
            return value
        return self.cross(value, step, name, home)

    def cross(self, value: Value, step: int, name: str, home: Stage | None = None) -> Signal:
        """``value``, computed at the step before, as a signal of ``step``: a register or a wire."""
        signal = Signal(value.shape(), name=f"{name}_s{step}", reset_less=True)
        registered = self.plan.registers_before(step) != self.plan.registers_before(step - 1)
        # Not a statement of the module at once: a delay may first be used inside an ``If``, and must not depend on it.
        (home or self._inside or self._entry).add("sync" if registered else "comb", signal.eq(value))
        return signal

    def step(
        self, name: str, function: Callable[..., ValueLike], *operands: Timed, after: int = 0, keep: bool = False
    ) -> Timed:
        """One step of logic: ``function`` of the operands, not before step ``after``.

        With ``keep`` synthesis does not merge the result with equal signals: for replicas.
        """
        start = max([after, *(operand.step for operand in operands)])
        value = Value.cast(logic(name, function)(*(operand.at(start) for operand in operands)))
        label = self._label(name)
        signal = self.cross(value, start + 1, label)
        if keep:
            signal.attrs.update(self.policy.keep)
        return Timed(self, start + 1, signal, label)

    def replica(self, name: str, value: Timed, after: int = 0) -> Timed:
        """``value`` one step later, for a few of its users. Synthesis does not merge it with other replicas."""
        return self.step(name, lambda value: value, value, after=after, keep=True)

    def _label(self, name: str) -> str:
        """A unique name for a step. If another stage has a step of that name, the stage's name precedes it."""
        stage = next((name for name, stage in self._stages.items() if stage is self._inside), "")
        if stage and self._first.setdefault(name, stage) != stage:
            name = f"{stage}_{name}"
        serial = self._names[name] = self._names.get(name, -1) + 1
        return f"{name}_n{serial}" if serial else name

    def before_register(self, step: int) -> int:
        """The first step, not before ``step``, with a register after it. State kept there can be read at the next
        step."""
        while self.plan.registers_before(step + 1) == self.plan.registers_before(step):
            step += 1
        return step

    def state_step(self, step: int) -> int:
        """The step, not before ``step``, for state that is read at the next step.

        It is the last step before a register, so no logic follows the state. In a compact core the state is its own
        step: otherwise all values parallel to it would need a register too.
        """
        return step if self.plan is Plan.COMPACT else self.before_register(step)

    def after_register(self, step: int) -> int:
        """The first step, not before ``step``, directly after a register; never step 0."""
        return self.before_register(max(0, step - 1)) + 1

    def latency(self, step: int) -> int:
        """Cycles from step 0 to ``step``."""
        return self.plan.registers_before(step)


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


def stage(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator: the function's steps are a stage of its operands' pipeline. Its docstring is the stage's text."""
    def pipeline_of(operands: Sequence[object]) -> Pipeline:
        for operand in operands:
            first = operand[0] if isinstance(operand, Sequence) and operand else operand
            if isinstance(found := getattr(first, "pipeline", first), Pipeline):
                return found
        raise TypeError(f"none of the operands of stage {name} is part of a pipeline")

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def staged(*args: P.args, **options: P.kwargs) -> R:
            with pipeline_of(args).stage(name, summary(function)):
                return function(*args, **options)
        return staged
    return decorate


def fan_out_tree(count: int, first: int, policy: Policy = TUNED) -> list[int]:
    """Sizes of a fan-out tree's levels, the last of which has ``count`` replicas: no signal drives half the chip.

    The first level has at most ``first`` replicas. With the tuned policy, 16 replicas take two levels, of 4 and 16.
    """
    return [count] if count <= first else [*fan_out_tree(-(-count // policy.branch), first, policy), count]


class Broadcast:
    """A value that every lane needs: ``broadcast[lane]`` is the replica for that lane.

    The pipeline's policy decides how many lanes share a replica. A replica is made for its first user, in that user's
    stage, and named after the first of its lanes. With ``tree`` replicas are made level by level, in `steps` levels;
    otherwise all at once.
    """

    def __init__(self, name: str, value: Timed, lanes: int, *, after: int = 0, tree: bool = False) -> None:
        self.pipeline = value.pipeline
        self.name = name
        self.lanes = lanes
        self.after = after
        self.share = self.pipeline.policy.lanes
        self.count = -(-lanes // self.share)
        self._levels = self._sizes(self.pipeline.policy, lanes)[:-1] if tree else []
        self._last = [value]
        self._replicas: dict[int, Timed] = {}

    @staticmethod
    def _sizes(policy: Policy, lanes: int) -> list[int]:
        return fan_out_tree(-(-lanes // policy.lanes), policy.at_once, policy)

    @classmethod
    def steps(cls, policy: Policy, lanes: int) -> int:
        """Steps from a value to its replicas in ``lanes`` lanes, with a tree."""
        return len(cls._sizes(policy, lanes))

    def __getitem__(self, lane: int) -> Timed:
        for level, size in enumerate(self._levels):
            self._last = [self._replica(f"{self.name}_level{level}", index, size) for index in range(size)]
        self._levels = []
        index = lane // self.share
        if index not in self._replicas:
            self._replicas[index] = self._replica(self.name, index, self.count)
        return self._replicas[index]

    def _replica(self, name: str, index: int, count: int) -> Timed:
        """Replica ``index`` of ``count``, driven by one of the level before."""
        lane = index * self.count // count * self.share
        return self.pipeline.replica(f"{name}_l{lane}", self._last[index * len(self._last) // count], self.after)
