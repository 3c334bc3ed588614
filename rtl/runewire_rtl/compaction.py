"""Compaction: scattered items of each beat into dense rows, in order, a packet's first item in lane 0.

Four lanes, and three items of the packet so far: the running number is 3. The next beat has A in lane 1, B in lane 3.

    lane              0    1    2    3
    items             -    A    -    B
    number            3    3    4    4    of the next item, modulo 4 its lane: A belongs in lane 3, B in lane 0
    route, bit 0      -    A    B    -    B goes to its partner, lane 2: its lane's bit 0 is 0
    route, bit 1      B    -    -    A    both go to their partners, two lanes away
    row               +1             +0   A completes the row, B is the first of the next: it has wrapped

Limits: lanes are a power of two. An item moves within its beat alone: rows come together in the output buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, islice
from operator import and_, or_, xor

from amaranth.hdl import Mux, Signal, Value
from amaranth.utils import ceil_log2

from .comparison import below
from .gates import cleared
from .pipeline import Pipeline, Timed, stage

__all__ = [
    "Butterfly", "Number", "Placement", "Term", "add", "butterfly", "place", "route_control", "running_number", "scan",
    "sum_bit",
]


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


@dataclass(frozen=True)
class Term:
    """A function of some values that has no step of its own: whoever uses it takes it into their look-up table.

    Of a single value it is the value itself.
    """

    function: Callable[..., Value]
    operands: Sequence[Timed]

    @classmethod
    def of(cls, value: Timed) -> Term:
        return cls(lambda value: value, [value])

    @classmethod
    def join(cls, function: Callable[..., Value], terms: Sequence[Term]) -> Term:
        """``function`` of terms, as one term."""
        def joined(*values: Value) -> Value:
            rest = iter(values)
            return function(*(term.function(*islice(rest, len(term.operands))) for term in terms))

        return cls(joined, [operand for term in terms for operand in term.operands])

    @property
    def step(self) -> int:
        return max(operand.step for operand in self.operands)

    def at(self, step: int) -> Value:
        return self.function(*(operand.at(step) for operand in self.operands))

    def settled(self, pipeline: Pipeline, name: str) -> Timed:
        """The term as a step of its own, where it needs one."""
        if len(self.operands) == 1:
            return self.operands[0]
        return pipeline.step(name, self.function, *self.operands)


Number = Sequence[Term]
"""The bits of a number, lowest first. Each may be a step later than the one below."""


@stage("placement")
def place(pipeline: Pipeline, present: Sequence[Timed]) -> Placement:
    """Number the items of a packet, a bit at a time, and so find each one's lane.

    An item's number is how many there were in the packet before the beat, then in the beat before the item's
    group of lanes, then in the group before the item. These are added from the lowest bit up, each bit a step
    behind the one below: so a carry has a step to itself, and no gate is more than one look-up table, at any
    width. The running number is a toggle flip-flop a bit, again each behind the one below: no adder, and no
    loop longer than one gate.
    """
    lanes = len(present)
    width = ceil_log2(lanes)
    group = pipeline.policy.lut_inputs
    groups = [[[Term.of(flag)] for flag in present[first : first + group]] for first in range(0, lanes, group)]
    counts = [add(pipeline, f"group{index}", *flags, width=len(flags).bit_length())
              for index, flags in enumerate(groups)]
    before, total = scan(pipeline, counts)
    running, count, carries = running_number(pipeline, lanes, total)
    start = [copies[0] for copies in running]
    if len(groups) > 1:
        # The first group has nothing before it to add; it waits for the others. So may who else asks for the start.
        start = [pipeline.step(f"start_bit{bit}", lambda bit: bit, value) for bit, value in enumerate(start)]
    numbers: list[Number] = []
    for index, flags in enumerate(groups):
        base: Number = [Term.of(value) for value in start]
        if index:
            held = [Term.of(copies[index * len(copies) // len(groups)]) for copies in running]
            base = add(pipeline, f"base{index}", held, before[index], width=width)
        numbers += [add(pipeline, f"number_l{index * group + end}", base, *flags[:end], width=width)
                    for end in range(len(flags))]
    lane = [[bit.settled(pipeline, f"number_l{lane}_bit{place}") for place, bit in enumerate(number)]
            for lane, number in enumerate(numbers)]
    # What the beat adds is less than a row, and then it fills one if the number wraps; or else it is a row.
    full = [flag.settled(pipeline, "full") for flag in (*carries[-1:], total[width])]
    return Placement(present, lane, start, count, full)


def running_number(
    pipeline: Pipeline, lanes: int, total: Number,
) -> tuple[list[list[Timed]], list[Timed], list[Term]]:
    """The bits of the number of items of a packet, modulo ``lanes``: before each beat, with copies for every few
    lanes, and after it, when ``total`` is what the beat adds; and what each bit carries over, the last where the number
    wraps."""
    running: list[list[Timed]] = []
    count: list[Timed] = []
    carries: list[Term] = []
    for bit, added in enumerate(total[:ceil_log2(lanes)]):
        copies = _running(pipeline, f"running_bit{bit}", lanes, Term.join(sum_bit(0), [added, *carries[-1:]]))
        running.append(copies)
        column = [Term.of(copies[0]), added, *carries[-1:]]
        count.append(Term.join(sum_bit(0), column).settled(pipeline, f"count_bit{bit}"))
        carries.append(Term.of(Term.join(sum_bit(1), column).settled(pipeline, f"carry_bit{bit}")))
    return running, count, carries


def _running(pipeline: Pipeline, name: str, lanes: int, toggle: Term) -> list[Timed]:
    """A bit of the running number before a beat, as soon as it is known what toggles it: a copy for every few lanes."""
    step = pipeline.state_step(toggle.step)
    reach = pipeline.policy.running_lanes
    copies = []
    for index in range(max(1, lanes // reach)):
        label = f"{name}_copy{index}" if index else name
        running = Signal(name=label, reset_less=True, attrs=pipeline.policy.keep if lanes > reach else {})
        pipeline.m.d.sync += running.eq(cleared(running ^ toggle.at(step), pipeline.last.at(step)))
        copies.append(Timed(pipeline, step, running, label))
    return copies


def scan(pipeline: Pipeline, counts: Sequence[Number]) -> tuple[list[Number], Number]:
    """For each of the counts the sum of those before it, and the sum of all.

    The lowest bit of these is left to whoever uses it, who so has it a step earlier.
    """
    if len(counts) == 1:
        return [[]], counts[0]
    half = len(counts) // 2
    (lower, left), (upper, right) = scan(pipeline, counts[:half]), scan(pipeline, counts[half:])
    *settled, left, right = [
        [Term.of(bit.settled(pipeline, f"sum_bit{index}")) for index, bit in enumerate(number)]
        for number in (*lower, *upper, left, right)
    ]
    before: list[Number] = [*settled[:half], left]
    # What is before the upper half's first is the lower half, with nothing to add.
    for index, number in enumerate(settled[half + 1 :], half + 1):
        before.append(add(pipeline, f"before{index}", left, number, width=len(left), defer=True))
    return before, add(pipeline, f"total{2 * half}", left, right, width=len(left) + 1, defer=True)


def add(
    pipeline: Pipeline, name: str, *numbers: Number, width: int, defer: bool = False
) -> list[Term]:
    """The low ``width`` bits of the sum of numbers, each step of no more bits of one weight than a look-up table takes.

    With ``defer`` the lowest bit and its carry get no step: those of two numbers fit in with what comes next.
    """
    columns: list[list[Term]] = [[] for _ in range(width)]
    for number in numbers:
        for column, bit in zip(columns, number, strict=False):
            column.append(bit)
    total = []
    for index, column in enumerate(columns):
        for power in range(min(len(column).bit_length(), width - index)):
            digit = Term.join(sum_bit(power), column)
            if index or not defer:
                label = f"{name}_carry{index}_into{index + power}" if power else f"{name}_bit{index}"
                digit = Term.of(digit.settled(pipeline, label))
            if power:
                columns[index + power].append(digit)
            else:
                total.append(digit)
    return total


def sum_bit(power: int) -> Callable[..., Value]:
    """A bit of the number of flags that are set: the parity of the sets of ``2**power`` flags that are all set."""
    return lambda *flags: reduce(xor, (reduce(and_, some) for some in combinations(flags, 1 << power)))


@dataclass(frozen=True)
class Butterfly:
    """The settings of the network that moves items to their lanes.

    ``ends``: what they follow from. ``from_partner[b][x]``: after stage ``b``, lane ``x`` has an item that came from
    its partner. ``from_self`` likewise for one that was there before. ``begin``: the step at which the data may enter,
    to be in its lane at step ``end``.
    """

    ends: Placement
    from_partner: list[list[Timed]]
    from_self: list[list[Timed]]
    begin: int

    def present(self, lane: int) -> list[Timed]:
        """Flags of which one is set if the lane has an item in the end."""
        return [stage[lane] for stage in (*self.from_partner[-1:], self.from_self[-1])]

    def kept(self, whole: Timed) -> list[list[Timed]]:
        """For each lane flags of which one is set if it is below the end of the items in the beat's last row;
        ``whole``: that row is full."""
        return [[flag] for flag in below(whole.pipeline, "kept", self.ends.count, len(self.ends.present), whole)]

    @property
    def wrapped(self) -> list[Timed]:
        """Whether each lane is below the one where the beat's items start."""
        return below(self.ends.present[0].pipeline, "wrapped", self.ends.start, len(self.ends.present))

    @property
    def end(self) -> int:
        return self.begin + len(self.from_partner)

    @stage("routing")
    def route(self, data: Sequence[Timed], begin: int) -> list[Timed]:
        """Every item is moved to its lane: ``data``, from step ``begin`` on."""
        items = list(data)
        for bit, from_partner in enumerate(self.from_partner):
            items = [
                from_partner[x].pipeline.step(
                    f"data_bit{bit}_l{x}", lambda from_partner, own, other: Mux(from_partner, other, own),
                    from_partner[x], items[x], items[x ^ (1 << bit)], after=begin + bit,
                )
                for x in range(len(items))
            ]
        return items


