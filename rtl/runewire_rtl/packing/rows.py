"""Row numbers: the row of the buffer that each lane writes to.

Row ``n`` lies in bank ``n % 2``, at address ``n // 2``. Four lanes, dense: row 5 is under way and has three items. The
next beat has A, B and C, of which A fills the row:

    lane                0    1    2    3
    item                B    C    -    A
    wrapped             1    1    1    0    below the lane where the beat started: in the next row
    row                 6    6    6    5
    address             3    3    3    2
    enable, by bank     0    0    -    1

A beat's items are in the row under way or in the next, and of these each bank has one: here bank 0 row 6, bank 1 row 5.
So what has an address for each bank, 3 and 2, may have it for all lanes.

From then on row 6 is under way, or row 7 if the beat was its packet's last: so the number goes on by one or two.

Limits: numbers are modulo the rows of the buffer, a power of two. A beat ends two rows at most. Where numbers are
counted in two parts, what the low two bits carry reaches the high part a register later, and so does the beat.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Mux, Signal, Value

from ..buffer.read_controller import BANKS
from ..pipeline import Pipeline, Timed
from ..pipeline.carry_free_counters import incremented
from ..pipeline.gates import chosen
from ..pipeline.restart import replica

__all__ = ["address", "bank_addresses", "bank_enables", "counted", "rows_under_way"]


def counted(pipeline: Pipeline, name: str, event: Timed, step: int, size: int) -> Timed:
    """Number of events before this cycle, modulo ``size``, at ``step``, which a register must follow."""
    m = pipeline.m
    count = Signal(range(size), name=name, reset_less=True)
    with m.If(event.at(step)):
        m.d.sync += count.eq(incremented(count))
    with m.If(replica(m, pipeline.restart.clear, f"{name}_clear")):
        m.d.sync += count.eq(0)
    return Timed(pipeline, step, count, name)


def rows_under_way(pipeline: Pipeline, moves: Timed, twice: Timed, size: int, after: int) -> list[Timed]:
    """The number of the row under way, modulo ``size``, and of the next, at step ``after``: both go on by one, or
    two, at ``moves``. They are counted at once where ``after`` leaves no register for a carry, else in two parts."""
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
    # All bits at once would be more than one look-up table: what the low two carry waits in a register.
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
    """Address of a write where the flag ``present`` is set: the row in its bank, then a bit a bank that enables it."""
    def joined(present: Value, row: Value) -> Value:
        return Cat(row[1:], [present & (row[0] == bank) for bank in range(BANKS)])

    return pipeline.step(name, joined, present, row, keep=True)


def bank_addresses(row: Timed, next_row: Timed) -> tuple[Timed, Timed]:
    """For each bank the address of the row that is its of two: ``row`` or the one after it."""
    # With an even row both have the same; with an odd one the next is the even bank's.
    return next_row.part(1, next_row.shape.width - 1), row.part(1, row.shape.width - 1)


def bank_enables(reached: Value, wrapped: Value, full: Value, odd: Value) -> Value:
    """A bit for each bank that enables the write of a lane, if the lane has an item: it is below the end of the beat's
    items (``reached``), or below their start (``wrapped``), and the beat may have filled a row (``full``), whose number
    is ``odd``, as that of any row under way."""
    here, beyond = (reached | full) & ~wrapped, reached & full & wrapped
    return Cat(chosen(odd, beyond, here), chosen(odd, here, beyond))
