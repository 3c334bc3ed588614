"""Judgements: the judgement and the details of each record in the buffer, until its last row leaves.

    cycle         0    1    2    3    4    5    6
    ends          yes                                 a record's last row enters the buffer, its details with it
    writes             yes                            in registers, before the memories
    level                   1    1    1    1
    leaves                                 yes        the record's last row leaves, at the earliest
    judgement                                   yes

Each record has a row in two memories, which are read in each cycle. A record that is too long is judged before it ends:
so its judgement is written before its details.

Throughput: one record per cycle. Limits: `room` falls two cycles after half of the rows are in use. The other half is
for records that are on their way then.
"""

from __future__ import annotations

from amaranth.hdl import Const, Elaboratable, Module, Signal, Value
from amaranth.lib.memory import Memory

from ..pipeline.carry_free_counters import Thermometer, incremented
from ..pipeline.restart import replica
from ..pipeline.stages import about, summary

RECORDS = 32
"""Rows of a filter's memories: half as many records may wait in the buffer."""


class Judgements(Elaboratable):
    """Two values of each record in the buffer, in the order of the records.

    ``judges``: ``judged`` is the judgement of the record that enters. ``ends``: that record ends, and ``details`` are
    its details. ``room``: records may enter from now on. ``leaves``: the last row of the record that leaves is at the
    buffer's output. ``judgement`` and ``detail``: the values of the record whose row was there one cycle before.
    ``clear`` forgets all records.

    The memories have ``records`` rows, a power of two.
    """

    def __init__(self, judgement: int, detail: int, records: int, clear: Value) -> None:
        self.records = records
        self.clear = clear
        self.judges, self.judged = Signal(name="judges"), Signal(judgement, name="judged")
        self.ends, self.details = Signal(name="ends"), Signal(detail, name="details")
        self.room = Signal(name="room")
        self.leaves = Signal(name="leaves")
        self.judgement, self.detail = Signal(judgement, name="judgement"), Signal(detail, name="detail")

    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "judgements", summary(Judgements))
        m.submodules.level = level = Thermometer(self.records, clear=self.clear)
        m.d.comb += [
            level.up.eq(self.ends), level.down.eq(self.leaves), self.room.eq(~level.level[self.records // 2 - 1]),
        ]
        entering, leaving = (Signal(range(self.records), name=f"{name}_record", reset_less=True)
                             for name in ("entering", "leaving"))
        # The rows are on their way for some cycles: there is time for a register before the memories.
        judges, ends = (Signal(name=f"{name}_late", reset_less=True) for name in ("judges", "ends"))
        judged, details = (Signal(len(value), name=f"{name}_late", reset_less=True)
                           for name, value in (("judged", self.judged), ("details", self.details)))
        m.d.sync += [judges.eq(self.judges), ends.eq(self.ends), judged.eq(self.judged), details.eq(self.details)]
        for name, enable, value, shown in (("judgement", judges, judged, self.judgement),
                                           ("detail", ends, details, self.detail)):
            memory = Memory(shape=len(value), depth=self.records, init=[], attrs={"no_rw_check": True})
            m.submodules[f"{name}_memory"] = memory
            write, read = memory.write_port(), memory.read_port(domain="sync")
            m.d.comb += [
                write.en.eq(enable), write.addr.eq(entering), write.data.eq(value), read.en.eq(Const(1)),
                read.addr.eq(leaving), shown.eq(read.data),
            ]
        for moves, record in ((ends, entering), (self.leaves, leaving)):
            with m.If(moves):
                m.d.sync += record.eq(incremented(record))
        with m.If(replica(m, self.clear, "judgements_clear")):
            m.d.sync += [entering.eq(0), leaving.eq(0)]
        return m
