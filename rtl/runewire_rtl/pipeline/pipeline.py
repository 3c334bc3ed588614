"""Feed-forward pipelines whose registers place themselves.

Every core is a chain of *steps*, each a function small enough for one look-up table or two. Between
two steps there may be a register; a :class:`Plan` says where. A :class:`Timed` value remembers the
step it belongs to, and :meth:`Pipeline.step` delays its operands to a common step before it combines
them, so that no stage is ever aligned by hand and a core's latency is a property that can be read off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from amaranth.hdl import Module, Shape, Signal, Value, ValueLike

from ..cut_points import cut_point
from .layout_policy import TUNED, Policy
from .plan import Plan
from .restart import Restart
from .stages import Stage, summary

__all__ = ["Pipeline", "Timed", "logic"]


@cut_point
def logic(name: str, function: Callable[..., ValueLike]) -> Callable[..., ValueLike]:
    """The function of the pipeline step of that name."""
    return function


class Timed:
    """A value that belongs to one step of a pipeline, and its delayed copies at later steps.

    It waits in the stage that first asks for it later, or in that named ``home``.
    """

    def __init__(self, pipeline: Pipeline, step: int, signal: Value, name: str, home: Stage | None = None) -> None:
        self.pipeline = pipeline
        self.name = name
        self.step = step
        self.shape = Shape.cast(signal.shape())
        self.home = home
        self._at = {step: signal}

    def at(self, step: int) -> Value:
        """This value as it stands at ``step``, which is not earlier than its own."""
        assert step >= self.step, f"{self.name} is known at step {self.step}, not at {step}"
        if step not in self._at:
            self._at[step] = self.pipeline.delayed(self.at(step - 1), step, self.name, self.home)
        return self._at[step]

    def part(self, low: int, width: int) -> Timed:
        """Some of the value's bits, from ``low`` on."""
        return Timed(self.pipeline, self.step, self.at(self.step)[low : low + width], f"{self.name}_{low}")

    def parts(self, width: int) -> list[Timed]:
        """The value in parts of ``width`` bits, the lowest first."""
        if self.shape.width == width:
            return [self]
        return [self.part(low, width) for low in range(0, self.shape.width, width)]


class Pipeline:
    """A pipeline inside module ``around``, in which no beat waits for another.

    ``valid`` and ``last`` (each one bit, at step 0) mark the beats that pass. No register of the pipeline is reset:
    what a packet leaves behind, the last beat of the next one clears. ``mark`` (one bit) says of a beat that it is a
    byte order mark before a packet: nothing is remembered of it. ``restart`` is for what counts rows behind it.
    ``entry`` is the stage that step 0 belongs to. All registers wait while ``enable`` is clear, where there is one; all
    else is said of the cycles in which it is set. Signals are called after their value, the lane and the step:
    ``complete_l3_s5``.
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
        """The stage that first had a step of a name."""
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
        """Marks the beats behind which a packet's text begins: what is remembered is cleared there."""
        return self.text_ends or self.last

    @property
    def m(self) -> Module:
        """The module of the present stage; where there is none that around all, or if registers wait, the entry's."""
        if self._inside is not None:
            return self._inside.m
        return self.around if self.enable is None else self._entry.m

    @contextmanager
    def stage(self, name: str, text: str) -> Iterator[None]:
        """Steps that are made inside are part of the stage ``name``, a module of its own; ``text`` says what it does.

        A stage may be entered again; what it does was said the first time.
        """
        if name not in self._stages:
            self._stages[name] = Stage(self.around, name, text, self.enable)
        before, self._inside = self._inside, self._stages[name]
        try:
            yield
        finally:
            self._inside = before

    def enter(self, value: ValueLike, name: str, home: Stage | None = None) -> Timed:
        """``value`` as a member of step 0."""
        value = Value.cast(value)
        signal = Signal(value.shape(), name=f"{name}_s0")
        self._entry.add("comb", signal.eq(value))
        return Timed(self, 0, signal, name, home)

    def delayed(self, value: Value, step: int, name: str, home: Stage | None) -> Value:
        """``value``, known at the step before, as it stands at ``step``."""
        if self.plan is Plan.COMPACT and self.plan.registers_before(step) == self.plan.registers_before(step - 1):
            # One name for the many steps of a cycle.
            return value
        return self.cross(value, step, name, home)

    def cross(self, value: Value, step: int, name: str, home: Stage | None = None) -> Signal:
        """``value``, computed at the step before, as it stands at ``step``."""
        signal = Signal(value.shape(), name=f"{name}_s{step}", reset_less=True)
        registered = self.plan.registers_before(step) != self.plan.registers_before(step - 1)
        # Not a statement of the module at once: a delay may first be asked for inside an ``If``, and is not part of it.
        (home or self._inside or self._entry).add("sync" if registered else "comb", signal.eq(value))
        return signal

    def step(
        self, name: str, function: Callable[..., ValueLike], *operands: Timed, after: int = 0, keep: bool = False
    ) -> Timed:
        """One step of logic: ``function`` of the operands, not before step ``after``.

        With ``keep`` synthesis does not merge it with its equals: for replicas, each for users of its own.
        """
        start = max([after, *(operand.step for operand in operands)])
        value = Value.cast(logic(name, function)(*(operand.at(start) for operand in operands)))
        label = self._label(name)
        signal = self.cross(value, start + 1, label)
        if keep:
            signal.attrs.update(self.policy.keep)
        return Timed(self, start + 1, signal, label)

    def replica(self, name: str, value: Timed, after: int = 0) -> Timed:
        """``value`` a step later, for users of its own: synthesis does not merge it with other replicas."""
        return self.step(name, lambda value: value, value, after=after, keep=True)

    def _label(self, name: str) -> str:
        """The name of a step, unlike those of others: after its stage where another stage has one of the name."""
        stage = next((name for name, stage in self._stages.items() if stage is self._inside), "")
        if stage and self._first.setdefault(name, stage) != stage:
            name = f"{stage}_{name}"
        serial = self._names[name] = self._names.get(name, -1) + 1
        return f"{name}_n{serial}" if serial else name

    def before_register(self, step: int) -> int:
        """The first step, not before ``step``, that a register follows: where a state may be kept that is
        read at the next step."""
        while self.plan.registers_before(step + 1) == self.plan.registers_before(step):
            step += 1
        return step

    def state_step(self, step: int) -> int:
        """The step, not before ``step``, at which a state is kept that is read at the next step.

        It is the last before a register, so that no logic stands behind the state; but where a cycle has many steps,
        the state is one of them, as a register for it would be one for all that goes beside it.
        """
        return step if self.plan is Plan.COMPACT else self.before_register(step)

    def after_register(self, step: int) -> int:
        """The first step, not before ``step`` and not the first of all, that stands right behind a register."""
        return self.before_register(max(0, step - 1)) + 1

    def latency(self, step: int) -> int:
        """Cycles between step 0 and ``step``."""
        return self.plan.registers_before(step)
