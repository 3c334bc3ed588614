"""Records of a text in segments: a record continues over the segments of its flow.

The text ``61 FF 0A 62`` in three segments of one flow:

    segment               61    FF 0A    62, closes the text
    ends a record         -     0A       -
    it is ill-formed            yes
    under way after it    yes   no       yes
    tail                  -     -        yes, well-formed

The state of a flow has two bits: its record under way is ill-formed so far; it has a byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth.hdl import Cat, Mux, Signal
from runewire_model.report import Sidebands

from ..input.input_stage import InputStage
from ..pipeline import Timed, stage
from ..pipeline.gates import cleared
from ..splitting.trees import any_of
from .context import Context, Forgetting, Uses
from .text_error import begins, closes, flow


@dataclass(frozen=True)
class RecordContext:
    """``bad``: the record under way before the beat is ill-formed so far. ``tail``: two bits, zero except on a text's
    last beat: its last record has no delimiter, and is ill-formed."""

    bad: Timed
    tail: Timed


@stage("record_context")
def record_context(
    entry: InputStage, ends: Sequence[Timed], any_end: Timed, rest: Timed, sidebands: Sidebands, forgetting: Forgetting,
) -> RecordContext:
    """State of each flow's record. ``ends``: lanes with a delimiter. ``any_end``: there is one. ``rest``: the record
    that continues has an ill-formed subpart in this beat, after the last delimiter."""
    pipeline, there = entry.pipeline, entry.there
    lanes = len(ends)
    goes_on = [pipeline.step(f"goes_on_l{lane}", lambda there, ends, *behind: there & ~ends & ~Cat(behind).any(),
                             there[lane], ends[lane], *([there[lane + 1]] if lane + 1 < lanes else []))
               for lane in range(lanes)]
    opened, some = any_of(pipeline, "record_open", goes_on), there[0]
    uses = Uses(begins(pipeline), pipeline.valid, pipeline.last, flow(entry, sidebands))
    closing = closes(entry, sidebands, max(any_end.step, rest.step, opened.step))
    context = Context(pipeline, "record_state", 2, uses, closing.step, forgetting)
    step = context.step
    bad, under_way = context.before.at(step)
    after = Signal(2, name="record_state_after")
    pipeline.m.d.comb += after.eq(Cat(
        rest.at(step) | (bad & ~any_end.at(step)), Mux(some.at(step), opened.at(step), under_way)))
    context.set(cleared(after, closing.at(step)))
    tail = pipeline.step("tail", lambda after, closing: Cat(after[1] & closing, after.all() & closing),
                         Timed(pipeline, step, after, after.name), closing)
    return RecordContext(context.before.part(0, 1), tail)
