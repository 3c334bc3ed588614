"""UTF-8 to well-formed UTF-8 in one slot a byte: its specification, and what must be refuted."""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..breaking import Mutant, never, step, tied
from .base import Fused

__all__ = ["UTF8_TO_UTF8"]


AHEAD = 3
"""A lead byte and the last of four."""


def _mutants(parameters: TranscoderParameters) -> list[Mutant]:
    found = [
        *(step(f"the byte {size - 1} before the last of a sequence is no part of it",
               rf"completes_from{size}_l\d+", never) for size in (2, 3, 4)),
        step("any two continuation bytes have a lead byte three before the last", r"completes_from4_l\d+",
             lambda _: lambda complete, reach: complete),
    ]
    if parameters.errors == "drop":
        found.append(step("what is dropped leaves its bytes", r"octet_stays_l\d+", lambda _: lambda keep, whole: keep))
    else:
        found += [
            step("nothing stands for what is ill-formed", r"octet_there_l\d+",
                 lambda _: lambda keep, whole, joined: keep & whole),
            step("each byte of what is ill-formed is replaced", r"octet_there_l\d+",
                 lambda _: lambda keep, whole, joined: keep),
            step("what is ill-formed stands for itself", r"octet_l\d+", lambda _: lambda byte, whole: byte),
        ]
    if parameters.bom == "strip":
        found.append(step("the byte order mark's first two bytes stay", r"unmarked_l\d+",
                          lambda unmarked: lambda keep, mark, *earlier: unmarked(keep, mark, mark, mark)))
    if parameters.lanes < AHEAD:
        found.append(tied("a packet's last beats wait for the next packet", "line1_whole", 0))
    return found


UTF8_TO_UTF8 = Fused("utf8_to_utf8_target.v", _mutants, ahead=AHEAD)
