"""Faults of BOM-ordered sources: a packet's byte order mark gives the order of its bytes."""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..faults import Mutant, always, never, step, tied


def order_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ways to find the order."""
    found = [
        step("every packet is big-endian", r"in_order_l\d+", lambda turn: lambda unit, little: turn(unit, little & 0)),
        step("every packet is little-endian", r"in_order_l\d+",
             lambda turn: lambda unit, little: turn(unit, ~(little & 0))),
        step("a mark tells the order wherever it is", "begins", lambda _: lambda begun, whole, valid: whole & valid),
        step("a mark tells nothing", "swapped_mark0", never),
        tied("a beat knows nothing of the order of those before", "little", 0),
    ]
    if parameters.target is not None or parameters.reads.unit_bytes == 2:
        # In UTF-32 a unit that is almost a mark is an error, and a check sees nothing after it.
        found.append(step("a part of a mark tells the order", "swapped_mark0", always))
    return found
