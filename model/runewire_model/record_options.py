"""The cores that have ``records`` and ``record_report``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import Named, ParameterError

if TYPE_CHECKING:
    from .transcoder import TranscoderParameters


def check_records(core: TranscoderParameters) -> None:
    """Raise `ParameterError` for options of records that this core lacks."""
    sidebands = core.sidebands
    if sidebands.records is None:
        return
    if core.target is not None:
        raise ParameterError(Named("records"), f" is an option of validators, got {core.source} to {core.target}")
    if sidebands.record_report and core.pipeline == "compact":
        raise ParameterError(Named("record_report"), " does not go with ", Named("pipeline", core.pipeline),
                             ": fast and balanced have it")
