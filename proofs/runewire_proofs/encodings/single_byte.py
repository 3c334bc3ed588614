"""Faults of encodings whose bytes are code points: ASCII and Latin-1."""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..faults import Mutant, never, step


def unit_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ways to write units of few bits."""
    found = [step("a unit's bits are lost", r"unit_l\d+", never)]
    if parameters.errors == "replace" and (parameters.narrows or parameters.reads.wrong):
        found.append(step("no question mark stands for what is no unit", r"unit_l\d+",
                          lambda unit: lambda scalar, replaced: unit(scalar, replaced & 0)))
    if not parameters.narrows:
        return found
    found += [
        step("what does not fit is no error", r"unfit_l\d+", never),
        step("what does not fit is taken for what does", r"above_l\d+", never),
        step("what does not fit has another kind", r"merged_kind0_l\d+", never),
    ]
    if parameters.errors == "drop":
        found.append(step("what does not fit leaves something", r"fits_l\d+",
                          lambda fits: lambda present, above: present))
    if parameters.reads.most_units > 1:
        found.append(step("what does not fit begins where it ends", r"merged_back0_l\d+",
                          lambda back: lambda faulty, *bits: back(faulty, *bits[:-1], bits[-1] & 0)))
    return found
