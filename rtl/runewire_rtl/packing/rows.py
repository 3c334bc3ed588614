"""Row numbers: the row of the buffer that each lane writes.

Row ``n`` is in bank ``n % 2``, at address ``n // 2``. Four lanes, dense: row 5 is under way and has three items. The
next beat has A, B and C, of which A fills the row:

    lane                0    1    2    3
    item                B    C    -    A
    wrapped             1    1    1    0    before the lane where the beat starts: an item is in the next row
    row                 6    6    6    5
    address             3    3    3    2
    enable, by bank     0    0    -    1

A beat's items are in the row under way or in the next one; these two rows are in different banks: here row 6 in bank 0,
row 5 in bank 1. So one address per bank, 3 and 2, serves all lanes.

Then row 6 is under way, or row 7 if the beat was its packet's last. So the number rises by one or two.

In wide cores it is counted in two parts. Its low two bits and a carry change first, its high part a register later:

    number              3        4           2        4
    low, high           11 0     00 1        10 0     00 1
    rises by            one                  two
    carry               1                    1           of the low bits, for the high part

Throughput: one beat per cycle.

Limits: numbers are modulo the rows of the buffer, a power of two. A beat ends at most two rows. If numbers are counted
in two parts, the carry from the low two bits reaches the high part one register later; the beat is delayed by as much.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Mux, Signal, Value

from ..buffer.read_controller import BANKS
from ..pipeline import Pipeline, Timed
from ..pipeline.carry_free_counters import incremented
from ..pipeline.gates import chosen
from ..pipeline.restart import replica


def counted(pipeline: Pipeline, name: str, event: Timed, step: int, size: int) -> Timed:
    """Event counter: the number of events before this cycle, modulo ``size``, at ``step``. A register must follow."""
    m = pipeline.m
    count = Signal(range(size), name=name, reset_less=True)
    with m.If(event.at(step)):
        m.d.sync += count.eq(incremented(count))
    with m.If(replica(m, pipeline.restart.clear, f"{name}_clear")):
        m.d.sync += count.eq(0)
    return Timed(pipeline, step, count, name)


def rows_under_way(pipeline: Pipeline, moves: Timed, twice: Timed, size: int, after: int) -> list[Timed]:
    """The numbers of the row under way and of the next, modulo ``size``, at step ``after``.

    Both rise at ``moves``: by one, or with ``twice`` by two. If ``after`` leaves a register for the carry, they are
    counted in two parts.
    """
    m = pipeline.m
    step = pipeline.before_register(moves.step)
    clear = replica(m, pipeline.restart.clear, "rows_clear")
    if after == step:
        rows = [Signal(range(size), name=f"row_plus{i}", init=i, reset_less=True) for i in range(3)]
        far = incremented(rows[2])
        with m.If(moves.at(step)):
            ahead = [*rows, far, incremented(far)]
            for row, once, both in zip(rows, ahead[1:], ahead[2:], strict=False):
                m.d.sync += row.eq(Mux(twice.at(step), both, once))
        with m.If(clear):
            m.d.sync += [row.eq(row.init) for row in rows]
        return [Timed(pipeline, step, row, row.name) for row in rows[:2]]
    # All bits at once would exceed one look-up table: the carry of the low two waits in a register.
    numbers = []
    for index in range(2):
        low = Signal(2, name=f"row_plus{index}_low", init=index, reset_less=True)
        carry = Signal(name=f"row_plus{index}_carry", reset_less=True)
        high = Signal(range(size // 4), name=f"row_plus{index}_high", reset_less=True)
        with m.If(moves.at(step)):
            m.d.sync += low.eq(Cat(low[0] ^ ~twice.at(step), low[1] ^ (low[0] | twice.at(step))))
        m.d.sync += carry.eq(moves.at(step) & (low.all() | (low[1] & twice.at(step))))
        with m.If(carry):
            m.d.sync += high.eq(incremented(high))
        with m.If(clear):
            m.d.sync += [low.eq(index), high.eq(0)]
        number = Cat(Timed(pipeline, step, low, low.name).at(after), high)
        numbers.append(Timed(pipeline, after, number, f"row_plus{index}"))
    return numbers


def address(pipeline: Pipeline, name: str, present: Timed, row: Timed) -> Timed:
    """Address and enables of a write, if ``present`` is set: the row in its bank, and above it one enable per bank."""
    def joined(present: Value, row: Value) -> Value:
        return Cat(row[1:], [present & (row[0] == bank) for bank in range(BANKS)])

    return pipeline.step(name, joined, present, row, keep=True)


def bank_addresses(row: Timed, next_row: Timed) -> tuple[Timed, Timed]:
    """The address in each bank, for ``row`` and the row after it: one of them is in each bank."""
    # With an even row both addresses are equal; with an odd one the next row is in the even bank.
    return next_row.part(1, next_row.shape.width - 1), row.part(1, row.shape.width - 1)


def bank_enables(reached: Value, wrapped: Value, full: Value, odd: Value) -> Value:
    """Write enables of a lane, one per bank, if the lane has an item.

    ``reached``: the lane is below the end of the beat's items. ``wrapped``: it is below their start. ``full``: the beat
    fills a row. ``odd``: the row under way has an odd number.
    """
    here, beyond = (reached | full) & ~wrapped, reached & full & wrapped
    return Cat(chosen(odd, beyond, here), chosen(odd, here, beyond))
