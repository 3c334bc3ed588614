"""Comparison of a number with every lane index, in two steps; lanes share partial comparisons.

Four lanes and the number 2 (bits 1 and 0: 10):

    lane               0    1    2    3
    high bit           <    <    =    =    of the lane, against the number
    low bit                      =    >
    below              1    1    0    0
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Value

from ..pipeline import Pipeline, Timed, gates


def below(pipeline: Pipeline, name: str, number: Sequence[Timed], lanes: int, *extra: Timed) -> list[Timed]:
    """For each lane, whether it is below ``number`` (bits, lowest first), or any of ``extra`` holds."""
    split = (len(number) + 1) // 2
    low, high = number[:split], number[split:]
    # Parts of two bits would turn the comparisons into resets.
    above, equal = (gates.above, gates.equal) if len(high) > 1 else (_more, lambda n, i: Cat(n) == i)
    fine = [pipeline.step(f"{name}_low{i}", lambda *n, i=i: above(n, i), *low) for i in range(1 << len(low))]
    coarse = [
        pipeline.step(f"{name}_high{i}", lambda *n, i=i: Cat(above(n, i), equal(n, i)), *high)
        for i in range(1 << len(high))
    ]
    return [
        pipeline.step(
            f"{name}_l{lane}", lambda coarse, fine, *extra: reduce(or_, extra, coarse[0] | (coarse[1] & fine)),
            coarse[lane >> len(low)], fine[lane & (1 << len(low)) - 1], *extra,
        )
        for lane in range(lanes)
    ]


def _more(number: Sequence[Value], bound: int) -> Value:
    """Whether ``number`` (bits, lowest first) exceeds ``bound``, as a comparison if possible."""
    return Cat(number) > bound if bound < (1 << len(number)) - 1 else Const(0)
