"""Counters of a record report, which rise with each beat's last turn: records of a packet, beats of a record, packets.

A counter in chunks of eight bits. Each passes its carry to the next one step later:

    turns of a beat    not the last      the last
    counter            00FE              00FE, and 0101 after it
    rises by           -                 3
    number of a turn   1                 2          of the turn's record among the beat's
    sum                00FF              0100

Throughput: one turn per cycle.

Limits: a sum that does not fit is marked. A counter of packets has its lowest bits alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Signal, Value

from ..pipeline import Pipeline, Timed
from ..pipeline.gates import cleared
from ..pipeline.restart import replica
from .turn_state import TurnsOfFlows, TurnState

CHUNK = 8
"""Bits of a counter that one step adds."""


@dataclass(frozen=True)
class Update:
    """The update of a counter in a beat's last turn, ``leaves``: it is cleared where ``clears``, and else rises by
    ``by``. All are zero in other turns."""

    leaves: Timed
    clears: Timed
    by: Timed


def counter(pipeline: Pipeline, name: str, update: Update, plus: Timed, width: int,
            flows: TurnsOfFlows | None = None) -> Timed:
    """A counter plus a signed number at every turn: ``width`` bits, and a bit above if the sum does not fit. The
    counter itself may not fit: then the sum does if the number takes it back. With ``flows`` each has a counter."""
    chunks, carry, up = [], plus, update.by
    for low in range(0, width, CHUNK):
        size = min(CHUNK, width - low)
        chunk, carry, up = _chunk(pipeline, f"{name}_from{low}", Update(update.leaves, update.clears, up), carry, size,
                                  flows)
        chunks.append(chunk)
    beyond = _beyond(pipeline, name, Update(update.leaves, update.clears, up), carry, flows)
    step = max(value.step for value in (*chunks, beyond))
    return Timed(pipeline, step, Cat(*(chunk.at(step) for chunk in chunks), beyond.at(step)), name)


def _chunk(pipeline: Pipeline, name: str, update: Update, plus: Timed, size: int,
           flows: TurnsOfFlows | None) -> tuple[Timed, Timed, Timed]:
    """A few bits of the sum; its carry, which is signed; and the counter's own carry."""
    state = TurnState(pipeline, {name: size}, flows, update.leaves, update.clears, update.by, plus)
    step, (now,) = state.step, state.now
    sum_now, by, clears = now + plus.at(step), update.by.at(step), update.clears.at(step)
    risen, total = Signal(size + 1, name=f"{name}_risen"), Signal(sum_now.shape(), name=f"{name}_total")
    pipeline.m.d.comb += total.eq(sum_now)
    if flows is not None:
        pipeline.m.d.comb += risen.eq(now + by)
        state.set(update.leaves.at(step), cleared(risen[:size], clears))
    else:
        # ``by`` is zero in other turns. Neither an enable nor a gate is behind the sum.
        if len(by) > 1:
            pipeline.m.d.comb += risen.eq(now + by)
            pipeline.m.d.sync += now.eq(risen[:size])
        else:
            pipeline.m.d.comb += risen.eq(Cat(now, now.all() & by))
            with pipeline.m.If(by):
                pipeline.m.d.sync += now.eq(now + 1)
        state.set(clears, Const(0, size))

    def part(label: str, function: Callable[[Value], Value], of: Signal) -> Timed:
        return pipeline.step(f"{name}_{label}", function, Timed(pipeline, step, of, of.name))

    return (part("sum", lambda total: total[:size], total), part("carry", lambda total: upper(total, size), total),
            part("up", lambda risen: risen[size:], risen))


def _beyond(pipeline: Pipeline, name: str, update: Update, carry: Timed, flows: TurnsOfFlows | None) -> Timed:
    """Whether the sum does not fit. ``full``: the counter itself does not, by any number; ``far``: it has risen
    since, so that no number takes it back."""
    state = TurnState(pipeline, {f"{name}_full": 1, f"{name}_far": 1}, flows, update.leaves, update.clears, update.by,
                      carry)
    step, (full, far) = state.step, state.now
    keeps = ~update.clears.at(step)
    state.set(update.leaves.at(step), (full | update.by.at(step).any()) & keeps, full & keeps)
    states = Timed(pipeline, step, Cat(full, far), f"{name}_states")

    def beyond(states: Value, carry: Value) -> Value:
        below = carry[-1] if carry.shape().signed else Const(0)
        return states[1] | (~below & (states[0] | carry.any()))

    return pipeline.step(f"{name}_beyond", beyond, states, carry)


def upper(number: Value, low: int) -> Value:
    """A number without its ``low`` lowest bits; it stays signed."""
    return number[low:].as_signed() if number.shape().signed else number[low:]


def packets(pipeline: Pipeline, ends: Timed, width: int) -> Timed:
    """The number of packets that ended in turns before, modulo ``2**width``."""
    parts, up = [], ends
    for low in range(0, width, CHUNK):
        size = min(CHUNK, width - low)
        step, now = pipeline.state_step(up.step), Signal(size, name=f"packets_from{low}", reset_less=True)
        total = Signal(size + 1, name=f"packets_from{low}_next")
        pipeline.m.d.comb += total.eq(now + up.at(step))
        pipeline.m.d.sync += now.eq(total[:size])
        with pipeline.m.If(replica(pipeline.m, pipeline.restart.clear, f"{now.name}_clear")):
            pipeline.m.d.sync += now.eq(0)
        parts.append(Timed(pipeline, step, now, now.name))
        up = pipeline.step(f"packets_from{low}_up", lambda total: total[-1], Timed(pipeline, step, total, total.name))
    step = max(part.step for part in parts)
    return Timed(pipeline, step, Cat(part.at(step) for part in parts), "packets")

