"""Record report: a stream with one beat for each ill-formed record.

Eight lanes, and the packet ``ok 0A FF 0A 41 E2 0A`` ``0A``:

    record of the packet    0     1    2    3
    bytes                   ok    FF   41   -      and the delimiter
    beats of the stream           1    2           kind and offset in the record: HEADER_BITS 0, TOO_SHORT 1

The core's pipeline finds the ill-formed records that end in each beat (`bad_records`). A queue holds the beats, each
against a credit of its own, so the core stalls while its queue is full, and no record is lost. Then each record has a
turn, a cycle of its own (`runewire_rtl.splitting.turns`), in which its number and its offset are computed
(`record_offsets`). A buffer holds the beats of the stream.

Throughput: one beat per cycle, one ill-formed record per cycle. A beat in which several end takes as many cycles; the
queue's credits that are left bridge some of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data, stream
from runewire_model import Timing
from runewire_model.report import Sidebands
from runewire_model.timing import RecordReportTiming

from ..encodings.base import Faults
from ..input.input_stage import InputStage
from ..packing.packing import Packed, in_place
from ..pipeline import Timed
from ..pipeline.layout_policy import Policy
from ..pipeline.stages import about
from ..segments.context import Forgetting
from ..splitting.aligning import enter
from ..splitting.finding import FIRST_FIELDS
from ..splitting.turns import Turns, close_to_handshake
from ..stream_shapes import KIND_WIDTH, record_row
from .bad_records import field_widths, find_bad_records, lane_marks
from .record_flags import Records
from .record_offsets import locate

GO = 1
"""Cycles from the credits of the stream's buffer until a turn sees that it has room: a register close to the turns."""


@dataclass(frozen=True)
class RecordReport:
    """A record report behind its core. ``queue``: the core may take a beat only with its credit too. ``rows``: the
    output. ``opened``: the core is open, to be set."""

    queue: Packed
    rows: Packed
    output: Any
    opened: Signal

    @property
    def beat(self) -> Value:
        """The beat of the stream."""
        payload = self.output.payload
        return Cat(Value.cast(payload.data), payload.report.kind, payload.last)

    @property
    def latency(self) -> int:
        """Cycles from a beat's handshake until its first ill-formed record is at the port."""
        return self.queue.timing.latency + self.rows.timing.latency

    def timed(self, core: Timing) -> RecordReportTiming:
        """The timing of the core with its record report; ``core``: alone."""
        return RecordReportTiming(core, self.queue.timing, self.rows.timing)


def report_records(
    m: Module, entry: InputStage, faults: Faults, records: Records, sidebands: Sidebands, policy: Policy,
    forgetting: Forgetting,
) -> RecordReport:
    """Describe the record report of a core whose beats are at ``entry``. ``forgetting``: as in `locate`."""
    pipeline, lanes, restart = entry.pipeline, faults.any.width, entry.pipeline.restart
    widths = field_widths(entry, lanes, sidebands)
    row: Any = stream.Signature(data.StructLayout({
        "data": data.ArrayLayout(KIND_WIDTH + len(faults.back), lanes), "keep": lanes, "last": 1,
        "report": data.StructLayout(widths), "marks": lane_marks(lanes) * lanes,
    })).create(path=("queue",))
    found = find_bad_records(entry, faults, records, sidebands)
    values = [found.fields[name] for name in widths]
    step = max(value.step for value in values)
    told = Timed(pipeline, step, Cat(value.at(step) for value in values), "record_fields")
    queue = in_place(replace(entry, tags=None), row, entry.there.beat(), lambda after: found.faults, told,
                     found.marks, name="record_queue")
    m.submodules.record_report = around = Module()
    about(around, "record_report", "A cycle for each ill-formed record: the stages, and how they are joined.")
    opened, go = Signal(name="records_open"), Signal(name="go", reset_less=True)
    near = close_to_handshake(around, opened)
    m.d.comb += row.valid.eq(queue.buffer.offer & near)
    coming = Signal(data.StructLayout({name: widths[name] for name in FIRST_FIELDS}), name="coming")
    queue.buffer.upcoming = coming.as_value()
    turns = Turns(around, row, coming, go)
    turn = enter(around, row, turns, pipeline.plan, restart, policy, queue.buffer.late)
    numbers, kind = locate(turn, sidebands.offset_bits, forgetting)
    # The stream has no packets, so the row's last bit has a bit of the kind.
    turn.pipeline.last = kind.part(KIND_WIDTH - 1, 1)
    size = -(-numbers.shape.width // 8)
    output: Any = record_row(size).create(path=("records",))
    kept = turn.pipeline.step("record_there", lambda: Const(1, 1))
    octets = numbers.parts(8)
    rows = in_place(replace(turn.entry, ahead=GO), output, [kept] * size, lambda after: octets,
                    kind.part(0, KIND_WIDTH - 1))
    around.d.sync += go.eq(rows.buffer.room & near)
    return RecordReport(queue, rows, output, opened)

