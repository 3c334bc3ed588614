"""The input stage of every core: the input port, and for encodings that need it a beat of lookahead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from amaranth.hdl import Cat, Module, Shape, Signal, Value

from .physical import TUNED, Policy
from .pipeline import Lanes, Pipeline, Plan, Timed, branches, spread, stage
from .reset import Restart
from .stages import Stage, summary

__all__ = ["InputStage", "accept", "accept_with_lookahead"]


@dataclass(frozen=True)
class InputStage:
    """Where a core's pipeline begins.

    ``data``: the units of a beat, at step 0, ``latency`` cycles after its transfer. ``keep``: for each which of its
    bytes count, if there is a beat. ``lookahead``: whether a beat waited for the one after it; then ``data`` has one
    lane more, and so has ``keep`` where a unit has several bytes.
    ``accepted``: tells, a cycle late, that a beat was taken.
    """

    pipeline: Pipeline
    data: Lanes
    keep: Lanes
    accepted: Signal
    latency: int
    lookahead: bool

    @property
    def there(self) -> Lanes:
        """Which units are there, if there is a beat."""
        return Lanes(self.pipeline, self.keep.name, [value.parts(1)[0] for value in self.keep.beat()], self.keep.width)

    @cached_property
    @stage("presence")
    def kept(self) -> Lanes:
        """Which units are there: none without a beat."""
        lanes = self.keep.beat()
        together = self.pipeline.policy.lanes
        copies = spread(self.pipeline, "valid_near", range(0, len(lanes), together), self.pipeline.valid, after=1)
        kept = []
        for lane, keep in enumerate(lanes):
            if lane % together == 0:
                valid = next(copies)
            kept.append(self.pipeline.step(f"kept_l{lane}", lambda keep, valid: keep[0] & valid, keep, valid))
        return Lanes(self.pipeline, "kept", kept, len(lanes))


@dataclass(frozen=True)
class Beat:
    """Registers that hold one beat: ``valid`` and ``last`` (one bit), and of each lane ``data`` and ``keep`` (a bit
    per byte)."""

    valid: Signal
    last: Signal
    data: list[Signal]
    keep: list[Signal]

    @classmethod
    def like(cls, payload: Value, name: str) -> Beat:
        lanes = range(len(payload.data))
        unit_bytes = len(payload.keep) // len(lanes)
        return cls(
            Signal(name=f"{name}_valid", reset_less=True),
            Signal(name=f"{name}_last", reset_less=True),
            [Signal(Shape.cast(payload.data[i].shape()), name=f"{name}_data_l{i}", reset_less=True) for i in lanes],
            [Signal(unit_bytes, name=f"{name}_keep_l{i}", reset_less=True) for i in lanes],
        )

    def all(self) -> list[Signal]:
        return [self.valid, self.last, *self.data, *self.keep]


def _taken(m: Module, stream: Any, restart: Restart, hops: int = 1) -> tuple[Beat, Signal]:
    """The beat taken ``1 + hops`` cycles ago, and, a cycle late, whether one was taken.

    The data registers load every cycle, whether a beat is taken or not. The hops are there for what hangs on a
    beat being valid: it starts from a register, not from the port's gate, and has time to reach all lanes.
    """
    payload = stream.payload
    port = beat = Beat.like(payload, "port")
    m.d.sync += [
        port.valid.eq((stream.valid & stream.ready) | restart.flush), port.last.eq(payload.last | restart.flush),
    ]
    for lane, (data, keep) in enumerate(zip(port.data, port.keep, strict=True)):
        m.d.sync += [data.eq(payload.data[lane]), keep.eq(payload.keep.word_select(lane, len(keep)))]
    for hop in range(hops):
        before, beat = beat, Beat.like(payload, "in" if hop == hops - 1 else f"hop{hop}")
        m.d.sync += [now.eq(then) for now, then in zip(beat.all(), before.all(), strict=True)]
    return beat, port.valid


def _stage(
    pipeline: Pipeline, data: list[Value], beat: Beat, accepted: Signal, latency: int, lookahead: bool,
    after: Sequence[Value] = (),
) -> InputStage:
    def lanes(name: str, values: Sequence[Value]) -> list[Timed]:
        return [pipeline.enter(value, f"{name}_l{lane}") for lane, value in enumerate(values)]

    width = len(beat.keep)
    return InputStage(
        pipeline, Lanes(pipeline, "data", lanes("data", data), width),
        Lanes(pipeline, "keep", lanes("keep", [*beat.keep, *after]), width), accepted, latency, lookahead,
    )


def accept(m: Module, stream: Any, plan: Plan, restart: Restart, policy: Policy = TUNED) -> InputStage:
    """Accept beats of units that are judged each by itself."""
    entry = Stage(m, "input_stage", summary(accept))
    beat, accepted = _taken(entry.m, stream, restart)
    pipeline = Pipeline(m, plan, valid=beat.valid, last=beat.last, restart=restart, entry=entry,
                        policy=policy)
    return _stage(pipeline, list(beat.data), beat, accepted, latency=2, lookahead=False)


def _copies(m: Module, flags: Sequence[Signal], name: str, count: int, policy: Policy) -> Iterator[Signal]:
    """Copies of ``flags``, a cycle later, that synthesis keeps apart: ``count`` of them, evenly made."""
    for index in range(count):
        copy = Signal(name=f"{name}{index}", reset_less=True, attrs=policy.keep)
        m.d.sync += copy.eq(flags[index * len(flags) // count])
        yield copy


def _masked(data: Value, there: Value, absent: int) -> Value:
    """A unit, with the bits of ``absent`` clear unless it is there."""
    return Cat(bit & there if absent >> index & 1 else bit for index, bit in enumerate(data))


def accept_with_lookahead(
    m: Module, stream: Any, plan: Plan, restart: Restart, absent: int, policy: Policy = TUNED,
) -> InputStage:
    """Accept units and pass each beat on together with the unit that follows it in its packet.

    A beat waits in the lookahead register until the next one comes, or for one cycle if it is its packet's
    last: so every beat leaves with all that decides it, and nothing after this point looks ahead.
    ``data`` has one lane more than the beat, for the unit after it, and so has ``keep`` where a unit may lack bytes. A
    unit that is not kept, and one beyond the packet, has the bits of ``absent`` clear.
    """
    held = Beat.like(stream.payload, "held")
    around, entry = m, Stage(m, "input_stage", summary(accept_with_lookahead))
    m = entry.m
    lanes = len(held.data)
    groups = range(0, lanes, policy.lanes)
    # The port's own way is long.
    *hops, count = branches(len(groups), policy.branch, policy)
    incoming, accepted = _taken(m, stream, restart, hops=1 + len(hops))
    m.d.sync += held.valid.eq(incoming.valid | (held.valid & ~held.last))
    with m.If(incoming.valid):
        m.d.sync += held.last.eq(incoming.last)
    # One enable for the whole beat would be the widest net of the core.
    enables = [accepted]
    for hop, size in enumerate(hops):
        enables = list(_copies(m, enables, f"in_valid_hop{hop}_copy", size, policy))
    for first, enable in zip(groups, _copies(m, enables, "in_valid_copy", count, policy), strict=True):
        with m.If(enable):
            for lane in range(first, min(first + policy.lanes, lanes)):
                data, keep = incoming.data[lane], incoming.keep[lane]
                m.d.sync += [held.data[lane].eq(_masked(data, keep[0], absent)), held.keep[lane].eq(keep)]
    after = _masked(_masked(incoming.data[0], incoming.keep[0][0], absent), ~held.last, absent)
    keep_after = incoming.keep[0] & (~held.last).replicate(len(incoming.keep[0]))
    pipeline = Pipeline(around, plan, valid=held.valid & (held.last | incoming.valid), last=held.last,
                        restart=restart, entry=entry, policy=policy)
    # A unit of one byte that is there is whole.
    return _stage(pipeline, [*held.data, after], held, accepted, latency=3 + len(hops), lookahead=True,
                  after=[keep_after] if len(keep_after) > 1 else [])
