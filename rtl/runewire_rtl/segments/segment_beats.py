"""Beats of segments at the port, as values of the carry's pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from amaranth.hdl import Cat, Signal, Value
from runewire_model import Encoding
from runewire_model.report import Sidebands

from ..pipeline import Pipeline, Timed
from .context import Forgetting


class Ending(NamedTuple):
    """The end of a text so far. ``bytes``: its last three, the last one lowest; zero before the text. ``part``: bytes
    of an incomplete unit. ``little``: the encoding is little-endian."""

    bytes: Timed
    part: Timed
    little: Timed


Unfinished = Callable[[Pipeline, str, Ending], Timed]
"""Makes the number of bytes to carry, 0 to 3, of a text's end."""


@dataclass(frozen=True)
class Options:
    """``sidebands``: the core's. ``reads``: the source. ``drops``: empty beats are left out, so
    that only a packet's last beat is partial. ``unfinished``: as its type says."""

    sidebands: Sidebands
    reads: Encoding
    drops: bool
    unfinished: Unfinished
    forgetting: Forgetting


def in_bus_order(units: Sequence[Value], order: str) -> Value:
    """The bytes of units, the first lowest; also back to units."""
    return Cat(Cat(unit.word_select(at, 8) for at in range(len(unit) // 8)[:: -1 if order == "big" else 1])
               for unit in units)


@dataclass(frozen=True)
class Beats:
    """Beats at the port, as values of the pipeline. ``data``: bytes, the first lowest. ``last``: the packet's last but
    for extra beats. ``first``: the packet's first, after the beat of a mark. ``beside``: the sidebands, ``user`` of the
    packet's last beat with the extra beats too."""

    pipeline: Pipeline
    accepted: Signal
    data: Timed
    keep: Timed
    extra: Timed
    final: Timed
    more: Timed
    first: Timed
    flow: Timed | None
    beside: dict[str, Timed]

    @property
    def size(self) -> int:
        """Bytes of a beat."""
        return int(self.keep.shape.width)

    @property
    def last(self) -> Timed:
        return self.pipeline.last


