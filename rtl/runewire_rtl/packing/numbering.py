"""Prefix counts: the number of items in a packet before each place, computed bit by bit from the lowest.

Each bit is one step later than the bit below. So a carry has a step of its own, and no gate exceeds one look-up table,
at any width. The running number of items in earlier beats is one toggle flip-flop per bit, also one step after the
other: no adder, and no loop longer than one gate.

Four lanes. The row under way has two items, and the beat has three, in lanes 0, 2 and 3. The last one wraps:

    lane                     0    1    2    3    after
    item                     1    0    1    1
    number before it         2    3    3    4    5
    in the row, modulo 4     2    3    3    0    1

The number after the beat, from the running number 2 and the total 3, as bits:

    bit             0    1
    running         0    1
    total           1    1
    carry in             0      0 & 1 of bit 0
    count           1    0      the parity of the bits above it
    carry           0    1      two of bit 1's three are set; the last carry says that the number wraps

The running number toggles by total and carry: bit 0 to 1, bit 1 to 0. So the next beat begins at 1. The last beat of a
packet clears it instead.

A `Term` saves steps. The sum of ``total`` and carry in bit 1 has no register and no signal: it is the gate before the
running number's bit, and part of the gate of ``count``. Only `Term.settled` gives it a step.

Throughput: one beat per cycle. Latency: the prefix sums, then one step a bit.

Limits: lanes are a power of two, and numbers are modulo the lanes. A beat has no more items than lanes. `sum_bit` of
``n`` flags is one gate with ``n`` inputs, so its callers limit ``n``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, islice
from operator import and_, xor

from amaranth.hdl import Signal, Value
from amaranth.utils import ceil_log2

from ..pipeline import Pipeline, Timed
from ..pipeline.gates import cleared


@dataclass(frozen=True)
class Term:
    """Combinational logic not yet placed in a step; its consumer absorbs it into a look-up table.

    For example ``Term(and_, [a, b])``, with ``a`` of step 3 and ``b`` of step 5: it can be read at step 5, the later of
    the two, while ``pipeline.step("both", and_, a, b)`` is available at step 6. The price is a wider gate where it is
    read. A term of a single value is the value.
    """

    function: Callable[..., Value]
    operands: Sequence[Timed]

    @classmethod
    def of(cls, value: Timed) -> Term:
        return cls(lambda value: value, [value])

    @classmethod
    def join(cls, function: Callable[..., Value], terms: Sequence[Term]) -> Term:
        """``function`` of several terms, as one term."""
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
        """The term placed in a step of its own; a single value needs none."""
        if len(self.operands) == 1:
            return self.operands[0]
        return pipeline.step(name, self.function, *self.operands)


Number = Sequence[Term]
"""The bits of a number, lowest first. Each may be a step later than the one below."""


def running_number(
    pipeline: Pipeline, lanes: int, total: Number,
) -> tuple[list[list[Timed]], list[Timed], list[Term]]:
    """The running number of items of a packet, modulo ``lanes``, as bits, with each bit's carry.

    Returns the bits before each beat, with copies for every few lanes; the bits after it, with ``total`` added; and the
    carries, the last of which says that the number wraps.
    """
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
    """One bit of the running number before a beat, as early as its toggle is available: one copy for every few
    lanes."""
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
    """Prefix sums: for each of the counts the sum of those before it; and the sum of all.

    The lowest bit of each sum has no step yet: its consumer absorbs it, and so gets it one step earlier.
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
    # The prefix of the upper half's first count is the lower half's sum; nothing is added.
    for index, number in enumerate(settled[half + 1 :], half + 1):
        before.append(add(pipeline, f"before{index}", left, number, width=len(left), defer=True))
    return before, add(pipeline, f"total{2 * half}", left, right, width=len(left) + 1, defer=True)


def add(
    pipeline: Pipeline, name: str, *numbers: Number, width: int, defer: bool = False
) -> list[Term]:
    """The low ``width`` bits of the sum of numbers. No step adds more bits of one weight than a look-up table has
    inputs.

    With ``defer`` the lowest bit and its carry get no step: for a sum of two numbers the consumer absorbs them.
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
    """One bit of the number of set flags: the parity of the subsets of ``2**power`` flags that are all set.

    Three of four flags are set, and 3 is 011. Three subsets of one flag are all set, which is odd, and so are three
    pairs; the only subset of four flags is not:

    >>> [sum_bit(power)(1, 0, 1, 1) for power in range(3)]
    [1, 1, 0]
    """
    return lambda *flags: reduce(xor, (reduce(and_, some) for some in combinations(flags, 1 << power)))
