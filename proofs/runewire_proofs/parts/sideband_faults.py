"""Faults of what goes with the units through part `window`: sidebands, counters and record flags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from amaranth.hdl import Const
from runewire_model import TranscoderParameters
from runewire_rtl.input.input_stage import enter_pipeline

from ..faults import Logic, Mutant, changed, never, step, tied


def entered(title: str, change: Callable[[Any], Any]) -> Mutant:
    """Another beat than the one that enters the pipeline."""
    return changed(title, enter_pipeline, lambda sound: lambda pipeline, data, arrival, *rest, **options:
                    sound(pipeline, data, replace(arrival, beat=change(arrival.beat)), *rest, **options))


def _lost(name: str) -> Mutant:
    """A sideband of the input is zero."""
    return entered(f"{name} is lost", lambda beat: replace(beat, beside={
        side: Const(0, len(value)) if side == name else value for side, value in beat.beside.items()}))


def sideband_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken sidebands, counters and record flags."""
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
    return [*found, *_record_mutants(parameters)]


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
