"""UTF-8 to UTF-16 in one slot a byte: its serial specification, and the faults that a proof must refute."""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..faults import Mutant, always, never, step
from .base import Fused


def _mutants(parameters: TranscoderParameters) -> list[Mutant]:
    return [
        step("no pairs", r"fourth_l\d+", never),
        step("any two continuation bytes end a pair", r"fourth_l\d+", lambda _: lambda last4, second: last4),
        step("no high surrogates", r"ends_l\d+",
             lambda ends: lambda keep, joined, third: ends(keep, joined, third & 0)),
        step("high surrogates lack their bits", r"unit_l\d+",
             lambda unit: lambda complete, third, *rest: unit(complete, third & 0, *rest)),
        step("high surrogates are those of another plane", r"plane_l\d+", always),
        step("low surrogates are scalars", r"unit_l\d+",
             lambda unit: lambda complete, third, fourth, *rest: unit(complete, third, fourth & 0, *rest)),
        step("what is ill-formed is ASCII", r"longer_l\d+", lambda _: lambda third, complete, tail: tail),
    ]


UTF8_TO_UTF16 = Fused("utf8_to_utf16_target.v", _mutants)
