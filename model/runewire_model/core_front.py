"""The cores before a core: a packer, where null bytes may be anywhere, and a splitter, where records become packets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from .encodings import BYTES, ENCODINGS
from .errors import Named, ParameterError, check_choice
from .report import CARRIED, COUNT_WIDTH, SPLIT_OPTIONS, TAGS, Sidebands

if TYPE_CHECKING:
    from .transcoder import TranscoderParameters

SPLITTER_PIPELINES = ("fast", "balanced")
"""Pipelines of a splitter, and of a filter, which has one."""

FILTER_FLAGS = 3
"""Bits of ``tuser`` below the packet's inside a filter."""

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
    of_splitter = () if core.filters else ("split", *SPLIT_OPTIONS)
    without = {name: getattr(usual, name) for name in ("null_bytes", *of_splitter)}
    return replace(core, sidebands=replace(sidebands, user=sidebands.user_and_cut, **without))


def check_split(core: TranscoderParameters) -> None:
    """Raise `ParameterError` for options of ``split`` that have no meaning for this core."""
    sidebands = core.sidebands
    if core.splits_bytes or core.filters:
        check_choice("pipeline", core.pipeline, SPLITTER_PIPELINES)
    if sidebands.filter is not None and not core.moves_bytes:
        raise ParameterError(Named("filter"), f" is an option of the filter alone, got {core}")
    if sidebands.split is not None and core.reads.unit_bytes > 1:
        of = [name for name, each in ENCODINGS.items() if each.unit_bytes == 1]
        raise ParameterError(Named("split"), f" is an option of cores that read {', '.join(of[:-1])} or {of[-1]}, got "
                             f"{core.reads}")
    if sidebands.longest is not None and sidebands.longest < core.lanes:
        raise ParameterError(Named("longest"), f" must be at least the {core.lanes} bytes of a beat, got "
                             f"{sidebands.longest}")


def parts_of_filter(core: Core) -> tuple[Core, Core, Core]:
    """The cores inside a filter, in the order of a record's way: a splitter, a validator and a packer.

    With a record go further bits of ``tuser`` above each other: a zero, whether it ends its packet, whether that packet
    has no byte, and the packet's ``user``. A validator takes the lowest one for a packet that is bad.
    """
    sidebands = core.sidebands
    tags = {name: width for name, width in sidebands.carried.items() if name in TAGS}
    more = {**tags, "user": sidebands.user + FILTER_FLAGS}
    report = "full" if sidebands.rejects else "flag"
    return (
        replace(core, sidebands=Sidebands("none", split=sidebands.filter, **more)),
        replace(core, source="utf-8", target=None, sidebands=Sidebands(report, **more)),
        replace(core, sidebands=Sidebands("none", **{**tags, "user": sidebands.user + COUNT_WIDTH})),
    )
