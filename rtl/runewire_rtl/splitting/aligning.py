"""Aligning: the bytes of each row, from its beat and the one before, moved to lane 0.

Four lanes. The record ``62 63 64 65 66 0A`` began in lane 2 of the beat before:

    lane                   0    1    2    3
    the beat before        61   0A   62   63
    beat                   64   65   66   0A
    chosen                 64   65   62   63    lanes from the start on: from the beat before
    moved by two           62   63   64   65
    the record's last      66   0A   -    -     in its next turn: from the beat alone, two bytes

Every lane moves by the same distance, the lane in which the record began. So a row takes one multiplexer for each bit
of that number.

Throughput: one row per cycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import and_
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from runewire_model.report import TAGS, Sidebands

from ..cut_points import cut_point
from ..input.input_stage import InputStage
from ..packing.comparison import below
from ..pipeline import BeatFlags, Broadcast, Lanes, Pipeline, Plan, Timed, stage
from ..pipeline.layout_policy import Policy
from ..pipeline.register_roles import ACCEPTED, role
from ..pipeline.restart import Restart, replica
from ..pipeline.stages import Stage, summary
from .finding import number_bits
from .trees import any_of, place_of
from .turns import Turns


@dataclass(frozen=True)
class Turn:
    """A turn at step 0 of its pipeline: the values of `Turns`, and the beat's of `finding.Found`. ``takes``: there is
    a turn, with a row or without; None without flows, whose beats have a field ``begins``."""

    entry: InputStage
    first: Timed
    ends: Timed
    slot: Timed
    marks: Sequence[Timed]
    fields: dict[str, Timed]
    takes: Timed | None = None

    @property
    def pipeline(self) -> Pipeline:
        return self.entry.pipeline


@dataclass(frozen=True)
class Row:
    """A row: its bytes from lane 0 on, which lanes have one, and what comes with it at the record's end."""

    data: list[Timed]
    keep: Sequence[Timed]
    report: Timed | None


def enter(
    m: Module, row: Any, turns: Turns, plan: Plan, restart: Restart, policy: Policy, late: int = 0,
) -> Turn:
    """The turns of a stream of beats, each in registers. ``late``: cycles by which the bytes and marks of a beat come
    after the rest of it."""
    entry = Stage(m, "turn", summary(enter))
    payload = row.payload

    def held(name: str, value: Value) -> Signal:
        register = Signal(len(value), name=f"turn_{name}", reset_less=True)
        entry.add("sync", register.eq(value))
        return register

    def waited(name: str, value: Value) -> Value:
        for cycle in range(late):
            value = held(f"{name}_late{cycle}", value)
        return value

    accepted = held("row", turns.has_row)
    accepted.attrs.update(role(ACCEPTED))
    pipeline = Pipeline(m, plan, BeatFlags(waited("row", accepted), Const(0)), restart=restart, entry=entry,
                        policy=policy)

    def entered(name: str, value: Value, late: bool = False) -> Timed:
        register = held(name, Value.cast(value))
        return pipeline.enter(register if late else waited(name, register), name)

    lanes = len(payload.data)
    size = len(payload.marks) // lanes
    data = [entered(f"data_l{lane}", payload.data[lane], late=True) for lane in range(lanes)]
    members = payload.shape().members
    tags = [payload[name] for name in TAGS if name in members]
    stage = InputStage(
        pipeline, Lanes(pipeline, "data", data, lanes), Lanes(pipeline, "keep", [], lanes), accepted, 1 + late, 0,
        tags=entered("tags", Cat(tags)) if tags else None)
    fields = {name: entered(name, payload.report[name]) for name in members["report"].members}
    return Turn(stage, entered("first", turns.first), entered("ends", turns.ends),
                entered("slot", turns.slot),
                [entered(f"marks_l{lane}", payload.marks[size * lane : size * (lane + 1)], late=True)
                 for lane in range(lanes)],
                fields, entered("takes", turns.takes) if "begins" in fields else None)


