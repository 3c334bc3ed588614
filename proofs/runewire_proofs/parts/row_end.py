"""End of a compact core, from items to its output: parts `row` and `rows` are cut from it, and share its faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from amaranth.hdl import Cat, Const, Signal, Value
from runewire_model import TranscoderParameters
from runewire_model.report import MARKS, TAGS
from runewire_rtl.compact.core import tail_of
from runewire_rtl.compact.packing import Arranged, beside_row

from ..faults import Mutant, changed
from ..feeding import End, build, free_beats, free_flags, free_items, free_tags
from ..ports import Ports
from .packing_faults import has_report


def packed_end(parameters: TranscoderParameters, width: int, ports: Ports, *, free: bool) -> dict[str, int]:
    """Describe the end of a compact core, and return the numbers that a harness needs. Beats, report and tag are free
    inputs at step 0; items and record flags too if they are ``free``, else they are zero."""
    facts: dict[str, int] = {}
    clean = parameters.target is None
    advance = Signal(name="advances")

    def tail(end: End, sound: Callable[[End], Arranged]) -> Arranged:
        pipeline, lanes = end.entry.pipeline, len(end.present)
        entry = free_tags(ports, end.entry)
        free_beats(ports, pipeline)
        note = ports.new("report", width)
        given, given_items, given_marks = (
            ports.new(name, bits) if free else Const(0, bits) for name, bits in
            (("present", lanes), ("data", lanes * width), ("marks", MARKS * lanes)))
        counted = Const(1) if parameters.in_place else pipeline.valid.at(0)

        def item(lane: int) -> Value:
            value = given_items.word_select(lane, width)
            # What passes through is zero where it is not kept.
            return value & given[lane].replicate(width) if clean else value

        told = pipeline.enter(note, "told")
        packed = sound(End(
            entry, end.output, free_flags(pipeline, given, end.present, counted),
            free_items(pipeline, item, end.items), None if end.report is None else lambda after: told,
            free_flags(pipeline, given_marks, end.marks)))
        offer = _stalled(ports, packed, advance)
        payload = end.output.payload
        _show(ports, width, payload, offer, has_report=end.report is not None)
        if free:
            ports.show("out_marks", payload.marks if end.marks else Const(0, MARKS * lanes))
        facts.update(LANES=lanes, STAGES=packed.timing.registers - 1)
        return packed

    build(ports, parameters, tail, advance=advance)
    tagged = parameters.sidebands.id + parameters.sidebands.dest > 0
    return {"WIDTH": width, "REPORTS": int(has_report(parameters)), "TAGS": int(tagged), **facts}


def _stalled(ports: Ports, packed: Arranged, advance: Signal) -> Signal:
    """The output's offer, which leaves when the input ``ready`` lets it; ``advance`` says that the pipeline moves."""
    offer, ready = Signal(name="row_offer"), Signal(name="row_ready")
    ports.m.d.comb += [offer.eq(packed.offer), ready.eq(~offer | ports.new("ready", 1))]
    if packed.row is not None:
        ports.m.d.comb += [packed.row.ready.eq(ready), packed.row.open.eq(1)]
    ports.m.d.comb += advance.eq(ready if packed.row is None else packed.row.advance)
    ports.show("advance", advance)
    return offer


def _show(ports: Ports, width: int, payload: Any, offer: Signal, *, has_report: bool) -> None:
    """The output, in ``width`` bits an item and as many of the report."""
    members = payload.shape().members
    tags = [payload[name] for name in TAGS if name in members]
    ports.show("offer", offer)
    ports.show("out_last", payload.last)
    ports.show("out_keep", payload.keep)
    ports.show("out_data", Cat(Value.cast(item)[:width] for item in payload.data))
    ports.show("out_report", Value.cast(payload.report)[:width] if has_report else Const(0, width))
    ports.show("out_tag", Value.cast(Cat(tags))[0] if tags else Const(0, 1))


def end_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ends, of whatever rows."""
    found = [changed("the report comes with every row", beside_row, lambda sound:
                      lambda entry, output, report, step, last, **options: sound(
                          entry, output, report, step, Const(1), **options))]
    if parameters.sidebands.early:
        found = [changed("the error bit comes with the last row alone", beside_row, lambda sound:
                         lambda entry, *operands: sound(replace(entry, early=False), *operands))]
    return [*(found if has_report(parameters) else []), _offered("a row is offered without a beat", 1),
            _offered("no row is offered", 0)]


def _offered(title: str, value: int) -> Mutant:
    """A row is always offered, or never."""
    def change(sound: Callable[..., Callable[..., Arranged]]) -> Callable[..., Callable[..., Arranged]]:
        def tail(parameters: TranscoderParameters) -> Callable[..., Arranged]:
            return lambda *parts, **marks: replace(sound(parameters)(*parts, **marks), offer=Const(value))
        return tail
    return changed(title, tail_of, change)
