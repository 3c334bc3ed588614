"""Part `rows`: from items to the output of a compact core, which stalls."""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..encodings.options import early_rows
from ..faults import Mutant, step
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against
from . import placement, row
from .row_end import end_mutants, packed_end

ITEMS = 4
"""Items per beat of the widest core with dense rows that is proven at once. With more the engine takes long; parts
`placement` and `row` prove the same of any. Rows in place are proven at any width."""


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: each item is in its lane and row; rows are output in order, none lost or repeated, as soon as earlier rows
    permit; ``valid`` stays high until the handshake; the pipeline waits for nothing else. Items and reports have one
    bit."""
    if not parameters.in_place and parameters.lanes * parameters.slots > ITEMS:
        return None

    compared = against("rows", "rows_out", cut=lambda: _cut(parameters, 1),
                       changes=early_rows(parameters, "rows.v", "rows_out.v"))
    return Proof("rows", INDUCTIVE, ["pdr"], compared, mutants(parameters))


def _cut(parameters: TranscoderParameters, width: int) -> Cut:
    """The end of the core: as in part `packing` beats, items and all that goes with them are free inputs, at step 0.
    They count in a cycle of ``advance``."""
    ports = Ports()
    facts = packed_end(parameters, width, ports, free=True)
    slots, used = (1, 1) if parameters.in_place else (parameters.slots, parameters.used_slots)
    return ports.cut(IN_PLACE=int(parameters.in_place), MARKS=int(parameters.sidebands.records is not None),
                     SLOTS=slots, USED=used, **facts)


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ways from items to the output."""
    if not parameters.in_place:
        return [*row.mutants(parameters), *placement.mutants(parameters)]
    found = end_mutants(parameters)
    if parameters.target is not None:
        found.append(step("items show where they are not kept", r"masked_l0", lambda _: lambda item, keep: item))
    return found
