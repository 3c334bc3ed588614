"""The cores before a core: a packer, where null bytes may be anywhere, and a splitter, where records become packets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from .encodings import BYTES, ENCODINGS
from .errors import Named, ParameterError, check_choice
from .report import CARRIED, SPLIT_OPTIONS, Sidebands

if TYPE_CHECKING:
    from .transcoder import TranscoderParameters

SPLITTER_PIPELINES = ("fast", "balanced")

Core = TypeVar("Core", bound="TranscoderParameters")


def packer_of(core: Core) -> Core | None:
    """The packer before a core's input; None unless null bytes may be anywhere."""
    return None if core.sidebands.null_bytes == "end" else _of_bytes(core, core.pipeline)


def splitter_of(core: Core) -> Core | None:
    """The splitter before a core; None unless records become packets, and for a splitter itself. A compact core's is
    balanced."""
    sidebands = core.sidebands
    if core.moves_bytes or sidebands.split is None:
        return None
    options = {name: getattr(sidebands, name) for name in ("split", *SPLIT_OPTIONS)}
    return _of_bytes(core, "balanced" if core.pipeline == "compact" else core.pipeline, **options)


def _of_bytes(core: Core, pipeline: str, **options: Any) -> Core:
    """A core that moves bytes before this one, with its carried sidebands, and ``options`` of the ports."""
    carried = {name: core.sidebands.carried.get(name, 0) for name in CARRIED}
    return replace(core, source=BYTES.name, target=BYTES.name, lanes=core.input_bytes, errors="replace", bom="keep",
                   packing="dense", replacement=None, reject_nul=False, replace_runs=False, pipeline=pipeline,
                   sidebands=Sidebands("none", **carried, **options))


def behind_of(core: Core) -> Core:
    """The core behind its packer and its splitter, whose ``tuser`` has the bit ``cut`` above the carried ones. Behind a
    splitter alone is a packer, which changes nothing."""
    if not core.front and not core.splits:
        return core
    sidebands, usual = core.sidebands, Sidebands()
    without = {name: getattr(usual, name) for name in ("null_bytes", "split", *SPLIT_OPTIONS)}
    return replace(core, sidebands=replace(sidebands, user=sidebands.user_and_cut, **without))


def check_split(core: TranscoderParameters) -> None:
    """Raise `ParameterError` for options of ``split`` that have no meaning for this core."""
    sidebands = core.sidebands
    if core.splits_bytes:
        check_choice("pipeline", core.pipeline, SPLITTER_PIPELINES)
    if sidebands.split is not None and core.reads.unit_bytes > 1:
        of = [name for name, each in ENCODINGS.items() if each.unit_bytes == 1]
        raise ParameterError(Named("split"), f" is an option of cores that read {', '.join(of[:-1])} or {of[-1]}, got "
                             f"{core.reads}")
    if sidebands.longest is not None and sidebands.longest < core.lanes:
        raise ParameterError(Named("longest"), f" must be at least the {core.lanes} bytes of a beat, got "
                             f"{sidebands.longest}")