@stage("aligning")
def align(turn: Turn, sidebands: Sidebands) -> Row:
    """The row of each turn: the bytes of one record, from lane 0 on."""
    pipeline, fields, lanes = turn.pipeline, turn.fields, turn.entry.data.width
    keeps = sidebands.delimiter == "keep"
    slots, starts = _hits(turn)
    any_slot, any_start = any_of(pipeline, "any_slot", slots), any_of(pipeline, "any_start", starts)
    bits = number_bits(lanes)
    ends = _placed(pipeline, "end", slots, any_slot, fields["end"])
    begin = _placed(pipeline, "begin", starts, any_start, fields["start"])
    before = pipeline.step("before", lambda first, begun, some: first & begun & ~some, turn.first, fields["begun"],
                           any_start)
    size = pipeline.step("size", lambda *bits_of: (Cat(bits_of[:bits]) - Cat(bits_of[bits:]) + int(keeps))[:bits],
                         *ends, *begin)
    whole = _whole(pipeline, fields["full"], turn.first, size, None if keeps else (before, any_slot))
    keep = [whole] if not bits else below(pipeline, "kept", size.parts(1), lanes, whole)
    return Row(_moved(pipeline, _chosen(turn, before), begin), keep, _report(turn, sidebands))


def _placed(pipeline: Pipeline, name: str, flags: Sequence[Timed], some: Timed, other: Timed) -> list[Timed]:
    """The lane of the flag that is set, or ``other`` without one."""
    return [pipeline.step(f"{name}_bit{at}", lambda place, other, some: place | (other & ~some), place, bit, some)
            for at, (place, bit) in enumerate(zip(place_of(pipeline, name, flags), _bits(other), strict=True))]


def _bits(value: Timed) -> list[Timed]:
    return value.parts(1) if value.shape.width else []


def _hits(turn: Turn) -> tuple[list[Timed], list[Timed]]:
    """The lane whose slot ends the turn's row, and the lane in which its record begins, if they are in the beat."""
    pipeline = turn.pipeline
    slots: list[Timed] = []
    starts: list[Timed] = []
    for lane, (marks, hit) in enumerate(zip(turn.marks, same_slot(turn), strict=True)):
        slots.append(pipeline.step(f"slot_hit_l{lane}", and_, marks.part(0, 1), hit))
        starts.append(pipeline.step(f"start_hit_l{lane}", and_, marks.part(1, 1), hit))
    return slots, starts


def same_slot(turn: Turn) -> Iterator[Timed]:
    """For each lane whether its number, above its two lowest marks, is the turn's slot."""
    pipeline, lanes = turn.pipeline, turn.entry.data.width
    bits = number_bits(lanes)
    width = turn.slot.shape.width
    numbers = Broadcast("turn_slot", turn.slot, lanes, tree=True)
    for lane, marks in enumerate(turn.marks):
        parts = []
        for low in range(0, width, 2):
            high = min(low + 2, width)

            def same(marks: Value, number: Value, low: int = low, high: int = high) -> Value:
                own = Cat(marks[2 + min(low, bits) : 2 + min(high, bits)])
                return number[low:high] == own

            parts.append(pipeline.step(f"same{low}_l{lane}", same, marks, numbers[lane]))
        yield parts[0] if len(parts) == 1 else pipeline.step(f"same_l{lane}", lambda *same: Cat(same).all(), *parts)


def _whole(pipeline: Pipeline, full: Timed, first: Timed, size: Timed, other: tuple[Timed, Timed] | None) -> Timed:
    """Whether all lanes of a row have a byte. The size is modulo the lanes; if delimiters are dropped, a row may have
    no byte: ``other`` tells whether its bytes begin in the beat before, and whether a delimiter ends it."""
    goes_on = pipeline.step("goes_on", lambda full, first: full & first, full, first)
    if other is None:
        return pipeline.step("whole", lambda on, size: on | ~size.any(), goes_on, size)
    some = pipeline.step("some_byte", lambda before, slot: before | ~slot, *other)
    return pipeline.step("whole", lambda on, size, some: on | (some & ~size.any()), goes_on, size, some)


