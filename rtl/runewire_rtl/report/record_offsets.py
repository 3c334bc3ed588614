"""Offsets of a record report: which record of its packet is ill-formed, and where its first error begins.

Four lanes. The second beat ``0A E2 0A FF`` of the packet in `bad_records` has one turn, as one ill-formed record ends
in it:

    error shows in lane              1         E2, as no continuation byte follows
    records that end before it       1         in lane 0; 1 more in the beat before: the record is number 2
    the last of them ends in lane    0         so the record begins in lane 1
    offset                           1 - 1 = 0
    FF in lane 3                               its record continues: kind and offset are carried to the next beat

A record that began in an earlier beat has bytes before this one: the rest of the beat in which it began, and whole
beats. Its offset is a sum of lanes, with a carry into the number of beats.

Throughput: one turn per cycle.

Limits: an offset or a number that does not fit is all ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_

from amaranth.hdl import Cat, Const, Mux, Signal, Value
from runewire_model.report import PACKET_WIDTH

from ..packing.comparison import below
from ..pipeline import Pipeline, Timed, stage
from ..pipeline.gates import cleared
from ..segments.context import Forgetting, Uses
from ..splitting.aligning import Turn, same_slot
from ..splitting.trees import any_of, outermost, place_of
from ..stream_shapes import KIND_WIDTH
from .packet_counters import number as flag_number
from .record_counters import Update, counter, packets, upper
from .turn_state import TurnsOfFlows, TurnState


@stage("record_offsets")
def locate(turn: Turn, width: int, forgetting: Forgetting) -> tuple[Timed, Timed]:
    """Each turn's ill-formed record: its number and offset, which have ``width`` bits, and its packet's number in whole
    bytes; and its kind.

    ``forgetting``: clears the contexts of a core with flows.
    """
    pipeline, fields = turn.pipeline, turn.fields
    flows = _of_flows(turn, forgetting)
    hits = [pipeline.step(f"error_hit_l{lane}", and_, marks.part(1, 1), hit)
            for lane, (marks, hit) in enumerate(zip(turn.marks, same_slot(turn), strict=True))]
    place = place_of(pipeline, "error_lane", hits)
    error = _selected(pipeline, hits, turn.entry.data.beat())
    before = below(pipeline, "before_error", place, len(hits)) if place else [
        pipeline.step("before_error_l0", lambda: Const(0, 1))]
    ended = [pipeline.step(f"ended_l{lane}", and_, marks.part(0, 1), flag)
             for lane, (marks, flag) in enumerate(zip(turn.marks, before, strict=True))]
    text_ends, anew = (pipeline.step(name, lambda leaves, *flags: leaves & Cat(flags).any(), turn.ends, *flags)
                       for name, flags in (("text_over", [fields["text_ends"]]),
                                           ("record_over", [fields["text_ends"], fields["any_end"]])))
    rises = pipeline.step("records_rise", lambda count, leaves: count & leaves.replicate(len(count)), fields["count"],
                          turn.ends)
    number = counter(pipeline, "record", Update(turn.ends, text_ends, rises),
                     flag_number(pipeline, "ended", ended), width, flows)
    offset = _offset(turn, (place, error.part(KIND_WIDTH, error.shape.width - KIND_WIDTH)), ended,
                     Update(turn.ends, anew, turn.ends), width, flows)
    kind, offset = _carried(turn, any_of(pipeline, "error", hits), error.part(0, KIND_WIDTH), offset, flows)
    packet = packets(pipeline, pipeline.step(
        "packet_over", and_, turn.ends, fields.get("packet_ends", fields["text_ends"])), PACKET_WIDTH)
    whole = pipeline.step("record", lambda sum: sum[:-1] | sum[-1].replicate(width), number)
    parts = (whole, offset, packet)
    step = max(part.step for part in parts)
    numbers = Cat(part.at(step) for part in parts)
    return Timed(pipeline, step, Cat(numbers, Const(0, -len(numbers) % 8)), "bad_record"), kind


def _selected(pipeline: Pipeline, hits: Sequence[Timed], values: Sequence[Timed]) -> Timed:
    """The value of the lane that is hit; zero without one."""
    def either(*pairs: Value) -> Value:
        found = Const(0)
        for hit, value in zip(pairs[::2], pairs[1::2], strict=True):
            found = found | (value & hit.replicate(len(value)))
        return found

    bits = values[0].shape.width
    chosen = [pipeline.step(f"error_of_l{lane}", either, *(
        each for pair in zip(hits[lane : lane + 2], values[lane : lane + 2], strict=True) for each in pair))
        for lane in range(0, len(hits), 2)]
    found = [any_of(pipeline, f"error_bit{bit}", [value.part(bit, 1) for value in chosen]) for bit in range(bits)]
    step = max(bit.step for bit in found)
    return Timed(pipeline, step, Cat(bit.at(step) for bit in found), "error")


def _of_flows(turn: Turn, forgetting: Forgetting) -> TurnsOfFlows | None:
    """The turns that use contexts; None in a core without flows."""
    pipeline, fields = turn.pipeline, turn.fields
    if turn.takes is None:
        return None
    begins = pipeline.step("packet_begins", lambda *flags: reduce(and_, flags), turn.takes, turn.first,
                           fields["begins"])
    ends = pipeline.step("flow_leaves", and_, turn.ends, fields["packet_ends"])
    return TurnsOfFlows(Uses(begins, turn.takes, ends, fields.get("flow")), forgetting)


def _offset(turn: Turn, error: tuple[Sequence[Timed], Timed], ended: Sequence[Timed], update: Update,
            width: int, flows: TurnsOfFlows | None) -> Timed:
    """The offset of an error in its record. ``error``: the lane in which it shows, and the distance to its start;
    ``ended``: the lanes before it in which records end; ``update``: of the whole beats of the record under way."""
    pipeline = turn.pipeline
    place, back = error
    bits = len(place)
    here, start = outermost(pipeline, "start", ended, highest=True)
    bytes_before, update = (_bytes_before(turn, update, bits) if flows is None else
                            _units_before(turn, update, bits, flows))

    def low(here: Value, rest: Value, *numbers: Value) -> Value:
        return Mux(here, ~Cat(numbers), rest)

    base = pipeline.step("base", low, here, bytes_before, *start)
    shown = pipeline.step("shown", lambda base, *place: base + Cat(place), base, *place)
    begins = pipeline.step("begins", lambda shown, back: shown - back, shown, back)
    carry = pipeline.step("begins_beats", lambda begins: upper(begins, bits), begins)
    beats = counter(pipeline, "beats", update, carry, width - bits, flows)

    def joined(begins: Value, beats: Value, here: Value) -> Value:
        beyond = beats[-1] & ~here
        high = (beats[:-1] & (~here).replicate(len(beats) - 1)) | beyond.replicate(len(beats) - 1)
        return Cat(begins[:bits] | beyond.replicate(bits), high)

    return pipeline.step("offset", joined, begins, beats, here)


def _bytes_before(turn: Turn, update: Update, bits: int) -> tuple[Timed, Update]:
    """The bytes that a record under way has in the beat in which it began; and the update of its whole beats."""
    last_end = turn.fields["last_end"]
    state = TurnState(turn.pipeline, {"bytes_before": bits}, None, last_end, update.clears)
    step = state.step
    state.set(update.clears.at(step), cleared(~last_end.at(step), turn.fields["text_ends"].at(step)),
              resets=bool(bits))
    return state.part(0, "bytes_before"), update


def _units_before(turn: Turn, update: Update, bits: int, flows: TurnsOfFlows) -> tuple[Timed, Update]:
    """The same with flows, whose segments end with beats that are not full: the units of the record under way, as many
    bits as a lane's number has; and the update of the rest, which rises by their carry."""
    pipeline, fields = turn.pipeline, turn.fields
    units, any_end, last_end, text_ends = (fields[name] for name in ("units", "any_end", "last_end", "text_ends"))
    if not bits:
        rises = pipeline.step("unit_rises", and_, units, update.leaves)
        return Timed(pipeline, 0, Const(0, 0), "none"), Update(update.leaves, update.clears, rises)
    state = TurnState(pipeline, {"units_before": bits}, flows, units, any_end, last_end, text_ends, update.leaves)
    step, (now,) = state.step, state.now
    total = Signal(bits + 1, name="units_after")
    pipeline.m.d.comb += total.eq(now + units.at(step))
    after_end = (units.at(step) + ~last_end.at(step))[:bits]
    state.set(update.leaves.at(step), cleared(Mux(any_end.at(step), after_end, total[:bits]), text_ends.at(step)))
    rises = pipeline.step("units_rise", lambda total, leaves: total[-1] & leaves,
                          Timed(pipeline, step, total, "units_after"), update.leaves)
    return state.part(0, "units_before"), Update(update.leaves, update.clears, rises)


