"""Feed-forward pipelines with automatic register placement.

A core is a chain of *steps*; each is a function small enough for one look-up table or two. A :class:`Plan` decides
after which steps there is a register. A :class:`Timed` value belongs to one step. :meth:`Pipeline.step` delays its
operands to a common step before it combines them. So no stage is aligned by hand, and a core's latency can be read off.

The package's docstring has a pipeline of three lines. At these steps state and outputs may be, with the
plan ``BALANCED`` and its registers at the bars:

    step               0    1  |  2    3  |  4    5
    cycle              0    0     1    1     2    2
    before_register    1    1     3    3     5    5    the step that a register follows
    state_step         1    1     3    3     5    5    the step of a state; with ``COMPACT`` the step itself
    after_register     2    2     2    4     4    6    the first step of a cycle, for an output register

State is a register next to the pipeline. It belongs to the step at which it is read, and holds its value from before
the beat at that step. For example, ``odd`` is the parity of a flag in the packet so far. The flag is available at step
2, so ``odd`` belongs to step 3, and a gate that reads both to step 4. Beats A to C are a packet, D begins the next one:

    beat               A    B    C    D
    flag               1    0    0    1
    odd                0    1    1    0    C is the last beat, and clears it: D would read 1

Throughput: one beat per cycle, or per cycle in which ``enable`` is high.

Limits: a value cannot be read before its step. A state is updated once a cycle, from values of its own step; a longer
loop is not possible. Registers have no reset: the last beat of a packet, or of the packets that the drain sends after a
reset, clears the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from amaranth.hdl import Module, Shape, Signal, Value, ValueLike

from ..cut_points import cut_point
from .layout_policy import TUNED, Policy
from .plan import Plan
from .restart import Restart
from .stages import Stage, summary


@cut_point
def logic(name: str, function: Callable[..., ValueLike]) -> Callable[..., ValueLike]:
    """The function of the pipeline step ``name``."""
    return function


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


@dataclass(frozen=True)
class BeatFlags:
    """Flags of one bit at step 0. ``valid`` and ``last`` mark the beats. ``mark``: the beat is a byte order mark before
    a packet, and leaves no state."""

    valid: ValueLike
    last: ValueLike
    mark: ValueLike | None = None


class Pipeline:
    """A pipeline inside module ``around``, in which no beat waits for another.

    No register of the pipeline is reset: the last beat of the next packet clears what an earlier packet left behind.
    ``restart`` resets the row counters after the pipeline. ``entry`` is the stage of step 0. All registers wait while
    ``enable`` is low, if there is one; every statement about cycles then refers to cycles in which it is high. Signals
    are named after their value, lane and step: ``complete_l3_s5``.
    """

    def __init__(
        self, around: Module, plan: Plan, beats: BeatFlags, *, restart: Restart | None = None,
        entry: Stage | None = None, policy: Policy = TUNED, enable: Value | None = None,
    ) -> None:
        valid, last, mark = beats.valid, beats.last, beats.mark
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
