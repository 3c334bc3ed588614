"""The cores that have ``records`` and ``record_report``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .encodings import ENCODINGS
from .errors import Named, ParameterError

if TYPE_CHECKING:
    from .transcoder import TranscoderParameters


def check_records(core: TranscoderParameters) -> None:
    """Raise `ParameterError` for options of records that this core lacks."""
    sidebands = core.sidebands
    if sidebands.records is None:
        return
    if core.target is not None or core.reads.unit_bytes > 1:
        of = [name for name, each in ENCODINGS.items() if each.unit_bytes == 1]
        got = f"a validator of {core.source}" if core.target is None else f"{core.source} to {core.target}"
        raise ParameterError(Named("records"), f" is an option of validators of {', '.join(of[:-1])} and {of[-1]}, got "
                             f"{got}")
    if sidebands.record_report and core.pipeline == "compact":
        raise ParameterError(Named("record_report"), " does not go with ", Named("pipeline", core.pipeline),
                             ": fast and balanced have it")
