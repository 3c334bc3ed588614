"""UTF-8 to well-formed UTF-8 in one slot a byte: its serial specification, and the faults that a proof must refute."""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..faults import Mutant, never, step, tied
from .base import Fused

AHEAD = 3
"""A lead byte and the last of four."""


def _mutants(parameters: TranscoderParameters) -> list[Mutant]:
    found = [
        step("sequences lack their first two bytes", r"first_or_second_l\d+", never),
        step("sequences lack what is behind their second byte", r"third_or_fourth_l\d+", never),
        step("a lead byte of two needs a third", r"rest2_l\d+", lambda _: lambda lead2, rest3: rest3),
        step("a lead byte of three needs no third", r"rest3_l\d+",
             lambda _: lambda lead3, lead4, third, fourth: lead3 | (lead4 & third & fourth)),
        step("a lead byte of four needs no fourth", r"rest4_l\d+",
             lambda _: lambda lead4, third, fourth: lead4 & third),
    ]
    if parameters.errors == "drop":
        found.append(step("what is dropped leaves its bytes", r"octet_stays_l\d+", lambda _: lambda keep, *rest: keep))
    else:
        found += [
            step("nothing but sequences of several bytes stays", r"octet_there_l\d+",
                 lambda there: lambda keep, joined, *parts: there(keep, joined | ~joined, *parts)),
            step("each byte of what is ill-formed is replaced", r"octet_there_l\d+",
                 lambda _: lambda keep, *rest: keep),
            step("what is ill-formed stands for itself", r"octet_l\d+", lambda _: lambda byte, whole: byte),
        ]
    if parameters.bom == "strip":
        found.append(step("the byte order mark's first two bytes stay", r"unmarked_l\d+",
                          lambda unmarked: lambda keep, mark, *earlier: unmarked(keep, mark, mark, mark)))
    if parameters.lanes < AHEAD:
        found.append(tied("a packet's last beats wait for the next packet", "line1_whole", 0))
    return found


UTF8_TO_UTF8 = Fused("utf8_to_utf8_target.v", _mutants, ahead=AHEAD)
