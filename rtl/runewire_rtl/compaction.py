"""Compaction: scattered items of each beat into dense rows, in order, a packet's first item in lane 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_, xor

from amaranth.hdl import Mux, Signal, Value
from amaranth.utils import ceil_log2

from .pipeline import Pipeline, Timed

__all__ = ["RADIX", "Butterfly", "Placement", "place", "steer"]

RADIX = 4
"""Operands of one step of the prefix scan: what one look-up table takes."""

REACH = 8
"""Lanes that share a copy of the running number."""


@dataclass(frozen=True)
class Placement:
    """Where the items of a beat go.

    ``present``: whether each lane has an item. ``lane``: for each item the bits of its destination lane,
    lowest first. ``start``, ``count``: the bits of the number of items in the running row before and after
    this beat, modulo the number of lanes. ``full``: flags of which one is set if the beat completed a row.
    """

    present: Sequence[Timed]
    lane: Sequence[Sequence[Timed]]
    start: Sequence[Timed]
    count: Sequence[Timed]
    full: Sequence[Timed]


def place(pipeline: Pipeline, present: Sequence[Timed]) -> Placement:
    """Number the items of a packet, a bit at a time, and so find each one's lane.

    Each bit of a running number toggles with a certain set of events: the lowest with every item, the
    next with those items that found the bit below set. So each bit of each item's number is one
    exclusive-or scan over events, and the running number itself is a toggle flip-flop a bit, each a few
    cycles behind the one below: no adder, and no loop longer than one gate, at any width.
    """
    lanes = len(present)
    events = list(present)
    numbers: list[list[Timed]] = []
    start: list[Timed] = []
    count: list[Timed] = []
    for bit in range(ceil_log2(lanes)):
        before, total = _prefixes(pipeline, f"scan{bit}_", events)
        step = pipeline.before_register(max(part.step for part in total))
        running = _running(pipeline, f"running{bit}", lanes, total, step)
        # Who asks for the start is far from who counts, and has the time.
        start.append(running[0] if lanes <= REACH else pipeline.step(f"start{bit}", lambda bit: bit, running[0]))
        count.append(pipeline.step(f"count{bit}", lambda *parts: _xor(parts), running[0], *total))
        held = [running[lane * len(running) // lanes] for lane in range(lanes)]
        numbers.append([
            pipeline.step(f"number{bit}_{i}", lambda *parts: _xor(parts), held[i], *parts)
            for i, parts in enumerate(before)
        ])
        events = [
            pipeline.step(f"carry{bit}_{i}", lambda event, *parts: event & _xor(parts), event, held[i], *parts)
            for i, (event, parts) in enumerate(zip(events, before, strict=True))
        ]
    # A beat fills one row at most, so one event at most is left. Whoever uses the flags has another beside them. No
    # gate is to be two look-up tables deep: a single one lets synthesis make any two deep to save a table.
    full = events
    while len(full) + 1 > RADIX:
        full = [pipeline.step("full", lambda *values: reduce(or_, values), *full[first : first + RADIX])
                for first in range(0, len(full), RADIX)]
    return Placement(present, [list(bits) for bits in zip(*numbers, strict=True)], start, count, full)


def _running(pipeline: Pipeline, name: str, lanes: int, total: Sequence[Timed], step: int) -> list[Timed]:
    """A bit of the running number before a beat, at ``step``, which a register follows: a copy for every few lanes.

    ``total``: parts of what the beat toggles it by.
    """
    m = pipeline.m
    toggle = _xor([part.at(step) for part in total])
    copies = []
    for index in range(max(1, lanes // REACH)):
        label = f"{name}_{index}" if index else name
        attrs = {"keep": True} if lanes > REACH else {}
        if len(total) + 2 <= RADIX:
            running = Signal(name=label, attrs=attrs)
            m.d.sync += running.eq((running ^ toggle) & ~pipeline.last.at(step))
        else:
            # One look-up table takes no more: the packet's end, and reset with it, clear it beside that.
            running = Signal(name=label, reset_less=True, attrs=attrs)
            clear = Signal(name=f"{label}_clear", init=1, attrs={"keep": True})
            m.d.sync += [clear.eq(pipeline.last.at(step - pipeline.plan.value)), running.eq(running ^ toggle)]
            with m.If(clear):
                m.d.sync += running.eq(0)
        copies.append(Timed(pipeline, step, running, label))
    return copies


def _prefixes(
    pipeline: Pipeline, name: str, values: Sequence[Timed]
) -> tuple[list[tuple[Timed, ...]], tuple[Timed, ...]]:
    """Exclusive-or of all values before each, and of all, in parts that are still to be put together.

    The last step of the scan is left to whoever uses it, to share a look-up table with what comes next.
    """
    groups = [values[first : first + RADIX] for first in range(0, len(values), RADIX)]
    local: list[tuple[Timed, ...]] = []
    totals = []
    for group in groups:
        sums: list[tuple[Timed, ...]] = [(), (group[0],)]
        for end in range(2, len(group) + 1):
            sums.append((pipeline.step(name, lambda *v: _xor(v), *group[:end]),))
        local += sums[: len(group)]
        totals.append(sums[-1][0])
    if len(totals) <= RADIX:
        outer, whole = [tuple(totals[:index]) for index in range(len(totals))], tuple(totals)
    else:
        # Put together here, a value a group, so that what comes next still is one look-up table.
        outer, whole = _prefixes(pipeline, name, totals)
        outer = [(pipeline.step(f"{name}outer", lambda *v: _xor(v), *parts),) if len(parts) > 1 else parts
                 for parts in outer]
        whole = (pipeline.step(f"{name}total", lambda *v: _xor(v), *whole),)
    return [parts + outer[index // RADIX] for index, parts in enumerate(local)], whole


def _xor(values: Sequence[Value]) -> Value:
    return reduce(xor, values)


@dataclass(frozen=True)
class Butterfly:
    """The settings of the network that moves items to their lanes.

    ``came[b][x]``: after stage ``b``, lane ``x`` has an item that came from its mate. ``stayed`` likewise for
    one that was there before. ``begin``: the step at which the data may enter, to be in its lane at step ``end``.
    """

    came: list[list[Timed]]
    stayed: list[list[Timed]]
    begin: int

    def present(self, lane: int) -> list[Timed]:
        """Flags of which one is set if the lane has an item in the end."""
        return [stage[lane] for stage in (*self.came[-1:], self.stayed[-1])]

    @property
    def end(self) -> int:
        return self.begin + len(self.came)

    def route(self, data: Sequence[Timed], begin: int) -> list[Timed]:
        """``data`` of every item moved to its lane, from step ``begin`` on."""
        items = list(data)
        for bit, came in enumerate(self.came):
            items = [
                came[x].pipeline.step(
                    f"data{bit}_{x}_", lambda came, own, other: Mux(came, other, own),
                    came[x], items[x], items[x ^ (1 << bit)], after=begin + bit,
                )
                for x in range(len(items))
            ]
        return items


def steer(pipeline: Pipeline, placement: Placement) -> Butterfly:
    """Set a butterfly that moves each item to its lane, the lowest bit of the lane first.

    After stage ``b`` an item stands at its destination in the bits up to ``b`` and at its origin in the
    others. Two items of one block of ``2**(b+1)`` neighbours have numbers less than that apart, so they
    never meet. The settings are known before the data is needed, which therefore enters as late as it can:
    until then it waits as bytes, which are narrower.
    """
    size = len(placement.present)
    lane = [list(bits) for bits in placement.lane]
    all_came: list[list[Timed]] = []
    # Whether a lane has an item, as two flags from two sides: one gate each, with no other behind it.
    all_stayed = [list(placement.present)]
    for bit in range(ceil_log2(size)):
        start = max(lane[x][bit].step for x in range(size))
        flags = [all_stayed[-1], *all_came[-1:]]
        moved, came, stayed = [], [], []
        for x in range(size):
            mate = x ^ (1 << bit)
            own = bool(x >> bit & 1)

            def belongs(side: Value, *present: Value, own: bool = own) -> Value:
                return reduce(or_, present) & (side if own else ~side)

            def choose(mine: Value, its: Value, *steer: Value, belongs: Callable[..., Value] = belongs) -> Value:
                return Mux(belongs(*steer), its, mine)

            its = [lane[mate][bit], *(flag[mate] for flag in flags)]
            mine = [lane[x][bit], *(flag[x] for flag in flags)]
            came.append(pipeline.step(f"came{bit}_{x}", belongs, *its, after=start))
            stayed.append(pipeline.step(f"stayed{bit}_{x}", belongs, *mine, after=start))
            moved.append(lane[x][: bit + 1] + [
                pipeline.step(f"lane{k}_{x}_", choose, lane[x][k], lane[mate][k], *its, after=start)
                for k in range(bit + 1, ceil_log2(size))
            ])
        all_came.append(came)
        all_stayed.append(stayed)
        lane = moved
    begin = max([0, *(flag.step - bit for bit, stage in enumerate(all_came) for flag in stage)])
    return Butterfly(all_came, all_stayed, begin)
