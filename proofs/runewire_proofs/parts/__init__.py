"""The parts that a core's proof is made of: a file a part, with its cut, claim, harness and broken copies."""

from dataclasses import replace

from runewire_model import TranscoderParameters
from runewire_model.errors import Named, ParameterError

from ..proof import Proof
from . import (
    border,
    buffer,
    byte_line,
    connection,
    contexts,
    counters,
    extra_beats,
    filtering,
    finding,
    output_skid,
    packed_beats,
    packing,
    placement,
    printing,
    report_port,
    reset,
    rotation,
    row,
    rows,
    skid,
    splitting,
    text_end,
    text_error,
    text_mark,
    text_order,
    text_record,
    text_run,
    turn_state,
    waiting,
    whole,
    window,
    wrapper,
)

__all__ = ["PACKER", "proofs"]

PACKER = "packer_"
"""Before the names of the parts of the packer that stands before a core."""

BUFFERED = (packing, border, buffer, output_skid)
"""Parts between the units of a core and its output, where a buffer is."""

COMPACT = (placement, row, rows, skid, waiting)
"""The same where registers wait, and what waits before them."""


SEGMENTS = (
    extra_beats, byte_line, text_mark, text_end, contexts, rotation, text_order, text_run, text_record, text_error,
    turn_state)
"""What makes one text of segments."""

RECORDS = (finding, splitting, filtering)
"""What makes packets of records, and removes some."""

WHOLE = (reset, whole, wrapper, printing)
"""Parts of the complete core."""


def proofs(parameters: TranscoderParameters) -> list[Proof]:
    """The parts of a core's proof, in the order of a beat's way. Some are asked of narrow cores alone.

    A core that takes null bytes anywhere is two cores, which are proven separately: a packer, and the same core without
    that option. Ports, reset and the wires between them belong to both together. A core with flows has proofs of what
    makes one text of its segments, and of a packer before it, and of nothing else; a splitter or a filter has proofs of
    `RECORDS` alone. Raises `ParameterError` for a filter without rejects, for a core with a splitter before it, and for
    a record report without flows. Flows are at most 16.
    """
    if parameters.splits_bytes or parameters.sidebands.rejects:
        return [proof for part in RECORDS if (proof := part.proof(parameters)) is not None]
    if parameters.filters:
        raise ParameterError("a filter has proofs only with ", Named("rejects"), f", got {parameters}")
    if parameters.splits:
        raise ParameterError(Named("split"), " has no proofs yet: prove the splitter and the core, each alone")
    behind = replace(parameters, sidebands=replace(parameters.sidebands, null_bytes="end"))
    if parameters.sidebands.flows is not None:
        if parameters.sidebands.flow_bits > 4:
            raise ParameterError(Named("flows"), f" has proofs yet up to 16, got {parameters}")
        together = [part.proof(parameters) for part in (connection, packed_beats, printing)]
        return [*_of_packer(parameters), *(proof for part in SEGMENTS if (proof := part.proof(behind)) is not None),
                *(proof for proof in together if proof is not None)]
    if parameters.sidebands.record_report:
        raise ParameterError(Named("record_report"), " has no proofs yet")
    if parameters.sidebands.tail:
        raise ParameterError(Named("records"), f" has proofs yet for validators of whole texts alone, got {parameters}")
    if parameters.sidebands.records is not None and parameters.reads.unit_bytes > 1:
        raise ParameterError(Named("records"), f" has no proofs yet in {parameters.reads}")
    if parameters.packer is not None:
        together = [part.proof(parameters) for part in (connection, reset, wrapper, printing)]
        return [*_of_packer(parameters), *_inner(behind), *(proof for proof in together if proof is not None)]
    found = [part.proof(parameters) for part in WHOLE]
    return [*_inner(parameters), *(proof for proof in found if proof is not None)]


def _of_packer(parameters: TranscoderParameters) -> list[Proof]:
    """The parts of the packer before a core, if it has one."""
    packer = parameters.packer
    return [] if packer is None else [replace(proof, name=f"{PACKER}{proof.name}") for proof in _inner(packer)]


def _inner(parameters: TranscoderParameters) -> list[Proof]:
    """The parts of a core without its ports."""
    between = COMPACT if parameters.pipeline == "compact" else BUFFERED
    found = [part.proof(parameters) for part in (window, *between, counters, report_port)]
    return [proof for proof in found if proof is not None]
