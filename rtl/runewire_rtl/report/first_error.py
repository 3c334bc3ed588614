"""First error of a packet: the first faulty lane of its first faulty beat, as kind and offset.

Four lanes, beat 5 of a packet, counted from 0. The beat before ends with E2, and no other beat has a fault:

    lane               0    1    2    3
    byte               82   41   41   FF
    fault              yes  -    -    yes    TOO_SHORT, HEADER_BITS
    distance to start  1              0      the sequence of lane 0 begins with that E2
    first of two       lane 0    lane 3
    first of four      lane 0, TOO_SHORT, distance 1
    begins             lane 0 - 1 = -1: lane 3, a beat before
    offset             4 * 4 + 3 = 19

Throughput: one beat per cycle, and so one packet per cycle, if each is a single beat. Latency: a step for each level of
the tree of lanes, then the subtraction and the selection of the beat's number.

Limits: lanes are a power of two. Kind and distance are valid in a packet's first faulty lane, and may be wrong in
others. An offset that does not fit is all ones. Parts that are not requested are not built: without an offset no lane
has a number, and no beat is counted.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Mux, Signal, Value
from amaranth.utils import ceil_log2

from ..encodings.base import Faults
from ..pipeline import Pipeline, Timed, stage
from ..pipeline.gates import cleared
from ..pipeline.register_roles import FOUND, role
from ..stream_shapes import KIND_WIDTH, OFFSET_WIDTH
from .beat_counter import count_beats


@stage("report")
def first_error(
    pipeline: Pipeline, faults: Faults, offset_width: int = OFFSET_WIDTH, amount: str = "full", *, early: bool = False,
) -> Timed:
    """The packet's report at its last beat, zero at any other: as many of the fields error, kind and offset as
    ``amount`` asks for, "flag", "kind" or "full". The offset has ``offset_width`` bits, all ones if it is further.

    ``early``: the field error is valid at every beat: whether the packet has a fault in the beats so far.
    """
    if amount == "flag":
        return _flag(pipeline, faults, early=early)
    m = pipeline.m
    located = amount == "full"
    lanes = faults.any.width
    node, where, index_width, back_width = earliest(pipeline, faults, located=located)
    back = KIND_WIDTH + 1
    # Not before the beats can be counted, which takes two registers.
    step = pipeline.before_register(max(where.step, 2 * pipeline.plan.value))
    found = node.at(step)[0]
    counts = []
    if located:
        counts = count_beats(pipeline, offset_width - index_width, step, reach=-(-((1 << back_width) - 1) // lanes))

    first, clean, seen = _first(pipeline, step, found)
    so_far = [_so_far(seen, found)] if early else []
    # The count of the beat in which the sequence begins, selected by one bit of the distance per step.
    for bit in range(index_width, index_width + ceil_log2(max(1, len(counts)))):
        counts = [
            pipeline.step("error_beat", lambda where, *pair, bit=bit: Mux(where[bit], pair[-1], pair[0]),
                          where, *counts[pair : pair + 2])
            for pair in range(0, len(counts), 2)
        ]
    step = pipeline.before_register(max([first.step, *(beat.step for beat in counts)]))
    told = [Const(1, 1), node.at(step)[1 : 1 + KIND_WIDTH]]
    if located:
        told += [where.at(step)[:index_width], counts[0].at(step)]
    caught = Signal(len(Cat(told)), name="caught", reset_less=True, attrs=role(FOUND))
    with m.If(first.at(step)):
        m.d.sync += caught.eq(Cat(told))

    def reported(clean: Value, caught: Value, *so_far: Value) -> Value:
        if located:
            # The beat's number is all ones already if the highest bit says that it does not fit.
            *number, beyond = caught[back + index_width :]
            caught = Cat(caught[:back], caught[back : back + index_width] | beyond.replicate(index_width), number)
        if so_far:
            return Cat(so_far[0], Mux(clean, 0, caught[1:]))
        return Mux(clean, 0, caught)

    return pipeline.step("report", reported, clean, Timed(pipeline, step + 1, caught, "caught"), *so_far)


def earliest(pipeline: Pipeline, faults: Faults, *, located: bool) -> tuple[Timed, Timed, int, int]:
    """The first fault of each beat: whether there is one, and its kind. If it is ``located``, also where its sequence
    begins: the lane, and the distance in beats. Returns with them the widths of the lane and of a distance in lanes."""
    m, lanes = pipeline.m, faults.any.width
    index_width, back_width = (ceil_log2(lanes), len(faults.back)) if located else (0, 0)
    # A node of the tree: fault, kind, back, then one index bit for each level below it.
    level = [
        pipeline.step(f"first_l{lane}", lambda *bits: Cat(bits), faults.any[lane],
                      *(flag[lane] for flag in (*faults.kind, *faults.back[:back_width])))
        for lane in range(lanes)
    ]
    while len(level) > 1:
        level = [
            pipeline.step(
                f"first_of{len(level)}_l{i * lanes // len(level)}",
                lambda left, right: Cat(left[0] | right[0], Mux(left[0], left[1:], right[1:]), *[~left[0]] * located),
                level[i], level[i + 1],
            )
            for i in range(0, len(level), 2)
        ]
    node = level[0]
    back = KIND_WIDTH + 1
    index = back + back_width
    low_width = min(index_width, pipeline.policy.lut_inputs // 2)

    def subtract(node: Value) -> Value:
        # The distance overlaps only the low bits of the index; their borrow goes to the upper bits.
        value = node[index : index + low_width] - node[back:index]
        # A name of its own: otherwise its bits are named like a later step, which then seems to depend on itself.
        difference = Signal(value.shape(), name="error_difference")
        m.d.comb += difference.eq(value)
        return Cat(difference[:low_width], (-(difference >> low_width))[:back_width])

    def borrow(node: Value, low: Value) -> Value:
        difference = node[index + low_width : index + index_width] - low[low_width:].any()
        return Cat(low[:low_width], difference[: index_width - low_width], difference[-1])

    # Where the sequence of the beat's first fault begins: its lane, and the distance in beats.
    where = Timed(pipeline, node.step, node.at(node.step)[back:], "error_where")
    if index_width and back_width:
        where = pipeline.step("error_low", subtract, node)
        if index_width > low_width:
            where = pipeline.step("error_index", borrow, node, where)
    return node, where, index_width, back_width


def _first(pipeline: Pipeline, step: int, found: Value) -> tuple[Timed, Timed, Timed]:
    """Three flags of a beat at ``step``, which has a fault if ``found`` is set: this is its packet's first fault; there
    is nothing to report, as the beat is not the last or its packet has no fault; and a beat before has a fault."""
    m = pipeline.m
    seen = Signal(name="error_seen", reset_less=True)
    m.d.sync += seen.eq(cleared(seen | (pipeline.valid.at(step) & found), pipeline.last.at(step)))
    seen_before = Timed(pipeline, step, seen, "error_seen")
    fault = Timed(pipeline, step, found, "error_found")
    first = pipeline.step("error_first", lambda valid, found, seen: valid & found & ~seen,
                          pipeline.valid, fault, seen_before)
    clean = pipeline.step("error_none", lambda last, found, seen: ~(last & (seen | found)),
                          pipeline.last, fault, seen_before)
    return first, clean, seen_before


def _so_far(seen: Timed, found: Value) -> Timed:
    """Whether the packet has a fault in the beats so far: in this one, or ``seen`` in one before."""
    return seen.pipeline.step("error_known", lambda found, seen: found | seen,
                              Timed(seen.pipeline, seen.step, found, "error_found"), seen)


def _flag(pipeline: Pipeline, faults: Faults, *, early: bool = False) -> Timed:
    """Whether the packet has a fault, at its last beat; with ``early`` at every beat, in the beats so far."""
    flag = any_fault(pipeline, faults)
    step = pipeline.before_register(flag.step)
    _, clean, seen = _first(pipeline, step, flag.at(step))
    if early:
        return pipeline.step("report", lambda so_far: so_far, _so_far(seen, flag.at(step)))
    return pipeline.step("report", lambda clean: ~clean, clean)


def any_fault(pipeline: Pipeline, faults: Faults) -> Timed:
    """Whether there is a fault in any lane of a beat."""
    flags = faults.any.beat()
    while len(flags) > 1:
        flags = [pipeline.step(f"any_of{len(flags)}_{first}", lambda *some: Cat(some).any(), *flags[first : first + 4])
                 for first in range(0, len(flags), 4)]
    return flags[0]
