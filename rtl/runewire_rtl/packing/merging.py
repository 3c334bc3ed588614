"""Merge network: joins runs of items two by two into one run per beat, which begins at the row's next free place.

Eight lanes of two slots. A single item is in its lane's last slot. Five items of the packet so far:

    slot                0  1    2  3    4  5    6  7
    items               -  A    B  C    -  -    D  E
    end of each lane       6       0       0       2    number of the next item, modulo 8
    rotated             -  A    B  C    -  -    D  E    each lane's last item to the slot before its end, modulo 2
    merged, by 4        -  A    B  C    D  E    -  -    of four slots, by the end of the first two
    merged, by 8        D  E    -  -    -  A    B  C    of eight, by the end of the first four

The items of neighbouring lanes have consecutive numbers. Where two runs meet, the result depends on the number of the
second run's first item, and on the slot. Slots below it take from the first run, the others from the second. A pair of
slots is either straight or swapped; its setting is a function of that number alone.

A setting in which both runs wrap, of two runs of four slots. Items 2 to 5 are in the first run, 6 to 9 in the second,
each at its number modulo 4. The second run's first item is number 6:

    slot                0  1  2  3    4  5  6  7
    items               4  5  2  3    8  9  6  7
    swapped             1  1  0  0               2, which is 6 modulo 4, is above the slot
    merged              8  9  2  3    4  5  6  7

Throughput: one beat per cycle. Latency: one step of data for each bit of the number of slots. The settings take
longer in most cores; the data begin so late that both meet (`Merge.begin`).

Limits: slots are a power of two. Items of a lane are in its last slots, without gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from amaranth.hdl import Mux, Signal, Value
from amaranth.utils import ceil_log2

from ..pipeline import Broadcast, Pipeline, Timed, stage
from ..pipeline.gates import above, equal
from .comparison import below
from .numbering import Number, Term, add, running_number, scan


@dataclass(frozen=True)
class Boundaries:
    """The boundaries of each lane's items, as numbers of items in the row.

    ``slots``: places of a lane; the first ``slots - used`` of them never have an item.
    ``at[x]``: the lowest bits of the next item's number, at each lane's first place and at the place after the beat,
    but not at the beat's first. It has as many bits as the merge at ``x`` needs.
    ``start``, ``count``: the number of items in the running row before and after this beat, modulo the number of
    places.
    ``top``: the terms whose sum is the highest bit of ``count``; their carry says that the number wraps.
    ``full``: flags; one is set if the beat completed a row. The first one is set if the number wraps.
    """

    places: int
    slots: int
    used: int
    at: dict[int, Sequence[Timed]]
    start: Sequence[Timed]
    count: Sequence[Timed]
    top: Sequence[Term]
    full: Sequence[Timed]


@stage("placement")
def boundaries(pipeline: Pipeline, present: Sequence[Timed], slots: int, used: int) -> Boundaries:
    """Number a packet's items at the lanes' ends, a bit at a time: in groups of places, as many as a look-up table has
    inputs, then in the groups before, then in the packet."""
    places, group = len(present), pipeline.policy.lut_inputs
    flags = [[(x, Term.of(present[x])) for x in range(first, min(first + group, places)) if x % slots >= slots - used]
             for first in range(0, places, group)]
    counts = [add(pipeline, f"group{index}", *([flag] for _, flag in each), width=len(each).bit_length())
              for index, each in enumerate(flags)]
    before, total = scan(pipeline, counts)
    running, count, carries = running_number(pipeline, places, total)
    start = [copies[0] for copies in running]
    at: dict[int, Sequence[Timed]] = {places: count}
    for index, each in enumerate(flags):
        base: Number = [Term.of(value) for value in start]
        if index:
            held = [Term.of(copies[index * len(copies) // len(flags)]) for copies in running]
            base = add(pipeline, f"base{index}", held, before[index], width=_bits(index * group))
        for x in range(index * group + (0 if index else slots), min((index + 1) * group, places), slots):
            inner = [[flag] for place, flag in each if place < x]
            number = add(pipeline, f"number_l{x}", base, *inner, width=_bits(x)) if inner else base
            at[x] = [bit.settled(pipeline, f"number_l{x}_bit{place}") for place, bit in enumerate(number)]
    # A beat adds less than a row, which fills one if the number wraps; or it adds exactly a row.
    full = [flag.settled(pipeline, "full") for flag in (*carries[-1:], *total[ceil_log2(places):])]
    top = [*(Term.of(copies[0]) for copies in running[-1:]), *total[len(count) - 1 : len(count)], *carries[-2:-1]]
    return Boundaries(places, slots, used, at, start, count, top, full)


def _bits(place: int) -> int:
    """Bits of the prefix count that steer the switch at ``place``.

    At ``place`` 4 two runs of four places meet. Which items swap depends on the number modulo 8, so on three bits. At 6
    two runs of two meet, and at 7 two of one:

    >>> [_bits(place) for place in (4, 6, 7)]
    [3, 2, 1]
    """
    return (place & -place).bit_length()


@dataclass(frozen=True)
class _Switch:
    """A switch setting: a function of few values, with one replica for every few items."""

    name: str
    function: Callable[..., Value]
    operands: Sequence[Timed]

    @property
    def step(self) -> int:
        return max(operand.step for operand in self.operands) + 1

    def replica(self, index: int, step: int) -> Timed:
        """Replica ``index``, for use at ``step``."""
        return self.operands[0].pipeline.step(
            f"{self.name}_{index}", self.function, *self.operands, after=step - 1, keep=True)


@dataclass(frozen=True)
class Merge:
    """The settings of the merge network, which moves items to their places.

    ``stages``: for each stage and place, its switch, and the place from which it takes an item if the switch is set.
    ``begin``, ``end``: steps at which data enter and leave the network.
    ``reached``: whether each place is below the end of the beat's items. ``wrapped``: whether it is below their start.
    ``fills``: whether the beat completed a row.
    """

    ends: Boundaries
    stages: Sequence[Sequence[tuple[_Switch, int]]]
    reached: Sequence[Timed]
    wrapped: Sequence[Timed]
    fills: Timed
    begin: int

    @property
    def end(self) -> int:
        return self.begin + len(self.stages)

    def full(self, places: int) -> Broadcast:
        """``fills``, with replicas for all places."""
        return Broadcast("fills_replica", self.fills, places, tree=True)

    def present(self, place: int) -> list[Timed]:
        """Flags; one is set if the place gets an item, of the running row or of the next."""
        return [self.fills.pipeline.step(
            f"present_l{place}", lambda reached, wrapped, fills: Mux(fills, reached | ~wrapped, reached & ~wrapped),
            self.reached[place], self.wrapped[place], self.fills)]

    def kept(self, whole: Timed) -> list[list[Timed]]:
        """For each place flags; one is set if it is below the end of the items in the beat's last row. ``whole``: that
        row is full."""
        return [[flag, whole] for flag in self.reached]

    @stage("routing")
    def route(self, data: Sequence[Timed], begin: int) -> list[Timed]:
        """Every item is moved to its place: ``data``, from step ``begin`` on."""
        items: list[Timed | None] = [
            item if x % self.ends.slots >= self.ends.slots - self.ends.used else None for x, item in enumerate(data)]
        share = max(1, data[0].pipeline.policy.switch_bits // data[0].shape.width)
        for number, stage_ in enumerate(self.stages):
            step = begin + number
            replicas: dict[str, list[Timed]] = {}
            users: dict[str, int] = {}
            moved: list[Timed | None] = []
            for x, (switch, partner) in enumerate(stage_):
                own, other = items[x], items[partner]
                if own is None or other is None:
                    moved.append(own or other)
                    continue
                known = replicas.setdefault(switch.name, [])
                user = users[switch.name] = users.get(switch.name, -1) + 1
                if user // share == len(known):
                    known.append(switch.replica(len(known), step))
                moved.append(own.pipeline.step(f"data_stage{number}_l{x}", Mux, known[-1], other, own, after=step))
            items = moved
        return [item or data[0] for item in items]


@stage("route_control")
def merge(pipeline: Pipeline, ends: Boundaries) -> Merge:
    """Set a network that moves each item to its place: each lane is turned by the number at its end, then neighbouring
    runs of places are merged, twice as many at each stage."""
    places, slots = ends.places, ends.slots
    stages: list[list[tuple[_Switch, int]]] = []
    for bit in range(ceil_log2(slots)):
        turn = {first: _Switch(f"turn_bit{bit}_l{first}", lambda end: end, [ends.at[first + slots][bit]])
                for first in range(0, places, slots)}
        stages.append([(turn[x - x % slots], x - x % slots + (x - (1 << bit)) % slots) for x in range(places)])
    for bit in range(ceil_log2(slots), ceil_log2(places)):
        half = 1 << bit
        swaps: dict[int, _Switch] = {}
        for first in range(0, places, 2 * half):
            swaps |= {first + x: swap for x, swap in enumerate(_swaps(pipeline, first, half, ends.at[first + half]))}
        stages.append([(swaps[x & ~half], x ^ half) for x in range(places)])
    reached = below(pipeline, "reached", ends.count, places)
    wrapped = _before(pipeline, "wrapped", reached)
    fills = pipeline.step("fills", lambda *full: reduce(or_, full), *ends.full)
    known = max([fills.step + Broadcast.steps(pipeline.policy, places), *(flag.step for flag in (*reached, *wrapped))])
    begin = max([0, *(switch.step - number for number, each in enumerate(stages) for switch, _ in each),
                 known - len(stages)])
    return Merge(ends, stages, reached, wrapped, fills, begin)


def _before(pipeline: Pipeline, name: str, reached: Sequence[Timed]) -> list[Timed]:
    """Which places are below the start of the present beat's items: below the end of the beats before it. A cycle
    without a beat has no items, so both are the same."""
    m = pipeline.m
    step = pipeline.state_step(max(flag.step for flag in reached))
    clears = Broadcast(f"{name}_clear", pipeline.last, len(reached), after=step - 1)
    before = []
    for place, flag in enumerate(reached):
        # A reset: this register has no gate before it that could take the clear.
        register = Signal(name=f"{name}_l{place}", reset_less=True)
        m.d.sync += register.eq(flag.at(step))
        with m.If(clears[place].at(step)):
            m.d.sync += register.eq(0)
        before.append(Timed(pipeline, step, register, register.name))
    return before


def merging(slots: int, used: int) -> Callable[[Pipeline, Sequence[Timed]], Merge]:
    """Factory of the merge network for items in the last of ``slots`` places of each lane, at most ``used`` of them."""
    return lambda pipeline, present: merge(pipeline, boundaries(pipeline, present, slots, used))


def _swaps(pipeline: Pipeline, first: int, half: int, number: Sequence[Timed]) -> list[_Switch]:
    """For each lower place of two runs of ``half`` places: whether it takes from the second run. The place ``half``
    above then takes from the first. ``number``: the number of the second run's first item.

    With ``half`` 4 and the number 6, binary 110: ``low`` is 2, ``top`` is 1. Without ``top`` the places 2 and 3 would
    swap, those that ``low`` is not above; as ``top`` is set, it is 0 and 1. If ``low`` has too many bits for one gate,
    it is compared in two parts first; the function is the same.
    """
    *low, top = number[: half.bit_length()]
    if len(low) < pipeline.policy.lut_inputs:
        # The place takes from the second run if that run's first item belongs at this place or a lower one.
        return [_Switch(f"swap{half}_l{first + x}", lambda *number, x=x: ~above(number[:-1], x) ^ number[-1],
                        [*low, top]) for x in range(half)]
    split = (len(low) + 1) // 2
    fine = [pipeline.step(f"swap{half}_l{first}_low{i}", lambda *low, i=i: ~above(low, i), *low[:split])
            for i in range(1 << split)]
    more, same = (
        [pipeline.step(f"swap{half}_l{first}_{name}{i}", function, *low[split:])
         for i, function in enumerate(functions)]
        for name, functions in (
            ("more", [lambda *high, i=i: ~above(high, i) & ~equal(high, i) for i in range(half >> split)]),
            ("same", [lambda *high, i=i: equal(high, i) for i in range(half >> split)])))
    return [_Switch(f"swap{half}_l{first + x}", lambda more, same, fine, top: (more | same & fine) ^ top,
                    [more[x >> split], same[x >> split], fine[x & (1 << split) - 1], top]) for x in range(half)]