def _chosen(turn: Turn, before: Timed) -> list[Timed]:
    """The bytes of the beat, and from the lane in which the record began those of the beat before, if it began
    there."""
    pipeline, data, lanes = turn.pipeline, turn.entry.data.beat(), turn.entry.data.width
    froms = Broadcast("before", before, lanes, tree=True)
    start = _bits(turn.fields["start"])
    low = below(pipeline, "inside", start, lanes) if start else [pipeline.step("inside_l0", lambda: Const(0, 1))]
    leaves = Broadcast("beat_ends", turn.ends, lanes, tree=True)
    chosen = []
    for lane, octet in enumerate(data):
        step = leaves[lane].step
        past = Signal(8, name=f"past_l{lane}", reset_less=True)
        with pipeline.m.If(leaves[lane].at(step)):
            pipeline.m.d.sync += past.eq(octet.at(step))
        older = Timed(pipeline, step, past, past.name)
        chosen.append(pipeline.step(
            f"chosen_l{lane}", lambda now, then, before, low: Mux(before & ~low, then, now), octet, older, froms[lane],
            low[lane]))
    return chosen


def _moved(pipeline: Pipeline, data: Sequence[Timed], begin: Sequence[Timed]) -> list[Timed]:
    """The bytes moved down by ``begin`` lanes, around the end: a step a bit."""
    lanes = len(data)
    for at, bit in enumerate(begin):
        far = Broadcast(f"moves_bit{at}", bit, lanes, tree=True)
        data = [pipeline.step(f"moved{1 << at}_l{lane}", lambda far, near, away: Mux(far, away, near), far[lane],
                              data[lane], data[(lane + (1 << at)) % lanes]) for lane in range(lanes)]
    return list(data)


@cut_point
def last_of(goes_on: Value) -> Value:
    """Whether a row is its record's last; ``goes_on``: the record continues after it."""
    return ~goes_on


def _report(turn: Turn, sidebands: Sidebands) -> Timed | None:
    """What leaves with a record's last row: the packet's ``user``, if it is the packet's last record; and whether the
    record is cut there. Also says which rows are last."""
    pipeline, fields = turn.pipeline, turn.fields
    last = pipeline.step("record_ends", lambda full, first: last_of(full & first), fields["full"], turn.first)
    parts = []
    if "user" in fields:
        tells = pipeline.step("user_leaves", lambda ends, tells: ends & tells, turn.ends, fields["tells"])
        parts.append(pipeline.step("user_of", lambda user, tells: user & tells.replicate(len(user)), fields["user"],
                                   tells))
    if sidebands.longest is not None:
        cut = pipeline.step("cut", lambda rows, last: rows & ~last, _nth_row(pipeline, last, sidebands.longest
                                                                             // turn.entry.data.width), last)
        last = pipeline.step("packet_ends", lambda last, cut: last | cut, last, cut)
        parts.append(cut)
    pipeline.last = pipeline.step("row_ends", lambda last, valid: last & valid, last, pipeline.valid)
    if not parts:
        return None
    step = max(part.step for part in parts)
    return Timed(pipeline, step, Cat(part.at(step) for part in parts), "report")


def _nth_row(pipeline: Pipeline, last: Timed, rows: int) -> Timed:
    """Whether a row is the ``rows``-th, a power of two, of its record, or of the rest of one that was cut."""
    width = (rows - 1).bit_length()
    if not width:
        return pipeline.step("nth_row", lambda: Const(1, 1))
    step = pipeline.state_step(last.step)
    count = Signal(width, name="rows_of_record", reset_less=True)
    with pipeline.m.If(pipeline.valid.at(step)):
        pipeline.m.d.sync += count.eq(Mux(last.at(step), 0, count + 1))
    with pipeline.m.If(replica(pipeline.m, pipeline.restart.clear, "rows_of_record_clear")):
        pipeline.m.d.sync += count.eq(0)
    before = Timed(pipeline, step, count, count.name)
    flags = [pipeline.step(f"nth_row_bits{low}", lambda bits, low=low: bits[low : low + 4].all(), before)
             for low in range(0, width, 4)]
    return pipeline.step("nth_row", lambda *flags: Cat(flags).all(), *flags)
