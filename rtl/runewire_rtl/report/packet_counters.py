"""Tally: counts the flags that are set in a packet's lanes. The packet's last beat carries the count.

Four lanes, and a packet of two beats:

    flags       1 1 0 1    0 1 0 0
    in a beat   3          1
    so far      3          4         the tally, with the last beat

A sum of 32 bits in one cycle would need a long carry chain. So the tally is in chunks: each adds to its value, and
passes its carry to the next one step later. There is no feedback between chunks, so the tally is as late as its highest
chunk.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Signal, Value

from ..cut_points import cut_point
from ..pipeline import Pipeline, Timed, stage
from ..pipeline.gates import cleared, masked

CHUNK = 8
"""Bits of a tally that one step adds."""

FLAGS = 4
"""Flags that the first step counts: the inputs of a look-up table."""


@cut_point
def so_far(value: Value, last: Value) -> Value:
    """The value that the next beat adds to: zero after a packet's last beat."""
    return cleared(value, last)


@cut_point
@stage("tally")
def tally(pipeline: Pipeline, name: str, flags: Sequence[Timed], width: int) -> Timed:
    """How many of the flags were set in a packet's beats, at its last beat, and zero at any other; ``width`` bits, all
    ones for what does not fit. Without a beat the flags may be anything."""
    assert len(flags) < 1 << width, f"{len(flags)} flags need more than {width} bits"
    chunks, carry = [], number(pipeline, name, flags)
    for low in range(0, width, CHUNK):
        size = min(CHUNK, width - low)
        chunk, carry = _chunk(pipeline, f"{name}_from{low}", carry, size)
        chunks.append(chunk)
    beyond = _sticky(pipeline, f"{name}_beyond", carry)
    step = max(value.step for value in (*chunks, beyond))
    total = Timed(pipeline, step, Cat(chunk.at(step) for chunk in chunks), name)
    return pipeline.step(name, lambda total, beyond, last: masked(total | beyond.replicate(width), last),
                         total, beyond, pipeline.last)


def number(pipeline: Pipeline, name: str, flags: Sequence[Timed]) -> Timed:
    """The number of set flags."""
    def count(*flags: Value) -> Value:
        total = sum(flags)
        assert isinstance(total, Value)
        return total[: len(flags).bit_length()]

    parts = [pipeline.step(f"{name}_of_l{first}", count, *flags[first : first + FLAGS])
             for first in range(0, len(flags), FLAGS)]
    most = min(FLAGS, len(flags))
    while len(parts) > 1:
        most *= 2
        width = most.bit_length()
        pairs = [pipeline.step(f"{name}_of{len(parts)}_{first}", lambda a, b, width=width: (a + b)[:width],
                               *parts[first : first + 2]) for first in range(0, len(parts) - 1, 2)]
        parts = [*pairs, *parts[2 * len(pairs) :]]
    return parts[0]


def _chunk(pipeline: Pipeline, name: str, number: Timed, size: int) -> tuple[Timed, Timed]:
    """The sum of a number over a packet's beats so far, its lowest ``size`` bits; and the carry of each beat."""
    step = pipeline.state_step(number.step)
    kept = Signal(size, name=name, reset_less=True)
    width = max(size, number.shape.width) + 1
    total = Signal(width, name=f"{name}_total")
    valid, last = pipeline.valid.at(step), pipeline.last.at(step)
    pipeline.m.d.comb += total.eq(kept + number.at(step))
    with pipeline.m.If(valid):
        pipeline.m.d.sync += kept.eq(so_far(total[:size], last))
    chunk = pipeline.step(f"{name}_sum", lambda total: total[:size], Timed(pipeline, step, total, f"{name}_total"))
    carry = pipeline.step(f"{name}_carry", lambda total: total[size:], Timed(pipeline, step, total, f"{name}_total"))
    return chunk, carry


def _sticky(pipeline: Pipeline, name: str, flag: Timed) -> Timed:
    """Whether the number was not zero in some beat of the packet so far."""
    step = pipeline.state_step(flag.step)
    seen, now = Signal(name=name, reset_less=True), Signal(name=f"{name}_now")
    pipeline.m.d.comb += now.eq(seen | flag.at(step).any())
    with pipeline.m.If(pipeline.valid.at(step)):
        pipeline.m.d.sync += seen.eq(so_far(now, pipeline.last.at(step)))
    return Timed(pipeline, step, now, f"{name}_now")
