"""The parts that a core's proof is made of: a file a part, with its cut, claim, harness and broken copies."""

from runewire_model import TranscoderParameters

from ..proof import Proof
from . import (
    border,
    buffer,
    counters,
    packing,
    placement,
    report_port,
    reset,
    row,
    rows,
    skid,
    waiting,
    whole,
    window,
    wrapper,
)

__all__ = ["proofs"]

BUFFERED = (packing, border, buffer)
"""Parts between the units of a core and its output, where a buffer is."""

COMPACT = (placement, row, rows, skid, waiting)
"""The same where registers wait, and what waits before them."""


def proofs(parameters: TranscoderParameters) -> list[Proof]:
    """The parts of a core's proof, in the order of a beat's way. Some are asked of narrow cores alone."""
    between = COMPACT if parameters.pipeline == "compact" else BUFFERED
    found = [part.proof(parameters) for part in (window, *between, counters, report_port, reset, whole, wrapper)]
    return [proof for proof in found if proof is not None]
