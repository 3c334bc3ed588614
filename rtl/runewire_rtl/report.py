"""The report of a packet's first error: the first faulty lane of its first faulty beat, as kind and offset."""

from __future__ import annotations

from amaranth.hdl import Cat, Mux, Signal, Value
from amaranth.utils import ceil_log2

from .beat_counter import count_beats
from .encodings.base import Faults
from .layouts import KIND_WIDTH, OFFSET_WIDTH
from .pipeline import Pipeline, Timed, stage
from .roles import FOUND, role

__all__ = ["first_error"]


@stage("report")
def first_error(pipeline: Pipeline, faults: Faults, offset_width: int = OFFSET_WIDTH) -> Timed:
    """The packet's report at its last beat, zero at any other: bits of :data:`runewire_rtl.layouts.REPORT`, with an
    offset of ``offset_width`` bits."""
    m = pipeline.m
    lanes = faults.any.width
    index_width, back_width = ceil_log2(lanes), len(faults.back)
    # A node of the tree: fault, kind, back, then as many index bits as there are levels below it.
    level = [
        pipeline.step(f"first_l{lane}", lambda *bits: Cat(bits),
                      faults.any[lane], *(flag[lane] for flag in (*faults.kind, *faults.back)))
        for lane in range(lanes)
    ]
    while len(level) > 1:
        level = [
            pipeline.step(
                f"first_of{len(level)}_l{i * lanes // len(level)}",
                lambda left, right: Cat(left[0] | right[0], Mux(left[0], left[1:], right[1:]), ~left[0]),
                level[i], level[i + 1],
            )
            for i in range(0, len(level), 2)
        ]
    node = level[0]
    near = KIND_WIDTH + 1
    far = near + back_width
    low_width = min(index_width, 2)

    def subtract(node: Value) -> Value:
        # Only the two low bits of the index and of the distance meet; what they borrow goes on.
        value = node[far : far + low_width] - node[near:far]
        # A name of its own: else its bits take those of a later step, which then seems to depend on itself.
        difference = Signal(value.shape(), name="error_difference")
        m.d.comb += difference.eq(value)
        return Cat(difference[:low_width], (-(difference >> low_width))[:back_width])

    def borrow(node: Value, low: Value) -> Value:
        difference = node[far + low_width : far + index_width] - low[low_width:].any()
        return Cat(low[:low_width], difference[: index_width - low_width], difference[-1])

    # Where the sequence of the beat's first fault begins: its lane, and how many beats before.
    where = Timed(pipeline, node.step, node.at(node.step)[near:], "error_where")
    if index_width and back_width:
        where = pipeline.step("error_low", subtract, node)
        if index_width > low_width:
            where = pipeline.step("error_index", borrow, node, where)

    # No sooner than the beats can be counted, which takes two registers.
    step = pipeline.before_register(max(where.step, 2 * pipeline.plan.value))
    found = node.at(step)[0]
    counts = count_beats(pipeline, offset_width - index_width, step, reach=-(-((1 << back_width) - 1) // lanes))

    # The first fault of the packet is caught.
    seen = Signal(name="error_seen", reset_less=True)
    m.d.sync += seen.eq((seen | (pipeline.valid.at(step) & found)) & ~pipeline.last.at(step))
    seen_before = Timed(pipeline, step, seen, "error_seen")
    fault = Timed(pipeline, step, node.at(step), "error_node")
    first = pipeline.step("error_first", lambda valid, found, seen: valid & found[0] & ~seen,
                          pipeline.valid, fault, seen_before)
    clean = pipeline.step("error_none", lambda last, found, seen: ~(last & (seen | found[0])),
                          pipeline.last, fault, seen_before)
    # The count of the beat that it begins in, chosen by a bit of the distance a step.
    for bit in range(index_width, index_width + ceil_log2(len(counts))):
        counts = [
            pipeline.step("error_beat", lambda where, *pair, bit=bit: Mux(where[bit], pair[-1], pair[0]),
                          where, *counts[pair : pair + 2])
            for pair in range(0, len(counts), 2)
        ]
    (beat,) = counts
    step = pipeline.before_register(max(first.step, beat.step))
    caught = Signal(offset_width + KIND_WIDTH + 1, name="caught", reset_less=True, attrs=role(FOUND))
    with m.If(first.at(step)):
        m.d.sync += caught.eq(
            Cat(where.at(step)[:index_width], beat.at(step), node.at(step)[1 : 1 + KIND_WIDTH], 1)
        )
    return pipeline.step("report", lambda clean, caught: Mux(clean, 0, caught),
                         clean, Timed(pipeline, step + 1, caught, "caught"))
