"""UTF-16 to UTF-8 in three slots a unit: its serial specification, and the faults that a proof must refute."""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..faults import Mutant, always, never, step
from .base import Fused


def _mutants(parameters: TranscoderParameters) -> list[Mutant]:
    found = [
        step("a pair is its high surrogate and what is in the low one", r"pair_l\d+", never),
        step("every unit adds to the next", r"pair_l\d+", always),
        step("no unit is the first of two", r"leads_l\d+", never),
        step("a low surrogate has three bytes", r"unpaired3_l\d+", lambda _: lambda three, *rest: three),
        step("values up to 7FF get three bytes", r"needs3_l\d+", always),
        step("values up to 7F get two bytes", r"needs2_l\d+", always),
        step("values from 800 on get two bytes", r"present1_l\d+", never),
        step("sequences lack their second last byte", r"present2_l\d+", never),
        step("a pair is in another plane", r"upper_l\d+", lambda upper: lambda c: upper(c) - 1),
        step("the third of four bytes lacks the high surrogate's bits", r"byte2_l\d+",
             lambda second: lambda c, before, *rest: second(c, before & 0, *rest)),
        step("the first of four bytes is that of three", r"ones_l\d+", never),
    ]
    if parameters.errors == "replace":
        found += [
            step("a high surrogate and a unit that lacks a byte are two", r"gone_l\d+", never),
            step("a high surrogate without a low one is a first half", r"leads_l\d+", lambda _: lambda high, low: high),
            step("U+FFFD is what stood there", r"byte3_l\d+",
                 lambda last: lambda *values: last(*values[:-1], values[-1] & 0)),
        ]
    else:
        found.append(step("what is dropped leaves something", r"gone_l\d+", never))
    if parameters.bom == "strip":
        found.append(step("the byte order mark stays", r"mark_l\d+", never))
    return found


UTF16_TO_UTF8 = Fused("utf16_to_utf8_target.v", _mutants)
