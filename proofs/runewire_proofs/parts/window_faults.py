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
from runewire_rtl.input_stage import enter_pipeline, kept_unless
from runewire_rtl.pipeline import Timed

from ..encodings import PAIRS, SPECIFICATIONS
from ..faults import Logic, Mutant, changed, never, step, tied

__all__ = ["mutants"]

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
        *_sideband_mutants(parameters),
        *_record_mutants(parameters),
        _entered("the last lane's keep is ignored", lambda beat: replace(
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
    if parameters.fused is not None:
        return PAIRS[parameters.source, parameters.target].mutants(parameters)
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
        found.append(step("an error's kind loses its lowest bit", rf"kind{bit}_l\d+", never))
    if wrong and lanes > 1 and report != "flag":
        found.append(step("the last faulty lane of a beat counts, not the first", r"first_of\d+_l\d+",
                          lambda first: lambda left, right: first(right, left)))
    if wrong and lanes > 1 and report == "flag":
        found.append(step("the last lanes of a beat have no errors", r"any_of\d+_\d+",
                          lambda some: lambda *flags: some(*flags[:-1])))
    return found


def _off_by_one(index_width: int) -> Callable[[Logic], Logic]:
    """An offset of another lane where that of the beat is 1; its lowest ``index_width`` bits are the lane's."""
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
        # The mark stands for all of a beat of one unit, and of one that is never wrong nothing else counts.
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


def _entered(title: str, change: Callable[[Any], Any]) -> Mutant:
    """Another beat than the one that enters the pipeline."""
    return changed(title, enter_pipeline, lambda sound: lambda pipeline, data, beat, *rest, **options:
                    sound(pipeline, data, change(beat), *rest, **options))


def _lost(name: str) -> Mutant:
    """A sideband of the input is zero."""
    return _entered(f"{name} is lost", lambda beat: replace(beat, beside={
        side: Const(0, len(value)) if side == name else value for side, value in beat.beside.items()}))


def _sideband_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken sidebands and counters."""
    sidebands, found = parameters.sidebands, []
    if sidebands.user:
        found.append(_lost("user"))
    # In a compact core they go straight to the output's row.
    if sidebands.user and parameters.pipeline != "compact":
        found.append(step("user bits come with every beat", "user", lambda _: lambda user, last: user))
        if sidebands.report != "none":
            found.append(step("what came in as bad goes out as good", "bad", lambda _: lambda report, user: report))
    found += [_lost(name) for name in ("id", "dest") if getattr(sidebands, name)]
    if "replacements" in sidebands.count and parameters.reads.wrong:
        found.append(step("ill-formed subparts do not count", r"ill_formed_l\d+", never))
    if "utf16-units" in sidebands.count and parameters.reads.greatest > 0xFFFF:
        found.append(step("a pair counts as one unit", r"beyond_bmp_l\d+", never))
    return found


def _record_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken flags of records."""
    if parameters.sidebands.records is None or not parameters.reads.wrong:
        return []
    alone = "a beat knows nothing of those before"
    found = [
        _ends("the delimiter ends no record", lambda ends, low, high, there, final: final),
        _ends("any byte with the delimiter's lower half ends a record",
              lambda ends, low, high, there, final: ends(low, low | 1, there, final)),
        step("the packet's last byte ends no record", r"final_l\d+", never),
        step("a record that ends is always good", r"bad_l\d+", never),
        step("what goes on into the next beat is forgotten", "rest", never),
        # Where registers are few, the flag and what each lane sees of it are one.
        step(alone, r"open_bad_l\d+", never) if parameters.pipeline == "compact" else tied(alone, "open_bad", 0),
    ]
    if parameters.lanes > 1:
        found += [
            step("a record is ill-formed for what was in the one before", r"bad_l\d+",
                 lambda _: lambda end, after, before, *begun: end & (after | before)),
            step("a record does not reach back over lanes", r"so_far\d+_l\d+",
                 lambda _: lambda own, cut, whole: own),
        ]
    return found


def _ends(title: str, broken: Logic) -> Mutant:
    """Another end of records. UTF-8 has a step of that name too, where sequences end, of two operands."""
    return step(title, r"ends_l\d+", lambda ends: lambda *operands:
                broken(ends, *operands) if len(operands) > 2 else ends(*operands))
