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

CHUNK = 8
"""Bits of a counter that one step adds."""


@dataclass(frozen=True)
class Update:
    """The update of a counter in a beat's last turn, ``leaves``: it is cleared where ``clears``, and else rises by
    ``by``. All are zero in other turns."""

    leaves: Timed
    clears: Timed
    by: Timed


def counter(pipeline: Pipeline, name: str, update: Update, plus: Timed, width: int) -> Timed:
    """A counter plus a signed number at every turn: ``width`` bits, and a bit above if the sum does not fit. The
    counter itself may not fit: then the sum does if the number takes it back."""
    chunks, carry, up = [], plus, update.by
    for low in range(0, width, CHUNK):
        size = min(CHUNK, width - low)
        chunk, carry, up = _chunk(pipeline, f"{name}_from{low}", Update(update.leaves, update.clears, up), carry, size)
        chunks.append(chunk)
    beyond = _beyond(pipeline, name, Update(update.leaves, update.clears, up), carry)
    step = max(value.step for value in (*chunks, beyond))
    return Timed(pipeline, step, Cat(*(chunk.at(step) for chunk in chunks), beyond.at(step)), name)


def state(pipeline: Pipeline, name: str, width: int, *operands: Timed) -> tuple[int, Signal]:
    """A register that a reset clears, and the step at which it and the ``operands`` are read."""
    register = Signal(width, name=name, reset_less=True)
    return pipeline.state_step(max(each.step for each in operands)), register


def cleared_by_reset(pipeline: Pipeline, *registers: Signal) -> None:
    """Clear the registers of a turn's state after a reset. To be called after the statements that set them."""
    with pipeline.m.If(replica(pipeline.m, pipeline.restart.clear, f"{registers[0].name}_clear")):
        pipeline.m.d.sync += [register.eq(0) for register in registers]


def _chunk(pipeline: Pipeline, name: str, update: Update, plus: Timed, size: int) -> tuple[Timed, Timed, Timed]:
    """A few bits of the sum; its carry, which is signed; and the counter's own carry."""
    step, now = state(pipeline, name, size, update.leaves, update.clears, update.by, plus)
    sum_now = now + plus.at(step)
    risen, total = Signal(size + 1, name=f"{name}_risen"), Signal(sum_now.shape(), name=f"{name}_total")
    pipeline.m.d.comb += [risen.eq(now + update.by.at(step)), total.eq(sum_now)]
    with pipeline.m.If(update.leaves.at(step)):
        pipeline.m.d.sync += now.eq(cleared(risen[:size], update.clears.at(step)))
    cleared_by_reset(pipeline, now)

    def part(label: str, function: Callable[[Value], Value], of: Signal) -> Timed:
        return pipeline.step(f"{name}_{label}", function, Timed(pipeline, step, of, of.name))

    return (part("sum", lambda total: total[:size], total), part("carry", lambda total: upper(total, size), total),
            part("up", lambda risen: risen[size:], risen))


def _beyond(pipeline: Pipeline, name: str, update: Update, carry: Timed) -> Timed:
    """Whether the sum does not fit. ``full``: the counter itself does not, by any number; ``far``: it has risen
    since, so that no number takes it back."""
    step, full = state(pipeline, f"{name}_full", 1, update.leaves, update.clears, update.by, carry)
    far = Signal(name=f"{name}_far", reset_less=True)
    keeps = ~update.clears.at(step)
    with pipeline.m.If(update.leaves.at(step)):
        pipeline.m.d.sync += [full.eq((full | update.by.at(step).any()) & keeps), far.eq(full & keeps)]
    cleared_by_reset(pipeline, full, far)
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
        step, now = state(pipeline, f"packets_from{low}", size, up)
        total = Signal(size + 1, name=f"packets_from{low}_next")
        pipeline.m.d.comb += total.eq(now + up.at(step))
        pipeline.m.d.sync += now.eq(total[:size])
        cleared_by_reset(pipeline, now)
        parts.append(Timed(pipeline, step, now, now.name))
        up = pipeline.step(f"packets_from{low}_up", lambda total: total[-1], Timed(pipeline, step, total, total.name))
    step = max(part.step for part in parts)
    return Timed(pipeline, step, Cat(part.at(step) for part in parts), "packets")

