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


def options_where(core: TranscoderParameters, holds: Callable[[TranscoderParameters], bool],
                  **usual: Any) -> list[str | Named]:
    """The options that avoid the three bytes of U+FFFD and make ``holds`` true, as parts of a message. ``usual``:
    options that replace the core's."""
    found: list[str | Named] = []
    for name, value in (("errors", "drop"), ("replacement", NARROW_REPLACEMENT)):
        with contextlib.suppress(ParameterError):
            if holds(replace(core, **{**usual, name: value})):
                found += [" or ", Named(name, value)]
    return found[1:]
