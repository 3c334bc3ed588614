"""Record buffer: holds the rows of a record until the record is judged, then sends them to one of two outputs.

Four lanes, ``longest`` of eight bytes, which are two rows. The records ``61 62 63 64 0A``, ``FF 0A``, and one of nine
bytes:

    row            a b c d   0A   FF 0A   e f g h   i j k l   0A
    last                     1    1                           1
    judged                   0    1                 1              0 stays, 1 is rejected
    detail                   x    x                           x    the first error, and whether it is too long

A record of as many rows as the buffer has, without its end, is too long: it is rejected before it ends. So its rows
leave, and the buffer takes any record without a deadlock. No row moves inside the buffer, and each leaves in order.

Throughput: one row per cycle. A row waits while its output has no room; all rows behind it wait too.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib import data
from runewire_model.report import COUNT_WIDTH, TAGS, Sidebands

from ..pipeline.restart import Restart, replica
from ..pipeline.stages import about, summary
from .queue import LATENCY as QUEUE_LATENCY
from .queue import Queue
from .row_port import RowPort
from .row_store import LATENCY as STORE_LATENCY
from .row_store import RowStore

RECORDS = 32
"""Rows of the queues of judgements and details: half as many records may wait in the buffer."""
ROWS = 16
"""Rows of the queue behind the store, and of the smallest store. The queue takes more rows than the store leaves."""
LATENCY = 1 + STORE_LATENCY + QUEUE_LATENCY + 1
"""Cycles from a row's handshake to its first cycle at an output, if its record ends with it."""


