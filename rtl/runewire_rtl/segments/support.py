"""The cores that take texts in segments, and the unfinished characters of their sources."""

from __future__ import annotations

from runewire_model import TranscoderParameters
from runewire_model.errors import Named, ParameterError

from ..encodings.utf8.unfinished import unfinished as utf8
from ..encodings.wide_unfinished import utf16, utf32
from .segment_beats import Unfinished

UNFINISHED: dict[int, Unfinished] = {1: utf8, 2: utf16, 4: utf32}
"""By the bytes of a source's units."""


def check_flows(parameters: TranscoderParameters) -> None:
    """Raise `ParameterError` for a core that cannot have ``flows`` in hardware."""
    side = parameters.sidebands
    if side.flows is None:
        return
    if parameters.reads.unit_bytes == 1 and parameters.source != "utf-8":
        raise ParameterError(Named("flows"), f" needs a source of UTF-8, UTF-16 or UTF-32, got {parameters.reads}")
