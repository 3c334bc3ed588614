"""Output stage of a compact core: lanes of items to output beats, in place or dense.

Dense rows of four lanes. A packet's beats have 3, 4 and 3 items, A to K, the last of which ends it:

    cycle              0      1      2      3      4
    items              A B C  D-G    H I J  -      -
    row under way      -      ABC-   EFG-   IJ--   -      before the cycle, in registers of its own
    output                           ABCD   EFGH   IJ--
    pipeline waits                          yes           while the packet's second last row is shown

The second row of a last beat is the content of the row under way. The pipeline waits one cycle while that row moves to
the output.

Throughput: one beat per cycle while the sink is ready, and one more cycle for a packet whose last beat ends two rows.
Latency: the output's register is the pipeline's last.

Limits: lanes are a power of two. A beat ends at most two rows, and two only if it is its packet's last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Elaboratable, Module, Mux, Signal, Value
from runewire_model import CompactTiming
from runewire_model.report import TAGS

from ..cut_points import cut_point
from ..input.input_stage import InputStage
from ..packing.merging import merging
from ..packing.packing import Items, whole_rows
from ..pipeline import Pipeline, Timed, stage
from ..pipeline.gates import masked
from ..pipeline.register_roles import UNDER_WAY, role
from ..pipeline.stages import about, summary

Report = Callable[[int], Timed]
"""A packet's report, available with each of its beats at a step or later, directly after a register."""


@dataclass(frozen=True)
class Arranged:
    """The end of a compact core: ``offer`` says that it outputs a row; the row's register, if there is one; the
    timing."""

    offer: Value
    row: Row | None
    timing: CompactTiming


@stage("packing")
def in_place(
    entry: InputStage, output: Value, keep: Sequence[Timed], items: Items, report: Report | None,
    marks: Sequence[Timed] = (), *, clean: bool = False,
) -> Arranged:
    """One row for each beat, each item in its own lane: the output's register is the pipeline's last.

    ``marks``: record flags of each lane. ``clean``: items are zero in lanes that are not kept.
    """
    pipeline, payload = entry.pipeline, output.payload
    data = items(0)
    if not clean:
        data = [pipeline.step(f"masked_l{lane}", masked, item, keep[lane]) for lane, item in enumerate(data)]
    told, step = _told(pipeline, report, max(value.step for value in (*data, *keep, *marks)))
    m = pipeline.m
    m.d.comb += [
        *(Value.cast(payload.data[lane]).eq(item.at(step)) for lane, item in enumerate(data)),
        payload.keep.eq(Cat(bit.at(step) for bit in keep)), payload.last.eq(pipeline.last.at(step)),
    ]
    if marks:
        m.d.comb += payload.marks.eq(Cat(mark.at(step) for mark in marks))
    beside_row(entry, output, told, step, pipeline.last.at(step))
    return Arranged(pipeline.valid.at(step), None, _timing(entry, step))


@stage("packing")
def pack(
    entry: InputStage, output: Value, present: Sequence[Timed], items: Items, report: Report | None,
    slots: int = 1, used: int = 1,
) -> Arranged:
    """Rows without gaps: each full but a packet's last, which also comes when it is empty.

    ``slots``, ``used``: as in `runewire_rtl.packing.packing.pack`.
    """
    pipeline = entry.pipeline
    lanes = len(present)
    ways = merging(slots, used)(pipeline, present)
    whole, filled = whole_rows(pipeline, ways.ends)
    # The item of its last lane fills a row; that item never belongs to the next row.
    kept, wrapped = ways.kept(whole), ways.wrapped[:-1]
    here = [ways.present(lane) for lane in range(lanes - 1)]
    before = max(value.step for value in (filled, *wrapped, *(flag for flags in (*kept, *here) for flag in flags)))
    begin = ways.begin
    if pipeline.latency(before) > pipeline.latency(begin):
        # The items must wait for the row in any case. They wait before they are made, or between two multiplexers that
        # have room for both.
        begin = pipeline.before_register(begin)
    data = ways.route(items(begin), begin)
    before = max(before, *(value.step for value in data))
    told, step = _told(pipeline, report, before + 1)
    before = step - 1
    row = new_row(lanes, data[0].shape.width)
    pipeline.around.submodules.row = row
    m = pipeline.m
    m.d.comb += [
        row.filled.eq(filled.at(before)), row.ends.eq(pipeline.last.at(before)),
        row.items.eq(Cat(item.at(before) for item in data)),
        row.wrapped.eq(Cat(flag.at(before) for flag in wrapped)),
        *(port.eq(Cat(reduce(or_, (flag.at(before) for flag in flags)) for flags in lane_flags))
          for port, lane_flags in ((row.kept, kept), (row.present, here))),
    ]
    m.d.comb += [
        *(Value.cast(output.payload.data[lane]).eq(row.data.word_select(lane, data[0].shape.width))
          for lane in range(lanes)),
        output.payload.keep.eq(row.keep), output.payload.last.eq(row.last),
    ]
    beside_row(entry, output, told, step, row.last)
    return Arranged(row.offer, row, _timing(entry, step))


