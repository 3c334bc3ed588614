"""Row store: a large memory that holds the rows of a record until the record is judged, and there is room behind.

    cycle         0    1    2    3    4    5    6    7
    taken         yes
    push               yes                                 the row's record is judged with it: `judges`
    judged row              0    1                         the number of the row after the last judged one
    reads                                  yes
    read                                        yes        in the memory's register
    out                                              yes   in a register, on its way to its output

The memory reads in each cycle, and a register follows it: so block RAM may use its output register.

Throughput: one row per cycle. Limits: the rows behind have no enable, so each that is sent must find room.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory

from ..pipeline.restart import replica
from ..pipeline.stages import about, summary

BLOCK = 64
"""Rows from which on the memory is block RAM."""
COMPARED = 3
"""Bits of two numbers of rows that are compared at a time."""

class RowStore(Elaboratable):
    """Rows of some bits in the order in which they were pushed, each sent once it is judged.

    ``taken``: a row enters, and is pushed in the next cycle. ``push``: ``value`` is written; with ``judges``, it and
    all rows before it are judged. ``room``: a row may be taken. ``more``: no other memory is full; otherwise ``room``
    falls one cycle later. ``behind``: rows may be sent. ``sends``: ``row`` is sent in this cycle. ``clear`` holds the
    store empty.

    The ``depth`` is a power of two, 16 or more. All of its rows may be in use.
    """

    def __init__(self, width: int, depth: int, clear: Value) -> None:
        self.depth = depth
        self.clear = clear
        self.taken, self.push, self.judges = Signal(name="taken"), Signal(name="push"), Signal(name="judges")
        self.value = Signal(width, name="value")
        self.room = Signal(name="room", init=1, reset_less=True)
        self.more, self.behind = Signal(name="more"), Signal(name="behind")
        self.sends = Signal(name="sends", reset_less=True)
        self.row = Signal(width, name="row", reset_less=True)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "row_store", summary(RowStore))
        style = {"ram_style": "block"} if self.depth >= BLOCK else {}
        memory = Memory(shape=len(self.value), depth=self.depth, init=[], attrs={"no_rw_check": True, **style})
        m.submodules.memory = memory
        write, read = memory.write_port(), memory.read_port(domain="sync")
        some, fetched, told = (Signal(name=name, reset_less=True) for name in ("some", "fetched", "judges_late"))
        # Numbers of rows, modulo twice the depth: a full store has as many judged rows to send as an empty one has not.
        entered, written, judged, left = (Signal(range(2 * self.depth), name=f"{name}_row", reset_less=True)
                                          for name in ("enter", "write", "judged", "read"))
        further, after = ([Signal(range(2 * self.depth), name=f"{name}_row_plus{ahead}", init=ahead, reset_less=True)
                           for ahead in (1, 2)] for name in ("enter", "read"))
        fetches, took = Signal(name="fetches"), Signal(name="took", reset_less=True)
        # A full store's next row is as far ahead of the next one to send as the store has rows. They are compared a
        # cycle ahead, for the rows that may have been taken by then; the same for rows to send.
        full = Cat(Const(0, len(left) - 1), 1) ^ left
        filled = [self._equal(m, f"full_after{ahead}", row, full) for ahead, row in enumerate((entered, *further))]
        empty = [self._equal(m, f"empty_after{ahead}", row, judged, init=1) for ahead, row in enumerate((left, *after))]
        m.d.comb += [
            write.en.eq(self.push), write.addr.eq(written[:-1]), write.data.eq(self.value),
            read.en.eq(Const(1)), read.addr.eq(left[:-1]), fetches.eq(some & self.behind),
        ]
        m.d.sync += [
            written.eq(entered), told.eq(self.push & self.judges),
            some.eq(~_after(empty, fetches, fetched)),
            took.eq(self.taken), self.room.eq(self.more & ~_after(filled, self.taken, took)),
            fetched.eq(fetches), self.sends.eq(fetched), self.row.eq(read.data),
        ]
        with m.If(self.taken):
            m.d.sync += [entered.eq(further[0]), further[0].eq(further[1]), further[1].eq(further[1] + 1)]
        with m.If(told):
            m.d.sync += judged.eq(written)
        with m.If(fetches):
            m.d.sync += [left.eq(after[0]), after[0].eq(after[1]), after[1].eq(after[1] + 1)]
        with m.If(replica(m, self.clear, "store_clear")):
            m.d.sync += [
                some.eq(0), fetched.eq(0), self.sends.eq(0), told.eq(0),
                entered.eq(0), *(row.eq(row.init) for row in (*further, *after)), took.eq(0), written.eq(0),
                judged.eq(0), left.eq(0),
            ]
        return m

    def _equal(self, m: Module, name: str, one: Value, other: Value, init: int = 0) -> Value:
        """Whether two values were equal in the cycle before: of a few bits each in a register, which begins with
        ``init``."""
        parts = []
        for first in range(0, len(one), COMPARED):
            part = Signal(name=f"{name}_from{first}", init=init, reset_less=True)
            m.d.sync += part.eq(one[first : first + COMPARED] == other[first : first + COMPARED])
            parts.append(part)
        return Cat(parts).all()


def _after(flags: Sequence[Value], now: Value, before: Value) -> Value:
    """The flag for a number that is raised ``now``, or was in the cycle before, or both: of 0, 1 or 2 more."""
    return Mux(now, Mux(before, flags[2], flags[1]), Mux(before, flags[1], flags[0]))
