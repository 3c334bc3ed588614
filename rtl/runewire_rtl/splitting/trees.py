"""Trees of gates over the lanes of a beat: whether a flag is set, where, and which of two places is greater."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from amaranth.hdl import Const, Value

from ..pipeline import Pipeline, Timed
from ..pipeline.gates import chosen

Place = Sequence[Timed]
"""The number of a lane as bits, the lowest first."""


def any_of(pipeline: Pipeline, name: str, flags: Sequence[Timed]) -> Timed:
    """Whether one of the flags is set, a look-up table at a time."""
    group, level = pipeline.policy.lut_inputs, 0
    if not flags:
        return pipeline.step(name, lambda: Const(0, 1))
    while len(flags) > 1:
        flags = [pipeline.step(f"{name}_level{level}_{first}", lambda *some: reduce(or_, some),
                               *flags[first : first + group]) for first in range(0, len(flags), group)]
        level += 1
    return flags[0]


def place_of(pipeline: Pipeline, name: str, flags: Sequence[Timed]) -> list[Timed]:
    """The lane of the only flag that is set; zero if none is."""
    return [any_of(pipeline, f"{name}_bit{bit}", [flag for lane, flag in enumerate(flags) if lane >> bit & 1])
            for bit in range((len(flags) - 1).bit_length())]


def outermost(pipeline: Pipeline, name: str, flags: Sequence[Timed], *, highest: bool) -> tuple[Timed, list[Timed]]:
    """Whether a flag is set, and the lane of the lowest or the ``highest`` that is. Without a flag the lane means
    nothing. Adjacent ranges of lanes are joined, so ranges double at each step."""
    nodes: list[tuple[Timed, list[Timed]]] = [(flag, []) for flag in flags]
    level = 0
    while len(nodes) > 1:
        joined = []
        for index in range(0, len(nodes), 2):
            (low, low_place), (high, high_place) = nodes[index : index + 2]
            label = f"{name}_level{level}_{index}"
            any_set = pipeline.step(f"{label}_any", or_, low, high)
            if highest:
                top = pipeline.step(f"{label}_top", lambda high: high, high)
                bits = [pipeline.step(f"{label}_bit{bit}", chosen, high, up, down)
                        for bit, (down, up) in enumerate(zip(low_place, high_place, strict=True))]
            else:
                top = pipeline.step(f"{label}_top", lambda low: ~low, low)
                bits = [pipeline.step(f"{label}_bit{bit}", chosen, low, down, up)
                        for bit, (down, up) in enumerate(zip(low_place, high_place, strict=True))]
            joined.append((any_set, [*bits, top]))
        nodes, level = joined, level + 1
    return nodes[0]


def at_least(pipeline: Pipeline, name: str, one: Place, other: Place, *, more: bool = False) -> Timed:
    """Whether ``one`` is at least ``other``, or with ``more`` whether it is greater."""
    pairs: list[tuple[Timed, Timed]] = []
    for bit, (a, b) in enumerate(zip(one, other, strict=True)):
        greater = pipeline.step(f"{name}_greater{bit}", lambda a, b: a & ~b, a, b)
        pairs.append((greater, pipeline.step(f"{name}_equal{bit}", lambda a, b: ~(a ^ b), a, b)))
    if not pairs:
        return pipeline.step(name, lambda: Const(int(not more), 1))
    while len(pairs) > 1:
        joined = [_joined(pipeline, name, *pairs[at : at + 2]) for at in range(0, len(pairs) - 1, 2)]
        pairs = joined + pairs[2 * len(joined) :]
    greater, equal = pairs[0]
    return greater if more else pipeline.step(name, or_, greater, equal)


def _joined(pipeline: Pipeline, name: str, low: tuple[Timed, Timed], high: tuple[Timed, Timed]) -> tuple[Timed, Timed]:
    def greater(low: Value, high: Value, equal: Value) -> Value:
        return high | (equal & low)

    return (pipeline.step(f"{name}_greater", greater, low[0], high[0], high[1]),
            pipeline.step(f"{name}_equal", lambda low, high: low & high, low[1], high[1]))
