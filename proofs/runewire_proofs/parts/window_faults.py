"""Faults of part `window`: of front and back ends, report, sidebands, records and byte order marks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from amaranth.hdl import Const, Value
from amaranth.utils import ceil_log2
from runewire_model import TranscoderParameters
from runewire_model.report import KIND_WIDTH
from runewire_rtl.compact.report import kept_error
from runewire_rtl.input.input_stage import enter_pipeline, kept_unless
from runewire_rtl.pipeline import Timed

from ..encodings import SPECIFICATIONS, fused
from ..encodings.options import option_mutants
from ..faults import Logic, Mutant, changed, never, step, tied
from .sideband_faults import entered, sideband_mutants

LOCATES = frozenset({
    "a sequence begins where its second byte is", "a unit that lacks a byte leaves the high surrogate alone",
    "what does not fit begins where it ends",
})
"""Mutants that only an offset tells from the sound core."""


def mutants(parameters: TranscoderParameters, built: Callable[[], object]) -> list[Mutant]:
    """Broken front ends and back ends, and broken reports. ``built`` describes the part, to find out whether a core
    without a report has what a fault breaks."""
    found = [
        *SPECIFICATIONS[parameters.source].source_mutants(parameters),
        *_target_mutants(parameters),
        *option_mutants(parameters),
        *sideband_mutants(parameters),
        entered("the last lane's keep is ignored", lambda beat: replace(
            beat, keep=[*beat.keep[:-1], Const(-1, len(beat.keep[-1]))])),
        *_mark_mutants(parameters),
        *_report_mutants(parameters),
    ]
    return [mutant for mutant in found if _shows(mutant, parameters, built)]


def _shows(mutant: Mutant, parameters: TranscoderParameters, built: Callable[[], object]) -> bool:
    """Whether what a mutant breaks is part of a core that reports less than all of an error, and can be seen there."""
    report = parameters.sidebands.report
    if report == "full":
        return True
    if mutant.title in LOCATES:
        return False
    if report != "none":
        return True
    # Without a report there are no faults, and of the source's rules only what units or counters need.
    try:
        with mutant.broken():
            built()
    except LookupError:
        return False
    return True


def _target_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    if parameters.target is None:
        return []
    if (pair := fused(parameters)) is not None:
        return pair.mutants(parameters)
    return SPECIFICATIONS[parameters.target].target_mutants(parameters)


def _report_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken reports of a packet's first error."""
    lanes, report = parameters.lanes, parameters.sidebands.report
    compact = parameters.pipeline == "compact"
    # Where nothing is wrong, a report has nothing to get wrong.
    wrong = report != "none" and (parameters.reads.wrong or (parameters.target is not None and parameters.narrows))
    found = []
    if wrong:
        found.append(tied("each beat counts as its packet's first", "report_begins", 1) if compact
                     else tied("a later error replaces the first", "error_seen", 0))
    if wrong and report == "full":
        title, change = "the offset is off by one in the second beat", _off_by_one(ceil_log2(lanes))
        found.append(_reported(title, change) if compact else step(title, "report", change))
    kinds = [error.kind for packet in parameters.reads.wrong if (error := parameters.reads.first_error(packet))]
    if kinds and report in ("kind", "full"):
        bit = min((kind & -kind).bit_length() - 1 for kind in kinds)
        found.append(step("an error's kind loses its lowest bit", rf"(nul_)?kind{bit}_l\d+", never))
    if wrong and lanes > 1 and report != "flag":
        found.append(step("the last faulty lane of a beat counts, not the first", r"first_of\d+_l\d+",
                          lambda first: lambda left, right: first(right, left)))
    if wrong and lanes > 1 and report == "flag":
        found.append(step("the last lanes of a beat have no errors", r"any_of\d+_\d+",
                          lambda some: lambda *flags: some(*flags[:-1])))
    return found


def _off_by_one(index_width: int) -> Callable[[Logic], Logic]:
    """The offset's lane, its lowest ``index_width`` bits, is wrong if the rest of the offset, the beat, is 1."""
    def change(report: Logic) -> Logic:
        def broken(*values: Value) -> Value:
            value = Value.cast(report(*values))
            offset, error = value[1 + KIND_WIDTH :], value[0]
            return value ^ ((error & (offset[index_width:] == 1)) << 1 + KIND_WIDTH)
        return broken
    return change


def _reported(title: str, change: Callable[[Logic], Logic]) -> Mutant:
    """Another report of a compact core."""
    def made(sound: Any) -> Any:
        def kept(*arguments: Any) -> Timed:
            error: Timed = sound(*arguments)
            return Timed(error.pipeline, error.step, change(lambda bits: bits)(error.at(error.step)), error.name)
        return kept
    return changed(title, kept_error, made)


def _mark_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ways to add a byte order mark."""
    if not parameters.mark:
        return []
    found = [
        tied("no beat goes before a packet", "packet_begins", 0),
        step("a mark has no place", r"mark_there\d+", lambda _: lambda flag, mark: flag),
        step("a mark is what stands in its place", r"mark_unit\d+",
             lambda unit: lambda made, mark: unit(made, mark & 0)),
    ]
    if parameters.lanes > 1 or parameters.reads.wrong:
        # A mark of one unit fills a beat of one lane, and an encoding without errors has nothing else to count.
        found.append(changed("what is offered counts with the mark before it", kept_unless,
                              lambda _: lambda keep, flag: keep))
    located = bool(parameters.reads.wrong) and parameters.sidebands.report == "full"
    if parameters.reads.byte_order_marks or located:
        found.append(changed("a mark counts as a packet's first beat", enter_pipeline, _without_marks))
    return found


def _without_marks(sound: Any) -> Any:
    """Text begins behind last beats alone."""
    def entered(pipeline: Any, *rest: Any, **options: Any) -> Any:
        pipeline.text_ends = None
        return sound(pipeline, *rest, **options)
    return entered