def _timing(entry: InputStage, step: int) -> CompactTiming:
    """The timing of a core whose output's register is at this step."""
    return CompactTiming(entry.lookahead, entry.latency - entry.lookahead + entry.pipeline.latency(step))


def _told(pipeline: Pipeline, report: Report | None, known: int) -> tuple[Timed | None, int]:
    """The report, and the step of the output's register: the first one directly after a register, at ``known`` or
    later."""
    step = pipeline.after_register(known)
    if report is None:
        return None, step
    told = report(step)
    return told, pipeline.after_register(max(told.step, step))


@cut_point
def beside_row(entry: InputStage, output: Value, told: Timed | None, step: int, last: Value) -> None:
    """Output the sidebands of a row at the step of the output's register: the report with its packet's ``last``; if
    the stage is early its lowest bit with every row."""
    m, payload = entry.pipeline.m, output.payload
    if told is not None and entry.early:
        report = told.at(step)
        m.d.comb += Value.cast(payload.report).eq(Cat(report[0], masked(report[1:], last)))
    elif told is not None:
        m.d.comb += Value.cast(payload.report).eq(masked(told.at(step), last))
    tags = [payload[name] for name in TAGS if name in payload.shape().members]
    if entry.tags is not None:
        m.d.comb += Cat(tags).eq(entry.tags.at(step))


@cut_point
def new_row(lanes: int, width: int) -> Row:
    """The register of the output's row."""
    return Row(lanes, width)


class Row(Elaboratable):
    """The row that the output shows, and the items of the row under way.

    Of a beat. ``items``: in the lanes that are ``present``; ``wrapped`` marks items of the next row. Both flags exist
    for all lanes but the last. ``filled``: the beat fills a row. ``ends``: the beat ends its packet, with ``kept`` for
    its last row.
    ``open``: low forbids a second row. ``ready``: the row at the output, if there is one, leaves. ``advance``: the beat
    leaves the pipeline too.
    """

    def __init__(self, lanes: int, width: int) -> None:
        self.lanes = lanes
        # Signals created in a generator get no name from Amaranth, in any version of Python.
        self.filled, self.ends, self.ready, self.advance, self.open = (Signal() for _ in range(5))
        self.items = Signal(lanes * width)
        self.present, self.wrapped, self.kept = (Signal(bits) for bits in (lanes - 1, lanes - 1, lanes))
        self.offer, self.last = (Signal(reset_less=True) for _ in range(2))
        self.data, self.keep = (Signal(bits, reset_less=True) for bits in (lanes * width, lanes))

    @cut_point
    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "row", summary(Row))
        width = len(self.items) // self.lanes
        rest = Signal(name="rest", reset_less=True)
        rest_kept = Signal(self.lanes, name="rest_kept", reset_less=True)
        next_keep = Signal(self.lanes, name="next_keep")
        m.d.comb += [
            self.advance.eq(self.ready & ~rest),
            next_keep.eq(Mux(rest, rest_kept, self.kept | self.filled.replicate(self.lanes))),
        ]
        with m.If(self.advance):
            m.d.sync += rest_kept.eq(self.kept)
        with m.If(self.ready):
            m.d.sync += [
                rest.eq(self.filled & self.ends & ~rest & self.open), self.offer.eq(rest | self.filled | self.ends),
                self.last.eq(rest | (self.ends & ~self.filled)), self.keep.eq(next_keep),
            ]
        for lane in range(self.lanes):
            item = self.items.word_select(lane, width)
            if lane + 1 < self.lanes:
                under_way = Signal(width, name=f"under_way_l{lane}", reset_less=True, attrs=role(UNDER_WAY, lane))
                with m.If(self.advance & self.present[lane]):
                    m.d.sync += under_way.eq(item)
                item = Mux(rest | self.wrapped[lane], under_way, item)
            with m.If(self.ready):
                m.d.sync += self.data.word_select(lane, width).eq(masked(item, next_keep[lane]))
        return m