@stage("route_control")
def route_control(pipeline: Pipeline, placement: Placement) -> Butterfly:
    """Set a butterfly that moves each item to its lane, the lowest bit of the lane first.

    After stage ``b`` an item stands at its destination in the bits up to ``b`` and at its origin in the
    others. Two items of one block of ``2**(b+1)`` neighbours have numbers less than that apart, so they
    never meet. The settings are known before the data is needed, which therefore enters as late as it can:
    until then it waits as bytes, which are narrower.
    """
    size = len(placement.present)
    lane = [list(bits) for bits in placement.lane]
    all_partner: list[list[Timed]] = []
    # Whether a lane has an item, as two flags from two sides: one gate each, with no other behind it.
    all_self = [list(placement.present)]
    for bit in range(ceil_log2(size)):
        start = max(lane[x][bit].step for x in range(size))
        flags = [all_self[-1], *all_partner[-1:]]
        moved, from_partner, from_self = [], [], []
        for x in range(size):
            partner = x ^ (1 << bit)
            own = bool(x >> bit & 1)

            def belongs(side: Value, *present: Value, own: bool = own) -> Value:
                return reduce(or_, present) & (side if own else ~side)

            def choose(mine: Value, its: Value, *control: Value, belongs: Callable[..., Value] = belongs) -> Value:
                return Mux(belongs(*control), its, mine)

            its = [lane[partner][bit], *(flag[partner] for flag in flags)]
            mine = [lane[x][bit], *(flag[x] for flag in flags)]
            from_partner.append(pipeline.step(f"from_partner_bit{bit}_l{x}", belongs, *its, after=start))
            from_self.append(pipeline.step(f"from_self_bit{bit}_l{x}", belongs, *mine, after=start))
            moved.append(lane[x][: bit + 1] + [
                pipeline.step(f"lane_bit{k}_after{bit}_l{x}", choose, lane[x][k], lane[partner][k], *its, after=start)
                for k in range(bit + 1, ceil_log2(size))
            ])
        all_partner.append(from_partner)
        all_self.append(from_self)
        lane = moved
    begin = max([0, *(flag.step - bit for bit, stage in enumerate(all_partner) for flag in stage)])
    return Butterfly(placement, all_partner, all_self, begin)


def butterfly(pipeline: Pipeline, present: Sequence[Timed]) -> Butterfly:
    """The network for items in any lanes."""
    return route_control(pipeline, place(pipeline, present))
