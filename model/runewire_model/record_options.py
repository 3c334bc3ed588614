"""The cores that have ``records`` and ``record_report``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .errors import Named, ParameterError

if TYPE_CHECKING:
    from .report import Sidebands
    from .transcoder import TranscoderParameters


def check_records(core: TranscoderParameters) -> None:
    """Raise `ParameterError` for options of records that this core lacks."""
    sidebands = core.sidebands
    if sidebands.records is None:
        return
    if sidebands.record_report and core.pipeline == "compact":
        raise ParameterError(Named("record_report"), " does not go with ", Named("pipeline", core.pipeline),
                             ": fast and balanced have it")


def with_tail(core: TranscoderParameters) -> Sidebands:
    """The core's sidebands, with `Sidebands.tail` where the output is another text, or a text may have several
    packets."""
    if core.sidebands.records is None or (core.target is None and core.sidebands.flows is None):
        return core.sidebands
    sidebands = replace(core.sidebands)
    object.__setattr__(sidebands, "tail", True)
    return sidebands