def _carried(turn: Turn, found: Timed, kind: Timed, offset: Timed,
             flows: TurnsOfFlows | None) -> tuple[Timed, Timed]:
    """Kind and offset of a turn's record: of an earlier beat, if the record has an error there. ``found``: the turn has
    an error in its beat, with this kind and offset."""
    pipeline, fields = turn.pipeline, turn.fields
    state = TurnState(pipeline, {"carried_bad": 1}, flows, found)
    step, (bad,) = state.step, state.now
    names = ("text_ends", "any_end", "rest")
    over, any_end, rest = (fields[name].at(step) for name in names)
    leaves = turn.ends.at(step)
    state.set(leaves, ~over & Mux(any_end, rest, bad | found.at(step)))
    before = state.part(0, "carried_bad")
    use = pipeline.step("uses_carried", and_, turn.first, before)
    load = pipeline.step("loads_carried", lambda leaves, end, bad: leaves & (end | ~bad), turn.ends, fields["any_end"],
                         before)
    values = [kind, offset, fields["rest_kind"], fields["rest_offset"]]
    state = TurnState(pipeline, {"carried": KIND_WIDTH + offset.shape.width}, flows, use, load, *values)
    step = state.step
    own = Cat(kind.at(step), offset.at(step))
    later = Cat(fields["rest_kind"].at(step), fields["rest_offset"].at(step))
    state.set(load.at(step), Mux(fields["any_end"].at(step), later, own), resets=False)
    chosen = pipeline.step("error_of_record", lambda use, carried, kind, offset: Mux(use, carried, Cat(kind, offset)),
                           use, state.part(0, "carried"), kind, offset)
    return chosen.part(0, KIND_WIDTH), chosen.part(KIND_WIDTH, offset.shape.width)
