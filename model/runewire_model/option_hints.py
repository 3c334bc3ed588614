"""Hints in messages about parameters: options that would allow what was asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .errors import Named, ParameterError
from .scalars import NARROW_REPLACEMENT

if TYPE_CHECKING:
    from .transcoder import TranscoderParameters


def wider(core: TranscoderParameters) -> list[str | Named]:
    """The end of the message about ``lanes``: the options that would allow as many."""
    lanes = core.lanes
    if type(lanes) is not int or lanes < 1 or lanes & lanes - 1:
        return []
    most = 0

    def enough(made: TranscoderParameters) -> bool:
        nonlocal most
        most = max(most, made.most_lanes)
        return made.most_lanes >= lanes

    options = _options_where(core, enough, lanes=1)
    return [": with ", *options, f" up to {most}"] if options else []


def sparse_with(core: TranscoderParameters, name: str) -> list[str | Named]:
    """The end of the message about a missing ``packing``: the options that would allow it."""
    options = _options_where(core, lambda made: name in made.text_options, packing="dense") if name == "packing" else []
    return ["; with ", *options, " it has ", Named(name), " too"] if options else []


def _options_where(core: TranscoderParameters, holds: Callable[[TranscoderParameters], bool],
                  **usual: Any) -> list[str | Named]:
    """The options that avoid the three bytes of U+FFFD and make ``holds`` true, as parts of a message. ``usual``:
    options that replace the core's."""
    found: list[str | Named] = []
    for name, value in (("errors", "drop"), ("replacement", NARROW_REPLACEMENT)):
        with contextlib.suppress(ParameterError):
            if holds(replace(core, **{**usual, name: value})):
                found += [" or ", Named(name, value)]
    return found[1:]
