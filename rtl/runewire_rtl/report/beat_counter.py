"""Beat counter: the numbers of a packet's present beat and of the few before it, without a long carry chain.

The number saturates. One more bit says that it does not fit.

Chunks of four bits. Beat 0x0F of a packet is the last before a carry:

    beat               0E   0F   10   11
    chunk 0            E    F    0    1
    carries                 1              available one beat earlier
    chunk 1            0    0    1    1

Limits: a chunk has as many bits as a look-up table has inputs. A carry takes one cycle per chunk, and the next carry
comes 16 beats later. So there may be 15 chunks of four bits, more than any offset needs. Saturation is detected one
register after the last chunk, within those 16 beats.
"""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Cat, Const, Signal, Value

from ..pipeline import Pipeline, Timed
from ..pipeline.carry_free_counters import incremented
from ..pipeline.register_roles import BEATS, role


def count_beats(pipeline: Pipeline, width: int, step: int, reach: int) -> list[Timed]:
    """Number of a packet's present beat, at most ``2**width - 1``, and of the ``reach`` beats before it, at ``step``. A
    register follows that step. One more bit, the highest, says that the number would be ``2**width`` or more.

    The number is counted in chunks. The first chunk's carry is computed one beat early. The chunks above are one
    register later, and a register tells each of them whether to count. Their carries change at most every 16 beats and
    have that long to travel, one register per chunk and one more.
    """
    m = pipeline.m
    size = pipeline.policy.lut_inputs
    early = step - pipeline.plan.value

    def replica(flag: Timed, step: int, init: int = 0) -> Signal:
        """A replica of ``flag`` at ``step``, directly after a register."""
        copy = Signal(name=f"beat_{flag.name}_s{step}", init=init, reset_less=True, attrs=pipeline.policy.keep)
        m.d.sync += copy.eq(flag.at(step - pipeline.plan.value))
        return copy

    def number(
        index: int, bits: int, step: int, clear: Signal, count: Value, moved: Value,
        after: Callable[[Value], Value] = incremented,
    ) -> list[Timed]:
        """One chunk: its present value, and its values in the beats before. ``after`` is its value after a count,
        loaded at ``count``; the earlier values move at ``moved``."""
        says = role(BEATS, index) if index * size < width else {}
        chunks = [Signal(bits, name=f"beat_chunk{index}", reset_less=True, attrs=says)]
        with m.If(clear):
            m.d.sync += chunks[0].eq(0)
        with m.Elif(count):
            m.d.sync += chunks[0].eq(after(chunks[0]))
        for distance in range(1, reach + 1):
            before = Signal(bits, name=f"beat_chunk{index}_before{distance}", reset_less=True)
            with m.If(moved):
                m.d.sync += before.eq(chunks[-1])
            chunks.append(before)
        return [Timed(pipeline, step, chunk, chunk.name) for chunk in chunks]

    valid, clear = replica(pipeline.valid, early), replica(pipeline.over, early, init=1)
    carries, greatest = Signal(name="beat_carries", reset_less=True), Signal(name="beat_greatest", reset_less=True)
    parts = [number(0, min(size, width), early, clear, valid, valid,
                    lambda chunk: incremented(chunk) | greatest.replicate(len(chunk)))]
    first = parts[0][0].at(early)
    full = Const(1)
    lows = [*range(size, width, size), width]
    for index, low in enumerate(lows, 1):
        count = Signal(name=f"beat_chunk{index}_counts", reset_less=True)
        if index % pipeline.policy.chunks == 1:
            again, moved = replica(pipeline.over, step, init=1), replica(pipeline.valid, step) if reach else Const(0)
        if low == width:
            m.d.sync += count.eq(valid & greatest)
            parts.append(number(index, 1, step, again, count, moved, lambda beyond: Const(1)))
            break
        m.d.sync += count.eq(valid & carries & full & ~greatest)
        parts.append(number(index, min(size, width - low), step, again, count, moved))
        chunk = parts[-1][0].at(step)
        ones = Signal(name=f"beat_chunk{index}_ones", reset_less=True)
        below, full = full, Signal(name=f"beat_chunk{index}_full", reset_less=True)
        m.d.sync += [ones.eq(chunk.all()), full.eq(ones & below)]
    # One beat before the carry. At saturation the first chunk holds ones in all its bits.
    with m.If(clear):
        m.d.sync += [carries.eq(0), greatest.eq(0)]
    with m.Elif(valid):
        m.d.sync += [carries.eq(first == (1 << len(first)) - 2), greatest.eq(first[1:].all() & full)]
    return [
        Timed(pipeline, step, Cat(chunk.at(step) for chunk in chunks), f"beat_before{distance}")
        for distance, chunks in enumerate(zip(*parts, strict=True))
    ]
