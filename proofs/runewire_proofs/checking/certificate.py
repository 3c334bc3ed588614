"""Certificates: inductive invariants over a few cycles of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Signal = tuple[int, int]
"""A cycle of the window, from 0, and a literal of the graph."""


@dataclass(frozen=True)
class Certificate:
    """An invariant of each window of ``cycles`` successive cycles.

    ``equal``: pairs of signals with the same value. ``clauses``: of each, one signal is 1 at least. That no output of
    the graph is 1 in a window's last cycle is part of every invariant.
    """

    cycles: int
    equal: Sequence[tuple[Signal, Signal]]
    clauses: Sequence[Sequence[Signal]]
