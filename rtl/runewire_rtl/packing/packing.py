"""Packing: writes lanes of items into rows of the output buffer, in place or dense.

Dense rows of four lanes. A packet's beats have 3, 4 and 2 items, the last of which ends it:

    beat                    1    2    3
    items                   3    4    2
    under way after it      3    3    1    items of a row that is not yet full
    fills a row             no   yes  yes  the packet's last beat fills one, and its rest is one more, the last
    pushed at once          -    yes  yes  as an earlier beat left a cycle free
    pushed a cycle later    -    -    yes  a packet's last row always is

The buffer takes one push per cycle. `pack` decides which row is pushed when, and two pushes never meet. The corner case
is the last beat, which ends two rows: the first one is pushed at once, the second a cycle later, when the next packet
may fill a row already. That row is pushed late, because its packet has filled a row with every beat so far.

Throughput: one beat per cycle.

Limits: lanes are a power of two. A beat has no more items than lanes, so it ends two rows at most, and two only if it
is its packet's last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_, or_
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from runewire_model import Timing

from ..buffer.output_buffer import READ_LATENCY, WRITTEN, OutputBuffer, Write, depth_for
from ..buffer.read_controller import BANKS
from ..cut_points import cut_point
from ..input.input_stage import InputStage
from ..pipeline import Broadcast, Pipeline, Timed, stage
from ..pipeline.gates import still
from ..pipeline.restart import replica
from .merging import Boundaries, Merge, merging
from .numbering import Term, sum_bit
from .rows import address, bank_addresses, bank_enables, counted, rows_under_way

EARLIER = 2
"""Steps by which `_filled` is earlier: it is available with the highest bit of the items' number. Otherwise two steps
follow that bit, ``counts`` and ``filled``."""

WRITE_STEPS = 2
"""Steps from a row's number to a write to that row: its address and enables, and then a replica of them."""

MOVED_STEPS = 3
"""Steps from the move to the next row until the items of that beat are in their lanes, at least."""

NUMBERED_STEPS = 2
"""Steps from the number of the row under way until the items of that beat are in their lanes, at least."""

Items = Callable[[int], Sequence[Timed]]
"""Makes the items of a beat's lanes at a given step or later, so they can be made when they are needed."""


@dataclass(frozen=True)
class Packed:
    """The tail of a core: its buffer and its timing."""

    buffer: OutputBuffer
    timing: Timing


@dataclass(frozen=True)
class Rows:
    """Pushed rows. ``push``: a row is complete. ``last``, ``report``, ``keep``: the row's last bit, report and keep
    bits; ``keep`` is empty if the keep bits are written with the items. ``late``: by how many cycles, 0 or 1, these
    describe an earlier beat. ``decided``: the step at which the rows that a beat fills are known. ``tags``: the
    packet's tags. ``name``: the buffer's."""

    push: Timed
    last: Timed
    report: Timed | None
    keep: Sequence[Timed]
    late: int
    decided: int = 0
    tags: Timed | None = None
    name: str = "buffer"

    @property
    def metadata(self) -> list[Timed]:
        """A row's data without its items and keep bits."""
        return [self.last, *(value for value in (self.report, self.tags) if value is not None)]

    def written(self, pipeline: Pipeline, after: int) -> int:
        """The step at which a row is completely written, if its items are written at step ``after``."""
        known = max(value.step for value in (*self.metadata, *self.keep))
        return pipeline.before_register(max(after - WRITE_STEPS, known - WRITE_STEPS, self.push.step)) + WRITE_STEPS


@cut_point
def new_buffer(*arguments: Any, **options: Any) -> OutputBuffer:
    """The output buffer, with the arguments of `OutputBuffer`."""
    return OutputBuffer(*arguments, **options)


