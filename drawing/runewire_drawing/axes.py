"""Axes of charts: where a value stands, and where the ticks are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from .svg import text_width

GAP = 1.5
"""Least gap between two labels of ticks, in font sizes."""


@dataclass(frozen=True)
class LinearAxis:
    """A linear axis from zero at ``start`` to a round value, no less than ``greatest``, at ``end``."""

    greatest: float
    start: float
    end: float

    @cached_property
    def step(self) -> float:
        """Round distance between ticks, for four to seven of them."""
        magnitude = 10.0 ** math.floor(math.log10(self.greatest / 4))
        return next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if self.greatest / (factor * magnitude) <= 6)

    @cached_property
    def ticks(self) -> Sequence[float]:
        """Values with a tick, zero first."""
        return [count * self.step for count in range(math.ceil(self.greatest / self.step) + 1)]

    def __call__(self, value: float) -> float:
        """Coordinate of a value."""
        return self.start + (self.end - self.start) * value / self.ticks[-1]


@dataclass(frozen=True)
class LogAxis:
    """A logarithmic axis from ``least`` at ``start`` to ``greatest`` at ``end``; halfway if they are equal."""

    least: float
    greatest: float
    start: float
    end: float

    @cached_property
    def ticks(self) -> Sequence[float]:
        """1, 2 and 5 of every decade on the axis; 1 and 3 if the ratio of its ends exceeds 200."""
        first, last = math.floor(math.log10(self.least)), math.ceil(math.log10(self.greatest))
        multiples = (1, 2, 5) if self.greatest / self.least <= 200 else (1, 3)
        steps = [multiple * 10.0**decade for decade in range(first, last + 1) for multiple in multiples]
        return [value for value in steps if self.least <= value <= self.greatest * 1.0001]

    def __call__(self, value: float) -> float:
        """Coordinate of a value."""
        if self.least == self.greatest:
            return (self.start + self.end) / 2
        along = math.log(value / self.least) / math.log(self.greatest / self.least)
        return self.start + (self.end - self.start) * along


def clear_labels(labels: Sequence[tuple[float, str]], size: float) -> list[tuple[float, str]]:
    """The labels that do not touch each other: the last, and each before it that stands clear of the next one shown.

    ``labels``: centre and text of each, from left to right, in a font of that size.
    """
    shown: list[tuple[float, str]] = []
    edge = math.inf
    for centre, content in reversed(labels):
        half = text_width(content, size) / 2
        if centre + half + GAP * size <= edge:
            shown.insert(0, (centre, content))
            edge = centre - half
    return shown
