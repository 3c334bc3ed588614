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
and one of the row as its output takes it. Behind these are a packer and a queue of rejected rows. Each has room for all
rows on the way.

Throughput: one row per cycle. While the packer or the queue has no room, no row leaves the store.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib import data
from runewire_model import TranscoderParameters
from runewire_model.report import COUNT_WIDTH, TAGS, Sidebands
from runewire_model.timing import RecordBufferTiming

from ..buffer.output_buffer import CREDIT_LOOP
from ..cut_points import cut_point
from ..pipeline.restart import Restart, replica
from ..pipeline.stages import about, summary
from .judgements import RECORDS, Judgements
from .queue import Queue
from .row_port import RowPort
from .row_store import RowStore

ROWS = 16
"""Rows of the queue of rejects, and of the smallest store."""

AHEAD = 5
"""Rows between the packer's flag that it has room and its port: four registers, and one of the flag."""


def buffer_timing(parameters: TranscoderParameters) -> RecordBufferTiming:
    """The timing of a filter's record buffer, for the cycle model."""
    return RecordBufferTiming(max(ROWS, (parameters.sidebands.longest or 0) // parameters.lanes), RECORDS, ROWS,
                              CREDIT_LOOP + AHEAD)


class RecordBuffer(Elaboratable):
    """Holds each record until it is judged. Then its rows go to the good output or are rejected.

    ``rows``: a validator's output, whose packets are records; `core_front.parts_of_filter` has the bits of its user
    field. ``good``: a packer's input, with ``user`` of the packet above the number of its rejected records. It takes
    a row in any cycle, if ``room`` was set when the row left the store.
    ``rejects``: the output of rejected records, None without one. ``opened``: the core is open, so that output may be
    valid.
    """

    def __init__(self, rows: Any, good: Any, room: Value, rejects: Any, sidebands: Sidebands, restart: Restart,
                 opened: Value) -> None:
        self.rows, self.good, self.room, self.rejects = rows, good, room, rejects
        self.sidebands = sidebands
        self.restart = restart
        self.opened = opened
        lanes = len(rows.payload.keep)
        told = {"kind": len(rows.payload.report.kind), "offset": len(rows.payload.report.offset),
                "long": 1} if rejects is not None else {}
        self.longest = (sidebands.longest or 0) // lanes
        self.depth, self.records, self.count_width = max(ROWS, self.longest), RECORDS, COUNT_WIDTH
        self.row = data.StructLayout({"data": rows.payload.shape().members["data"], "keep": lanes, "last": 1})
        self.judgement = data.StructLayout({"reject": 1, **sidebands.tags})
        self.detail = data.StructLayout({**told, "ends": 1, **({"user": sidebands.user} if sidebands.user else {})})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "record_buffer", summary(RecordBuffer))
        clear = self.restart.clear
        m.submodules.store = store = RowStore(self.row.size, self.depth, clear)
        m.submodules.judgements = judgements = Judgements(
            self.judgement.size, self.detail.size, self.records, clear)
        self._write(m, store, judgements)
        self._read(m, store, judgements)
        return m

    def _write(self, m: Module, store: RowStore, judgements: Judgements) -> None:
        """Each row in a register, then in the store; its record's judgement and details in their memories."""
        stream = self.rows
        # Half of the judgements' rows are left when it falls, so it may be late.
        more = Signal(name="more", reset_less=True)
        m.d.sync += more.eq(judgements.room)
        valid = Signal(name="row_valid", reset_less=True)
        row = Signal(stream.payload.shape(), name="row", reset_less=True)
        m.d.comb += [
            stream.ready.eq(store.room), store.more.eq(more), store.taken.eq(stream.valid & stream.ready),
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
            judgements.judges.eq(valid & (row.last & ~long | fills)), judged.reject.eq(rejected(fills, wrong)),
            *(judged[name].eq(row[name]) for name in self.sidebands.tags),
            judgements.ends.eq(valid & row.last), detail.ends.eq(ends),
        ]
        if self.sidebands.user:
            m.d.comb += detail.user.eq(row.report.user[3:])
        if self.rejects is not None:
            m.d.comb += [detail.kind.eq(row.report.kind), detail.offset.eq(row.report.offset), detail.long.eq(long)]

    def _read(self, m: Module, store: RowStore, judgements: Judgements) -> None:
        """Each row that leaves the store, in a register with its record's judgement; then to its output."""
        stored = data.View(self.row, store.row)
        valid, ends = Signal(name="judged_valid", reset_less=True), Signal(name="record_ends", reset_less=True)
        row = Signal(self.row, name="judged_row", reset_less=True)
        judged, detail = data.View(self.judgement, judgements.judgement), data.View(self.detail, judgements.detail)
        packet_ends = Signal(name="packet_ends")
        m.d.comb += [judgements.leaves.eq(store.sends & stored.last), packet_ends.eq(ends & detail.ends)]
        m.d.sync += [valid.eq(store.sends), row.eq(stored), ends.eq(judgements.leaves)]
        with m.If(replica(m, self.restart.clear, "judged_clear")):
            m.d.sync += [valid.eq(0), ends.eq(0)]
        stays = valid & to_good(judged.reject, ends, packet_ends)
        _, count = self._count(m, "rejected", ends & judged.reject, packet_ends)
        tags = {name: judged[name] for name in TAGS if name in self.sidebands.tags}
        payload = Signal(self.good.payload.shape(), name="good_row", reset_less=True)
        m.d.sync += [
            payload.data.eq(row.data), payload.keep.eq(row.keep & ~judged.reject.replicate(len(row.keep))),
            payload.last.eq(packet_ends), payload.user.eq(Cat(count, *([detail.user] if self.sidebands.user else []))),
            *(payload[name].eq(value) for name, value in tags.items()),
        ]
        m.d.comb += [self.good.payload.eq(payload), self.good.valid.eq(self._pushed(m, "good", stays))]
        if self.rejects is None:
            m.d.comb += store.behind.eq(self.room)
            return
        number, _ = self._count(m, "record", ends, packet_ends)
        end = Cat(detail.kind, detail.offset, number, detail.long)
        reject = Signal(self.rejects.payload.shape(), name="reject_row", reset_less=True)
        m.d.sync += [
            reject.data.eq(row.data), reject.keep.eq(row.keep), reject.last.eq(row.last),
            Value.cast(reject.report).eq(end & row.last.replicate(len(end))),
            *(reject[name].eq(value) for name, value in tags.items()),
        ]
        rejects = self.queue(m, Value.cast(reject), self._pushed(m, "reject", valid & judged.reject))
        m.submodules.rejects = port = RowPort(self.rejects, self.restart.clear)
        m.d.comb += [
            port.report.eq(rejects.head), port.take.eq(rejects.pop), rejects.pop.eq(rejects.valid & port.room),
            self.rejects.valid.eq(port.offer & self.opened), store.behind.eq(self.room & rejects.room),
        ]

    def _pushed(self, m: Module, name: str, leaves: Value) -> Signal:
        """A register: in this cycle a row is pushed that was for that output in the cycle before."""
        push = Signal(name=f"{name}_push", reset_less=True)
        m.d.sync += push.eq(leaves)
        with m.If(replica(m, self.restart.clear, f"{name}_push_clear")):
            m.d.sync += push.eq(0)
        return push

    @cut_point
    def queue(self, m: Module, row: Value, push: Value) -> Queue:
        """The queue before the rejects, which takes ``row`` in each cycle with ``push``."""
        m.submodules.rejects_rows = queue = Queue(len(row), ROWS, self.restart.clear)
        m.d.comb += [queue.push.eq(push), queue.value.eq(row)]
        return queue

    def _count(self, m: Module, name: str, up: Value, restart: Value) -> tuple[Signal, Signal]:
        """A counter that stays at all ones, and its value with this cycle's ``up``. ``restart``: it is zero in the next
        cycle."""
        width = self.count_width
        value, after = Signal(width, name=name, reset_less=True), Signal(width, name=f"{name}_after")
        # One more than the value, so that no carry is on the way to an output.
        more = Signal(width, name=f"{name}_more", init=1, reset_less=True)
        # All bits of it but the lowest, a cycle late: they are the same when the lowest is set.
        near = Signal(name=f"{name}_near", reset_less=True)
        m.d.comb += after.eq(Mux(up, more, value))
        m.d.sync += [near.eq(more[1:].all()), value.eq(after)]
        with m.If(up):
            m.d.sync += more.eq(more + ~(near & more[0]))
        with m.If(restart | replica(m, self.restart.clear, f"{name}_clear")):
            m.d.sync += [value.eq(0), more.eq(1), near.eq(0)]
        return value, after


@cut_point
def rejected(fills: Value, wrong: Value) -> Value:
    """Whether a record is rejected, when it ``fills`` the buffer or ends; ``wrong``: it ends, and has an error."""
    return fills | wrong


@cut_point
def to_good(reject: Value, ends: Value, packet_ends: Value) -> Value:
    """Whether a row goes to the good output; ``ends``, ``packet_ends``: a record and a packet end with it. A packet's
    end goes there in any case: if its record is rejected, without a byte."""
    return ~reject | packet_ends