def _tail(
    entry: InputStage, output: Value, width: int, rows: Rows, after: int, together: int = 1, apart: bool = False,
) -> Packed:
    """An output buffer for the pushed rows, deep enough for all beats under way.

    ``width``: bits of an item. ``after``: the step at which a row's items are written. ``together``: lanes that share a
    write port. ``apart``: a write port has one address per bank.

    A row need not be complete when it is pushed. With the plan ``FAST`` and a row that is written at step 20, its push
    is decided at step 15 and reaches the buffer at step 16, `WRITTEN` cycles before the write.
    """
    pipeline = entry.pipeline
    m = pipeline.m
    step = rows.written(pipeline, after)
    # The row is announced to the buffer as early as its last write permits.
    early = pipeline.before_register(max(rows.push.step, step - (WRITTEN + 1) * pipeline.plan.value))
    turn = Signal(name="push_turn", reset_less=True)
    m.d.sync += turn.eq(turn ^ rows.push.at(early))
    with m.If(replica(m, pipeline.restart.clear, "push_turn_clear")):
        m.d.sync += turn.eq(0)
    push = pipeline.step(
        "push_bank", lambda push, turn: Cat(push & (turn == bank) for bank in range(BANKS)), rows.push,
        Timed(pipeline, early, turn, "push_turn"),
    )
    pushed = entry.latency + pipeline.latency(push.step) + rows.late
    depth = depth_for(pushed + READ_LATENCY + (entry.ahead or 0))
    buffer = new_buffer(width, depth, output, pipeline.restart.clear, together, pipeline.policy, apart)
    buffer.ahead = entry.ahead
    pipeline.around.submodules[rows.name] = buffer
    m.d.comb += [buffer.accepted.eq(entry.accepted), buffer.push.eq(push.at(push.step))]
    row = counted(pipeline, "push_row", rows.push, step - WRITE_STEPS, buffer.depth)
    where = address(pipeline, "push_row_of", rows.push, row)
    _write(m, buffer.metadata, _replica(where, "metadata_row"), *rows.metadata)
    if rows.keep:
        _write_keep(pipeline, buffer, where, rows.keep)
    return Packed(buffer, Timing(entry.latency, pipeline.latency(rows.decided), pipeline.latency(push.step),
                                 rows.late, buffer.depth, entry.lookahead, entry.ahead or 0))


@stage("packing")
def in_place(
    entry: InputStage, output: Value, keep: Sequence[Timed], items: Items, report: Timed | None,
    marks: Sequence[Timed] = (), name: str = "buffer",
) -> Packed:
    """One row for each beat, each item in its own lane. ``marks``: some more bits of each lane, known later.

    Items are stored as soon as they are available, and become readable with the report: the buffer is the delay line.
    """
    pipeline = entry.pipeline
    data = items(0)
    together = pipeline.policy.lanes
    steps = Broadcast.steps(pipeline.policy, len(data)) + 1
    # The row's number is available before its items.
    step = pipeline.before_register(max(0, *(value.step - 1 - steps for value in (*data, *keep))))
    rows = Rows(pipeline.valid, pipeline.last, report, keep=[], late=0, tags=entry.tags, name=name)
    written = max([step + 1 + steps, *(mark.step + 1 for mark in marks)])
    tail = _tail(entry, output, data[0].shape.width, rows, written, together)
    if entry.dropped is not None:
        pipeline.m.d.comb += tail.buffer.returned.eq(entry.dropped)
        tail = replace(tail, timing=tail.timing._replace(decide=entry.drop_latency - entry.latency))
    row = counted(pipeline, "row", pipeline.valid, step, tail.buffer.depth)
    where = address(pipeline, "row_of", pipeline.valid, row)
    addresses = Broadcast("row_of", where, len(data), tree=True)
    for first, write in zip(range(0, len(data), together), tail.buffer.lane, strict=True):
        place = _replica(addresses[first], f"row_replica_l{first}")
        _write(pipeline.m, write, place, *data[first : first + together])
    _write_keep(pipeline, tail.buffer, where, keep)
    if marks:
        # Record flags have a row number of their own: the items' number would have to wait for them.
        step = pipeline.before_register(max(mark.step for mark in marks) - WRITE_STEPS)
        row = counted(pipeline, "marks_row", pipeline.valid, step, tail.buffer.depth)
        _write_marks(pipeline, tail.buffer, address(pipeline, "marks_row_of", pipeline.valid, row), marks)
    return tail


