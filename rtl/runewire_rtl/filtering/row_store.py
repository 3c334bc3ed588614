"""Row store: a large memory before a queue, which holds rows until there is room behind.

    cycle         0    1    2    3    4
    push          yes
    level              1    1
    reads                   yes
    read                         yes         in the memory's register
    out                               yes    in a register, on its way to the queue

The memory reads in each cycle, and a register follows it: so block RAM may use its output register.

Throughput: one row per cycle. Limits: the rows behind have no enable, so the queue takes each that is sent.
"""

from __future__ import annotations

from amaranth.hdl import Const, Elaboratable, Module, Signal, Value
from amaranth.lib.memory import Memory

from ..pipeline.restart import replica
from ..pipeline.stages import about, summary

BLOCK = 64
"""Rows from which on the memory is block RAM."""
MARGIN = 4
"""Rows that may be pushed after the cycle in whose level there was room."""
LATENCY = 4
"""Cycles from a push to the cycle in which the row is sent."""


class RowStore(Elaboratable):
    """Rows of some bits in the order in which they were pushed.

    ``push``: ``value`` enters in this cycle. ``room``: rows may be pushed from now on. ``behind``: rows may be sent.
    ``sends``: ``row`` is sent in this cycle. ``clear`` holds the store empty.

    The ``depth`` is a power of two, 16 or more. All of it but `MARGIN` rows are taken in any case.
    """

    def __init__(self, width: int, depth: int, clear: Value) -> None:
        self.depth = depth
        self.clear = clear
        self.push, self.value = Signal(name="push"), Signal(width, name="value")
        self.room = Signal(name="room", init=1, reset_less=True)
        self.behind = Signal(name="behind")
        self.sends = Signal(name="sends", reset_less=True)
        self.row = Signal(width, name="row", reset_less=True)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "row_store", summary(RowStore))
        style = {"ram_style": "block"} if self.depth >= BLOCK else {}
        memory = Memory(shape=len(self.value), depth=self.depth, init=[], attrs={"no_rw_check": True, **style})
        m.submodules.memory = memory
        write, read = memory.write_port(), memory.read_port(domain="sync")
        level = Signal(range(self.depth + 1), name="level", reset_less=True)
        some, fetched = Signal(name="some", reset_less=True), Signal(name="fetched", reset_less=True)
        written, left = (Signal(range(self.depth), name=f"{name}_row", reset_less=True) for name in ("write", "read"))
        fetches = Signal(name="fetches")
        m.d.comb += [
            write.en.eq(self.push), write.addr.eq(written), write.data.eq(self.value),
            read.en.eq(Const(1)), read.addr.eq(left), fetches.eq(some & self.behind),
        ]
        m.d.sync += [
            written.eq(written + self.push), left.eq(left + fetches), level.eq(level + self.push - fetches),
            # Of the level before this cycle's push: the row that is read was written in an earlier cycle.
            some.eq(level[1:].any() | (level[0] & ~fetches)),
            self.room.eq(~(level[-1] | level[MARGIN.bit_length() - 1 : -1].all())),
            fetched.eq(fetches), self.sends.eq(fetched), self.row.eq(read.data),
        ]
        with m.If(replica(m, self.clear, "store_clear")):
            m.d.sync += [level.eq(0), some.eq(0), fetched.eq(0), self.sends.eq(0), written.eq(0), left.eq(0)]
        return m