class RecordBuffer(Elaboratable):
    """Holds each record until it is judged. Then its rows go to the good output or are rejected.

    ``rows``: a validator's output, whose packets are records; `core_front.parts_of_filter` has the bits of its user
    field. ``good``: a packer's input, with ``user`` of the packet above the number of its rejected records.
    ``rejects``: the output of rejected records, None without one. ``opened``: the core is open.
    """

    def __init__(self, rows: Any, good: Any, rejects: Any, sidebands: Sidebands, restart: Restart,
                 opened: Value) -> None:
        self.rows, self.good, self.rejects = rows, good, rejects
        self.sidebands = sidebands
        self.restart = restart
        self.opened = opened
        lanes = len(rows.payload.keep)
        told = {"kind": len(rows.payload.report.kind), "offset": len(rows.payload.report.offset),
                "long": 1} if rejects is not None else {}
        self.longest = (sidebands.longest or 0) // lanes
        self.row = data.StructLayout({"data": data.ArrayLayout(8, lanes), "keep": lanes, "last": 1})
        self.judgement = data.StructLayout({"reject": 1, **sidebands.tags})
        self.detail = data.StructLayout({**told, "ends": 1, **({"user": sidebands.user} if sidebands.user else {})})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "record_buffer", summary(RecordBuffer))
        clear = self.restart.clear
        m.submodules.store = store = RowStore(self.row.size, max(ROWS, self.longest), clear)
        m.submodules.rows = rows = Queue(self.row.size, ROWS, clear)
        m.d.comb += [store.behind.eq(rows.room), rows.push.eq(store.sends), rows.value.eq(store.row)]
        m.submodules.judgements = judgements = Queue(self.judgement.size, RECORDS, clear)
        m.submodules.details = details = Queue(self.detail.size, RECORDS, clear)
        self._write(m, store, judgements, details)
        self._read(m, rows, judgements, details)
        return m

    def _write(self, m: Module, rows: RowStore, judgements: Queue, details: Queue) -> None:
        """Each row in a register, then in the store; its record's judgement and end in their queues."""
        stream = self.rows
        valid = Signal(name="row_valid", reset_less=True)
        row = Signal(stream.payload.shape(), name="row", reset_less=True)
        m.d.comb += stream.ready.eq(rows.room & judgements.room & details.room & self.opened)
        m.d.sync += [valid.eq(stream.valid & stream.ready), row.eq(stream.payload)]
        _, ends, hollow = row.report.user[:3]
        before = Signal(range(max(2, self.longest)), name="rows_before", reset_less=True)
        long = Signal(name="long", reset_less=True)
        fills, wrong, judges = Signal(name="fills"), Signal(name="wrong"), Signal(name="judges")
        m.d.comb += [
            fills.eq((before == self.longest - 1) & ~row.last & ~long),
            wrong.eq(row.report.error & ~hollow), judges.eq(row.last & ~long | fills),
        ]
        with m.If(valid):
            m.d.sync += [before.eq(Mux(row.last, 0, before + 1)), long.eq((long | fills) & ~row.last)]
        with m.If(replica(m, self.restart.clear, "row_clear")):
            m.d.sync += [before.eq(0), long.eq(0), valid.eq(0)]
        entering = data.View(self.row, rows.value)
        judged, detail = data.View(self.judgement, judgements.value), data.View(self.detail, details.value)
        m.d.comb += [
            rows.push.eq(valid), entering.data.eq(row.data), entering.last.eq(row.last),
            entering.keep.eq(row.keep & ~hollow.replicate(len(row.keep))),
            judgements.push.eq(valid & judges), judged.reject.eq(fills | wrong),
            *(judged[name].eq(row[name]) for name in self.sidebands.tags),
            details.push.eq(valid & row.last), detail.ends.eq(ends),
        ]
        if self.sidebands.user:
            m.d.comb += detail.user.eq(row.report.user[3:])
        if self.rejects is not None:
            m.d.comb += [detail.kind.eq(row.report.kind), detail.offset.eq(row.report.offset), detail.long.eq(long)]

    def _read(self, m: Module, rows: Queue, judgements: Queue, details: Queue) -> None:
        """Each row of a judged record to its output, and the record's end."""
        clear = self.restart.clear
        row = data.View(self.row, rows.head)
        judged, detail = data.View(self.judgement, judgements.head), data.View(self.detail, details.head)
        m.submodules.good = good = RowPort(self.good, clear)
        reject, record_ends, packet_ends = Signal(name="reject"), Signal(name="record_ends"), Signal(name="packet_ends")
        takes, there, stays = Signal(name="takes"), Signal(name="there"), Signal(name="stays")
        room: Value = good.room | ~stays
        if self.rejects is not None:
            m.submodules.rejects = rejects = RowPort(self.rejects, clear)
            room &= rejects.room | ~reject
        m.d.comb += [
            there.eq(rows.valid & judgements.valid & (details.valid | ~row.last)),
            reject.eq(judged.reject), stays.eq(~reject | (row.last & detail.ends)), takes.eq(there & room),
            record_ends.eq(takes & row.last), packet_ends.eq(record_ends & detail.ends),
            rows.pop.eq(takes), judgements.pop.eq(record_ends), details.pop.eq(record_ends),
            self.good.valid.eq(good.offer & self.opened),
        ]
        _, rejected = self._count(m, "rejected", record_ends & reject, packet_ends)
        user = [detail.user] if self.sidebands.user else []
        tags = {name: judged[name] for name in TAGS if name in self.sidebands.tags}
        payload = Signal(self.good.payload.shape(), name="good_row")
        m.d.comb += [
            payload.data.eq(row.data), payload.keep.eq(row.keep & ~reject.replicate(len(row.keep))),
            payload.last.eq(packet_ends), payload.user.eq(Cat(rejected, *user)),
            *(payload[name].eq(value) for name, value in tags.items()),
            good.take.eq(takes & stays), good.report.eq(payload),
        ]
        if self.rejects is None:
            return
        number, _ = self._count(m, "record", record_ends, packet_ends)
        end = [detail.kind, detail.offset, number, detail.long]
        reject_row = Signal(self.rejects.payload.shape(), name="reject_row")
        m.d.comb += [
            reject_row.data.eq(row.data), reject_row.keep.eq(row.keep), reject_row.last.eq(row.last),
            Value.cast(reject_row.report).eq(Cat(Cat(end) & row.last.replicate(sum(map(len, end))))),
            *(reject_row[name].eq(value) for name, value in tags.items()),
            rejects.take.eq(takes & reject), rejects.report.eq(reject_row),
            self.rejects.valid.eq(rejects.offer & self.opened),
        ]

    def _count(self, m: Module, name: str, up: Value, restart: Value) -> tuple[Signal, Signal]:
        """A counter that stays at all ones, and its value with this cycle's ``up``. ``restart``: it is zero in the next
        cycle."""
        value, after = Signal(COUNT_WIDTH, name=name, reset_less=True), Signal(COUNT_WIDTH, name=f"{name}_after")
        # One more than the value, so that no carry is on the way to an output.
        more = Signal(COUNT_WIDTH, name=f"{name}_more", init=1, reset_less=True)
        # All bits of it but the lowest, a cycle late: they are the same when the lowest is set.
        near = Signal(name=f"{name}_near", reset_less=True)
        m.d.comb += after.eq(Mux(up, more, value))
        m.d.sync += [near.eq(more[1:].all()), value.eq(after)]
        with m.If(up):
            m.d.sync += more.eq(more + ~(near & more[0]))
        with m.If(restart | replica(m, self.restart.clear, f"{name}_clear")):
            m.d.sync += [value.eq(0), more.eq(1), near.eq(0)]
        return value, after