@stage("packing")
def pack(
    entry: InputStage, output: Value, present: Sequence[Timed], items: Items, report: Timed | None,
    slots: int = 1, used: int = 1,
) -> Packed:
    """Rows without gaps: each full but a packet's last, which also comes when it is empty.

    A packet's last beat may end two rows, but the buffer takes one push per cycle. So a packet's last row is always
    pushed a cycle late. Its full rows are pushed late too, until one of its beats fills none. From then on they are
    pushed at once, which leaves room for the pair. If every beat has filled a row, there is no pair. So pushes never
    meet, whatever packets follow each other.

    ``slots``: places of each lane, adjacent in ``present``. Only the last ``used`` of them may have an item, and a
    lane's items are in its last places, without gaps. If the report's lowest bit is valid at every beat, each row has
    it from the beat that completes the row.
    """
    pipeline = entry.pipeline
    m = pipeline.m
    lanes = len(present)
    ways = merging(slots, used)(pipeline, present)
    places = ways.ends

    whole, filled = whole_rows(pipeline, places, early=_saves_rows(entry, places))
    # All lanes of a row are kept, except in a packet's last row that is not exactly full.
    free = Broadcast("all_kept", pipeline.step("all_kept", lambda whole, last: whole | ~last, whole, pipeline.last),
                     lanes, tree=True)

    # ``all_full``: every beat of the packet so far has filled a row. The first beat that does not keeps its credit for
    # the row under way. Later ones return theirs, also a last beat that needs no second row.
    step = pipeline.before_register(filled.step)
    valid, last, fills = pipeline.valid.at(step), pipeline.last.at(step), filled.at(step)
    all_full = Signal(init=1, reset_less=True)
    late = Signal(reset_less=True)
    # A clock enable would be one gate for both this register and ``late``, and far from one of them.
    m.d.sync += all_full.eq(last | still(all_full, fills, valid))
    m.d.sync += late.eq(last | (fills & all_full))
    pushes = Signal()
    m.d.comb += pushes.eq(late | (fills & ~all_full))
    rows = Rows(
        push=Timed(pipeline, step, pushes, "push"),
        last=_late(pipeline, "late_last", lambda last: last, pipeline.last, after=step),
        report=_row_report(pipeline, report, Timed(pipeline, step, late, "late"), early=entry.early),
        keep=[_late(pipeline, f"late_keep_l{lane}", or_, reached, free[lane])
              for lane, reached in enumerate(ways.reached)],
        late=1, decided=step, tags=_tags(pipeline, entry.tags, step),
    )
    moved = pipeline.before_register(step + 1)
    numbered = moved + (pipeline.plan.value if lanes > pipeline.policy.row_lanes else 0)
    write_step = max(ways.end, moved + MOVED_STEPS, numbered + NUMBERED_STEPS)
    # Until there is a row to write to, the items wait in their narrowest form: before they are made.
    begin = write_step - (ways.end - ways.begin)
    data = ways.route(items(begin), begin)
    # In a narrow core, units that take several steps may be available later than their place.
    write_step = max(write_step, *(value.step for value in data))
    tail = _tail(entry, output, data[0].shape.width, rows, write_step + 1, apart=True)
    m.d.comb += tail.buffer.returned.eq(valid & ~all_full & ~fills)

    # The number of the row under way, and of the next two.
    moves = pipeline.step("row_moves", or_, filled, pipeline.last, after=step)
    twice = pipeline.step("row_twice", and_, filled, pipeline.last, after=step)
    timed = rows_under_way(pipeline, moves, twice, tail.buffer.depth, numbered)
    _write_runs(pipeline, tail.buffer, ways, timed, data, write_step)
    return tail


def _write_runs(
    pipeline: Pipeline, buffer: OutputBuffer, ways: Merge, rows: Sequence[Timed], data: Sequence[Timed], after: int
) -> None:
    """Write the items of merged runs at step ``after``. A bank has only one row that they may go to, for all lanes, so
    each lane selects the bank alone."""
    lanes = len(data)
    odd = Broadcast("row_odd", rows[0].part(0, 1), lanes)
    addresses = [Broadcast(f"row_bank{bank}", row, lanes, after=after - 1)
                 for bank, row in enumerate(bank_addresses(*rows))]
    full = ways.full(lanes)
    for lane, write in enumerate(buffer.lane):
        enable = pipeline.step(f"row_of_l{lane}", bank_enables, ways.reached[lane], ways.wrapped[lane], full[lane],
                               odd[lane], after=after, keep=True)
        pipeline.m.d.comb += [
            write.enable.eq(enable.at(after + 1)), write.data.eq(data[lane].at(after + 1)),
            *(row.eq(address[lane].at(after + 1)) for row, address in zip(write.rows, addresses, strict=True)),
        ]


def whole_rows(pipeline: Pipeline, places: Boundaries, *, early: bool = False) -> tuple[Timed, Timed]:
    """Whether the row under way is exactly full after a beat; and whether the beat fills a row that is not its packet's
    last.
    ``early``: the latter `EARLIER` steps earlier, by a wider gate."""
    # Each bit is available later than the one below.
    some = list(places.count)
    while len(some) > 2:
        some[:2] = [pipeline.step("some", or_, *some[:2])]
    partial = pipeline.step("partial", lambda *count: Cat(count).any(), *some)
    whole = pipeline.step("whole", lambda some, *full: ~some & reduce(or_, full), partial, *places.full)
    if early:
        return whole, _filled(pipeline, places)
    counts = pipeline.step("counts", lambda last, *count: ~last | Cat(count).any(), pipeline.last, *some)
    filled = pipeline.step("filled", lambda counts, *full: counts & reduce(or_, full), counts, *places.full)
    return whole, filled


