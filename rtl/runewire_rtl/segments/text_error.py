"""First error of a text in segments, from the first error of each segment.

The text ``61 E2 82``, ``AC FF``, ``FF``, of which each packet reports the first error so far:

    segment sent on    61        E2 82 AC FF     FF
    begins at          0         1               5
    its first error    -         FF at 3         FF at 0
    the text's         -         FF at 4         FF at 4
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Mux, Signal, Value
from runewire_model.report import Sidebands

from ..cut_points import cut_point
from ..input.input_stage import InputStage
from ..pipeline import Pipeline, Timed, stage
from ..pipeline.gates import cleared, emptied
from ..report.packet_counters import CHUNK, number
from ..stream_shapes import KIND_WIDTH
from .context import Context, Forgetting, Uses

FOUND = 1 + KIND_WIDTH
"""Bits of a report below the offset."""


def text_error(entry: InputStage, report: Timed, sidebands: Sidebands, forgetting: Forgetting) -> Timed:
    """The text's first error by each packet's end, from the packet's own ``report``; zero at any other beat. With
    ``early`` the lowest bit is valid at every beat: whether the text has an error so far."""
    beyond = None
    if sidebands.report == "full":
        report, beyond = _from_text_start(entry, report, sidebands, forgetting)
    return _first(entry, report, beyond, sidebands, forgetting)


def flow(entry: InputStage, sidebands: Sidebands) -> Timed | None:
    """The flow's number; None with a single flow."""
    bits = sidebands.flow_bits
    return entry.tags.part(0, bits) if entry.tags is not None and bits else None


def closes(entry: InputStage, sidebands: Sidebands, step: int) -> Timed:
    """Whether a beat is its text's last, at ``step`` or later."""
    assert entry.user is not None
    return entry.pipeline.step("text_closes", lambda last, user: last & ~user[sidebands.user], entry.pipeline.last,
                               entry.user, after=step - 1)


@cut_point
def from_text_start(start: Value, offset: Value, carried: Value) -> Value:
    """A chunk of an offset in a text, one bit wider. ``start``: of the packet's first unit in the text. ``offset``: in
    the packet. ``carried``: from the chunk below."""
    return (start + offset + carried)[: len(offset) + 1]


@cut_point
def earlier(before: Value, now: Value) -> Value:
    """The first of two reports: the one ``before``, if it has an error."""
    return Mux(before[0], before, now)


@cut_point
def early_bit(first: Value, last: Value) -> Value:
    """The text's first error on its packet's last beat, and its lowest bit on every beat."""
    # A constant of no bits has one in Amaranth.
    return Cat(first[0], emptied(first[1:], ~last)) if len(first) > 1 else first


@stage("text_offset")
def _from_text_start(entry: InputStage, report: Timed, sidebands: Sidebands,
                     forgetting: Forgetting) -> tuple[Timed, Timed]:
    """The offset of each packet's first error, counted from the text's start; and whether it does not fit.

    The text's units are counted in chunks, as in `runewire_rtl.report.packet_counters`. A chunk's count is a context.
    """
    pipe, width, size = entry.pipeline, sidebands.offset_bits, CHUNK * entry.pipeline.plan.value
    uses = Uses(begins(pipe), pipe.valid, pipe.last, flow(entry, sidebands))
    carry = number(pipe, "segment_units", entry.there.beat())
    closing = closes(entry, sidebands, max(carry.step, report.step))
    known, carried = closing.step, Timed(pipe, 0, Const(0, 1), "none")
    sums = []
    for low in range(0, width, size):
        name, bits = f"text_units{low}", min(size, width - low)
        count = Context(pipe, name, bits, uses, max(carry.step, known), forgetting)
        step = count.step
        total = Signal(max(bits, carry.shape.width) + 1, name=f"{name}_total")
        pipe.m.d.comb += total.eq(count.before.at(step) + carry.at(step))
        count.set(cleared(total[:bits], closing.at(step)))
        carry = pipe.step(f"{name}_carry", lambda total, bits=bits: total[bits:],
                          Timed(pipe, step, total, total.name))
        sum_ = pipe.step(f"text_offset{low}", from_text_start, _of_first(pipe, name, uses, count.before),
                         report.part(FOUND + low, bits), carried)
        sums.append(sum_.part(0, bits))
        carried = sum_.part(bits, 1)
    # The number does not fit.
    count = Context(pipe, "text_beyond", 1, uses, carry.step, forgetting)
    step = count.step
    count.set(cleared(count.before.at(step) | carry.at(step).any(), closing.at(step)))
    beyond = _of_first(pipe, "text_beyond", uses, count.before)
    return (pipe.step("text_report", lambda report, *sums: Cat(report[:FOUND], emptied(Cat(sums), ~report[0])),
                      report, *sums),
            pipe.step("text_offset_beyond", lambda report, beyond, carried: report[0] & (beyond | carried),
                      report, beyond, carried))


def begins(pipe: Pipeline) -> Timed:
    """Whether a beat is its packet's first."""
    step = pipe.state_step(1)
    ended = Signal(name="segment_ended", init=1, reset_less=True)
    with pipe.m.If(pipe.valid.at(step)):
        pipe.m.d.sync += ended.eq(pipe.last.at(step))
    return pipe.step("segment_begins", lambda valid, ended: valid & ended, pipe.valid,
                     Timed(pipe, step, ended, "segment_ended"))


def _of_first(pipe: Pipeline, name: str, uses: Uses, value: Timed) -> Timed:
    """The value of the packet's first beat."""
    assert uses.begins is not None
    step = value.step
    kept = Signal(value.shape.width, name=f"{name}_kept", reset_less=True)
    with pipe.m.If(uses.begins.at(step)):
        pipe.m.d.sync += kept.eq(value.at(step))
    return pipe.step(f"{name}_start", lambda begins, value, kept: Mux(begins, value, kept), uses.begins, value,
                     Timed(pipe, step, kept, f"{name}_kept"))


@stage("text_error")
def _first(entry: InputStage, report: Timed, beyond: Timed | None, sidebands: Sidebands,
           forgetting: Forgetting) -> Timed:
    """The text's first error: the one that an earlier packet found, otherwise the present packet's."""
    pipe = entry.pipeline
    width = report.shape.width
    context = Context(pipe, "text_error", width, Uses(None, pipe.last, pipe.last, flow(entry, sidebands)),
                      max(report.step, 2, 0 if beyond is None else beyond.step), forgetting)
    step = context.step
    closing = closes(entry, sidebands, step)
    first = Signal(width, name="text_error_now")
    before = context.before.at(step)
    now = report.at(step)
    if beyond is not None:
        now = Cat(now[:FOUND], now[FOUND:] | beyond.at(step).replicate(width - FOUND))
    pipe.m.d.comb += first.eq(earlier(before, now))
    # Resets: state and report then share one gate for each bit.
    context.set(emptied(first, closing.at(step)))
    return pipe.step("text_first", early_bit if sidebands.early else lambda first, last: emptied(first, ~last),
                     Timed(pipe, step, first, "text_error_now"), pipe.last)
