"""First error of a text in segments, from the first error of each segment.

The text ``61 E2 82``, ``AC FF``, ``FF``, of which each packet reports the first error so far:

    segment sent on    61        E2 82 AC FF     FF
    begins at          0         1               5
    its first error    -         FF at 3         FF at 0
    the text's         -         FF at 4         FF at 4
"""

from __future__ import annotations

from amaranth.hdl import Cat, Mux, Signal, Value
from runewire_model.report import Sidebands

from ..cut_points import cut_point
from ..input.input_stage import InputStage
from ..pipeline import Timed, stage
from ..pipeline.gates import cleared, masked
from ..report.packet_counters import tally
from ..stream_shapes import KIND_WIDTH
from .context import Context, Forgetting, Uses

FOUND = 1 + KIND_WIDTH
"""Bits of a report below the offset."""


def text_error(entry: InputStage, report: Timed, sidebands: Sidebands, forgetting: Forgetting) -> Timed:
    """The text's first error by each packet's end, from the packet's own ``report``; zero at any other beat."""
    if sidebands.report == "full":
        size = tally(entry.pipeline, "segment_units", entry.there.beat(), sidebands.offset_bits)
        report = _from_text_start(entry, report, size, sidebands, forgetting)
    return _first(entry, report, sidebands, forgetting)


def _uses(entry: InputStage, sidebands: Sidebands) -> Uses:
    bits, last = sidebands.flow_bits, entry.pipeline.last
    return Uses(None, last, last, entry.tags.part(0, bits) if entry.tags is not None and bits else None)


def _closes(entry: InputStage, sidebands: Sidebands, step: int) -> Timed:
    assert entry.user is not None
    return entry.pipeline.step("text_closes", lambda last, user: last & ~user[sidebands.user], entry.pipeline.last,
                               entry.user, after=step - 1)


@cut_point
def from_text_start(start: Value, offset: Value) -> Value:
    """An offset from the text's start, one bit wider, of an offset in a packet whose first unit is at ``start``."""
    return (start + offset)[: len(offset) + 1]


@cut_point
def earlier(before: Value, now: Value) -> Value:
    """The first of two reports: the one ``before``, if it has an error."""
    return Mux(before[0], before, now)


@stage("text_offset")
def _from_text_start(entry: InputStage, report: Timed, size: Timed, sidebands: Sidebands, forgetting: Forgetting,
                     ) -> Timed:
    """The offset of each packet's first error, counted from the text's start."""
    pipe, width = entry.pipeline, sidebands.offset_bits
    context = Context(pipe, "text_units", width, _uses(entry, sidebands), max(size.step, 2), forgetting)
    step = context.step
    closes = _closes(entry, sidebands, step)
    so_far = Signal(width + 1, name="text_units_total")
    pipe.m.d.comb += so_far.eq(context.before.at(step) + size.at(step))
    context.set(cleared(so_far[:width] | so_far[width].replicate(width), closes.at(step)))
    offset = pipe.step("text_offset", lambda start, report: from_text_start(start, report[FOUND:]), context.before,
                       report)
    return pipe.step("text_report", lambda report, offset: Cat(
        report[:FOUND], masked(offset[:width] | offset[width].replicate(width), report[0])), report, offset)


@stage("text_error")
def _first(entry: InputStage, report: Timed, sidebands: Sidebands, forgetting: Forgetting) -> Timed:
    """The text's first error: the one that an earlier packet found, otherwise the present packet's."""
    pipe = entry.pipeline
    width = report.shape.width
    context = Context(pipe, "text_error", width, _uses(entry, sidebands), max(report.step, 2), forgetting)
    step = context.step
    closes = _closes(entry, sidebands, step)
    first = Signal(width, name="text_error_now")
    before = context.before.at(step)
    pipe.m.d.comb += first.eq(earlier(before, report.at(step)))
    context.set(cleared(first, closes.at(step)))
    return pipe.step("text_first", lambda first, last: masked(first, last), Timed(pipe, step, first, "text_error_now"),
                     pipe.last)
