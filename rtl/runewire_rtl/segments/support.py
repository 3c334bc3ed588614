"""The cores that take texts in segments, and their encodings' unfinished characters."""

from __future__ import annotations

from runewire_model import TranscoderParameters
from runewire_model.errors import Named, ParameterError

from ..encodings.utf8.unfinished import unfinished as utf8
from .segment_beats import Unfinished

UNFINISHED: dict[str, Unfinished] = {"utf-8": utf8}
"""By the names of source encodings."""


def check_flows(parameters: TranscoderParameters) -> None:
    """Raise `ParameterError` for a core that cannot have ``flows`` in hardware."""
    side = parameters.sidebands
    if side.flows is None:
        return
    if parameters.source not in UNFINISHED:
        raise ParameterError(Named("flows"), f" needs a source of {', '.join(UNFINISHED)}, got {parameters.source}")
    for name, value in (("pipeline", parameters.pipeline), ("bom", parameters.bom)):
        if value in ("compact", "add"):
            raise ParameterError(Named("flows"), " does not go with ", Named(name, value))
    if side.records is not None:
        raise ParameterError(Named("flows"), " does not go with ", Named("records", side.records))
