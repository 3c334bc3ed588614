"""Queue: values in a memory, and the first of them in a register.

A value that enters an empty queue:

    cycle         0    1    2    3    4
    push          yes
    level              1    1
    reads                   yes
    read                         yes         in the memory's register
    head                              yes    at the output, until `pop`

Throughput: one value per cycle. Limits: `room` falls two cycles after half of the rows are in use. The other half is
for values that are on their way then.
"""

from __future__ import annotations

from amaranth.hdl import Elaboratable, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory

from ..pipeline.carry_free_counters import Thermometer
from ..pipeline.restart import replica
from ..pipeline.stages import about, summary


class Queue(Elaboratable):
    """Values of some bits in the order in which they were pushed.

    ``push``: ``value`` enters in this cycle. ``room``: values may be pushed from now on. ``valid``: ``head`` is the
    first value. ``pop``: it leaves in this cycle. ``clear`` holds the queue empty.

    The ``depth`` is a power of two, 8 or more.
    """

    def __init__(self, width: int, depth: int, clear: Value) -> None:
        self.depth = depth
        self.clear = clear
        self.push, self.value = Signal(name="push"), Signal(width, name="value")
        self.room = Signal(name="room")
        self.valid = Signal(name="valid", reset_less=True)
        self.head = Signal(width, name="head", reset_less=True)
        self.pop = Signal(name="pop")

    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "queue", summary(Queue))
        memory = Memory(shape=len(self.value), depth=self.depth, init=[], attrs={"no_rw_check": True})
        m.submodules.memory = memory
        write, read = memory.write_port(), memory.read_port(domain="sync")
        m.submodules.level = level = Thermometer(self.depth, clear=self.clear)
        some, fetched = Signal(name="some", reset_less=True), Signal(name="fetched", reset_less=True)
        # Numbers of rows, modulo twice the depth: in a full queue they differ.
        written, left = (Signal(range(2 * self.depth), name=f"{name}_row", reset_less=True)
                         for name in ("write", "read"))
        after = Signal(range(2 * self.depth), name="read_row_after", init=1, reset_less=True)
        fetches, moves, free = Signal(name="fetches"), Signal(name="moves"), Signal(name="free")
        # In a register, as the output's `ready` is a long path.
        gone = Signal(name="gone", reset_less=True)
        m.d.comb += [
            write.en.eq(self.push), write.addr.eq(written[:-1]), write.data.eq(self.value),
            read.en.eq(free), read.addr.eq(left[:-1]),
            moves.eq(~self.valid | self.pop), free.eq(~fetched | moves), fetches.eq(some & free),
            level.up.eq(self.push), level.down.eq(gone), self.room.eq(~level.level[self.depth // 2 - 1]),
        ]
        m.d.sync += [
            written.eq(written + self.push), gone.eq(fetches),
            # Before this cycle's push: the value that is read was written in an earlier cycle.
            some.eq(Mux(fetches, written != after, written != left)),
        ]
        with m.If(fetches):
            m.d.sync += [left.eq(after), after.eq(after + 1)]
        with m.If(free):
            m.d.sync += fetched.eq(fetches)
        with m.If(moves):
            m.d.sync += [self.valid.eq(fetched), self.head.eq(read.data)]
        with m.If(replica(m, self.clear, "queue_clear")):
            m.d.sync += [
                some.eq(0), gone.eq(0), fetched.eq(0), self.valid.eq(0), written.eq(0), left.eq(0), after.eq(1),
            ]
        return m