def _saves_rows(entry: InputStage, ends: Boundaries) -> bool:
    """Whether the buffer needs fewer rows if it is known `EARLIER` that a beat fills one."""
    def depth(filled: int) -> int:
        return depth_for(entry.latency + entry.pipeline.latency(filled + 1) + 1 + READ_LATENCY)

    # A row of one place is full with each item: there is no count to absorb.
    step = max((bit.step for bit in ends.count), default=None)
    return step is not None and depth(step) < depth(step + EARLIER)


def _filled(pipeline: Pipeline, ends: Boundaries) -> Timed:
    """Whether a beat fills a row that is not its packet's last, at the step of the count's highest bit. It does not
    wait for that bit or its carry: it absorbs the terms of both."""
    some = [pipeline.step("goes_on", lambda last: ~last, pipeline.last), *ends.count[:-1]]
    while len(some) > 2:
        some[:2] = [pipeline.step("counts", or_, *some[:2])]
    highest, wrap = (Term.join(sum_bit(power), ends.top) for power in range(2))
    counts = Term.join(_any, [highest, *map(Term.of, some)])
    full = Term.join(_any, [wrap, *map(Term.of, ends.full[1:])])
    return Term.join(and_, [counts, full]).settled(pipeline, "filled")


def _any(*flags: Value) -> Value:
    return Cat(flags).any()


def _row_report(pipeline: Pipeline, report: Timed | None, late: Timed, *, early: bool) -> Timed | None:
    """The report of the row that is pushed: with ``late``, from the beat in the cycle before."""
    if report is None:
        return None
    if not early:
        return _late(pipeline, "late_report", lambda report: report, report)
    before = _late(pipeline, "late_report", lambda report: report, report, after=late.step)
    step = before.step
    error = Mux(late.at(step), before.at(step)[0], report.at(step)[0])
    return Timed(pipeline, step, Cat(error, before.at(step)[1:]), "row_report")


def _late(
    pipeline: Pipeline, name: str, function: Callable[..., Value], *operands: Timed, after: int = 0
) -> Timed:
    """``function`` of the operands, one cycle later."""
    step = max([after, *(operand.step for operand in operands)])
    value = function(*(operand.at(step) for operand in operands))
    register = Signal(len(value), name=name, reset_less=True)
    pipeline.m.d.sync += register.eq(value)
    return Timed(pipeline, step, register, name)


def _tags(pipeline: Pipeline, tags: Timed | None, step: int) -> Timed | None:
    """The tags of the last beat before this cycle. The row that is pushed belongs to its packet."""
    if tags is None:
        return None
    before = Signal(tags.shape, name="tags_before", reset_less=True)
    with pipeline.m.If(pipeline.valid.at(step)):
        pipeline.m.d.sync += before.eq(tags.at(step))
    return Timed(pipeline, step, before, "tags_before")


def _replica(where: Timed, name: str, *data: Timed) -> Timed:
    """A replica of an address for the memories of a few lanes, instead of one net for all lanes; available with
    ``data``."""
    after = max([0, *(value.step - 1 for value in data)])
    return where.pipeline.replica(name, where, after)


def _write(m: Module, write: Write, where: Timed, *data: Timed) -> None:
    step = where.step
    m.d.comb += [
        Cat(write.rows[0], write.enable).eq(where.at(step)),
        write.data.eq(Cat(value.at(step) for value in data)),
    ]


def _write_keep(
    pipeline: Pipeline, buffer: OutputBuffer, where: Timed, keep: Sequence[Timed]
) -> None:
    for index, write in enumerate(buffer.keep):
        lanes = keep[index * buffer.group : (index + 1) * buffer.group]
        _write(pipeline.m, write, _replica(where, f"keep{index}_row", *lanes), *lanes)


def _write_marks(pipeline: Pipeline, buffer: OutputBuffer, where: Timed, marks: Sequence[Timed]) -> None:
    size = buffer.group * buffer.marks
    for index, write in enumerate(buffer.mark):
        bits = marks[index * size : (index + 1) * size]
        _write(pipeline.m, write, _replica(where, f"marks{index}_row", *bits), *bits)
