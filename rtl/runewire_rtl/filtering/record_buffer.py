"""Record buffer: holds the rows of a record until the record is judged, then sends them to one of two outputs.

Four lanes, ``longest`` of eight bytes, which are two rows. The records ``61 62 63 64 0A``, ``FF 0A``, and one of nine
bytes:

    row            a b c d   0A   FF 0A   e f g h   i j k l   0A
    last                     1    1                           1
    judged                   0    1                 1              0 stays, 1 is rejected
    detail                   x    x                           x    the first error, and whether it is too long

A record of as many rows as the buffer has, without its end, is too long: it is rejected before it ends. So its rows
leave, and the buffer takes any record without a deadlock. Each row leaves in order, and no row moves inside the buffer.

A judged row passes three registers, and none of them waits: the store's, one in which its record's judgement is known,
and one of the row as its output takes it. Behind these each output has a queue, with room for all rows on the way.

Throughput: one row per cycle. While one of the queues has no room, no row leaves the store.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib import data
from runewire_model.report import COUNT_WIDTH, TAGS, Sidebands

from ..pipeline.restart import Restart, replica
from ..pipeline.stages import about, summary
from .judgements import Judgements
from .queue import LATENCY as QUEUE_LATENCY
from .queue import Queue
from .row_port import RowPort
from .row_store import LATENCY as STORE_LATENCY
from .row_store import RowStore

ROWS = 16
"""Rows of the queues behind the store, and of the smallest store."""
LATENCY = 1 + STORE_LATENCY + 2 + QUEUE_LATENCY
"""Cycles from a row's handshake to its first cycle at the good output, if its record ends with it."""


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
        m.submodules.judgements = judgements = Judgements(self.judgement.size, self.detail.size, clear)
        self._write(m, store, judgements)
        self._read(m, store, judgements)
        return m

    def _write(self, m: Module, store: RowStore, judgements: Judgements) -> None:
        """Each row in a register, then in the store; its record's judgement and details in their memories."""
        stream = self.rows
        valid = Signal(name="row_valid", reset_less=True)
        row = Signal(stream.payload.shape(), name="row", reset_less=True)
        m.d.comb += [
            stream.ready.eq(store.room & judgements.room & self.opened), store.taken.eq(stream.valid & stream.ready),
        ]
        m.d.sync += [valid.eq(store.taken), row.eq(stream.payload)]
        _, ends, hollow = row.report.user[:3]
        before = Signal(range(max(2, self.longest)), name="rows_before", reset_less=True)
        long = Signal(name="long", reset_less=True)
        fills, wrong = Signal(name="fills"), Signal(name="wrong")
        m.d.comb += [
            fills.eq((before == self.longest - 1) & ~row.last & ~long), wrong.eq(row.report.error & ~hollow),
        ]
        with m.If(valid):
            m.d.sync += [before.eq(Mux(row.last, 0, before + 1)), long.eq((long | fills) & ~row.last)]
        with m.If(replica(m, self.restart.clear, "row_clear")):
            m.d.sync += [before.eq(0), long.eq(0), valid.eq(0)]
        entering = data.View(self.row, store.value)
        judged, detail = data.View(self.judgement, judgements.judged), data.View(self.detail, judgements.details)
        m.d.comb += [
            store.push.eq(valid), store.judges.eq(row.last | fills | long), entering.data.eq(row.data),
            entering.last.eq(row.last), entering.keep.eq(row.keep & ~hollow.replicate(len(row.keep))),
            judgements.judges.eq(valid & (row.last & ~long | fills)), judged.reject.eq(fills | wrong),
            *(judged[name].eq(row[name]) for name in self.sidebands.tags),
            judgements.ends.eq(valid & row.last), detail.ends.eq(ends),
        ]
        if self.sidebands.user:
            m.d.comb += detail.user.eq(row.report.user[3:])
        if self.rejects is not None:
            m.d.comb += [detail.kind.eq(row.report.kind), detail.offset.eq(row.report.offset), detail.long.eq(long)]

    def _read(self, m: Module, store: RowStore, judgements: Judgements) -> None:
        """Each row of a judged record to its output, and the record's end."""
        clear = replica(m, self.restart.clear, "judged_clear")
        stored = data.View(self.row, store.row)
        valid, ends = Signal(name="judged_valid", reset_less=True), Signal(name="record_ends", reset_less=True)
        row = Signal(self.row, name="judged_row", reset_less=True)
        judged, detail = data.View(self.judgement, judgements.judgement), data.View(self.detail, judgements.detail)
        m.d.comb += judgements.leaves.eq(store.sends & stored.last)
        m.d.sync += [valid.eq(store.sends), row.eq(stored), ends.eq(judgements.leaves)]
        packet_ends, stays = Signal(name="packet_ends"), Signal(name="stays")
        m.d.comb += [packet_ends.eq(ends & detail.ends), stays.eq(~judged.reject | packet_ends)]
        _, rejected = self._count(m, "rejected", ends & judged.reject, packet_ends)
        user = [detail.user] if self.sidebands.user else []
        tags = {name: judged[name] for name in TAGS if name in self.sidebands.tags}
        good = Signal(self.good.payload.shape(), name="good_row", reset_less=True)
        kept = row.keep & ~judged.reject.replicate(len(row.keep))
        leaves = [(Signal(name="good_leaves", reset_less=True), valid & stays)]
        m.d.sync += [
            good.data.eq(row.data), good.keep.eq(kept), good.last.eq(packet_ends), good.user.eq(Cat(rejected, *user)),
            *(good[name].eq(value) for name, value in tags.items()),
        ]
        behind = self._queue(m, "good", Value.cast(good), leaves[0][0])
        m.d.comb += [
            Value.cast(self.good.payload).eq(behind.head), self.good.valid.eq(behind.valid & self.opened),
            behind.pop.eq(self.good.valid & self.good.ready), store.behind.eq(behind.room),
        ]
        if self.rejects is not None:
            leaves.append((Signal(name="reject_leaves", reset_less=True), valid & judged.reject))
            number, _ = self._count(m, "record", ends, packet_ends)
            end = [detail.kind, detail.offset, number, detail.long]
            rejected_row = Signal(self.rejects.payload.shape(), name="rejected_row", reset_less=True)
            m.d.sync += [
                rejected_row.data.eq(row.data), rejected_row.keep.eq(row.keep), rejected_row.last.eq(row.last),
                Value.cast(rejected_row.report).eq(Cat(end) & row.last.replicate(sum(map(len, end)))),
                *(rejected_row[name].eq(value) for name, value in tags.items()),
            ]
            rejects = self._queue(m, "rejects", Value.cast(rejected_row), leaves[1][0])
            m.submodules.rejects = port = RowPort(self.rejects, self.restart.clear)
            m.d.comb += [
                port.report.eq(rejects.head), port.take.eq(rejects.pop), rejects.pop.eq(rejects.valid & port.room),
                self.rejects.valid.eq(port.offer & self.opened), store.behind.eq(behind.room & rejects.room),
            ]
        for register, value in leaves:
            m.d.sync += register.eq(value)
        with m.If(clear):
            m.d.sync += [valid.eq(0), ends.eq(0), *(register.eq(0) for register, _ in leaves)]

    def _queue(self, m: Module, name: str, row: Value, push: Value) -> Queue:
        """The queue before an output, which takes ``row`` in each cycle with ``push``."""
        m.submodules[f"{name}_rows"] = queue = Queue(len(row), ROWS, self.restart.clear)
        m.d.comb += [queue.push.eq(push), queue.value.eq(row)]
        return queue

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
