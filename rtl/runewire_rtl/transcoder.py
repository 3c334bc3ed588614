"""A core: one encoding's front end and another's back end, between an input stage and an output buffer.

A decoder of four lanes, from UTF-8 to UTF-32, dense. The packet ``E2 82 AC 41 F0 9F`` has two beats and ends within a
sequence:

    lane                     0      1      2      3
    beat 1                   E2     82     AC     41
    front end: scalars       -      -      20AC   41
    beat 2                   F0     9F     -      -
    front end: scalars       -      FFFD   -      -      one for the ill-formed subpart, in its last lane
    output beat, the last    20AC   41     FFFD   -      TOO_SHORT at offset 4

`Transcoder._describe` joins a core's parts: input stage, front end, back end, report, tail. A compact core has the same
front end and back end; its input stage, report and tail are others (`runewire_rtl.compact`).

Throughput: one beat per cycle under any pattern of stalls. The pipeline never waits; ``i.ready`` is low if the buffer
has no row left for one more beat. Latency: fixed for each core, `Transcoder.latency`.

Limits: as many lanes as `TranscoderParameters` permits, a power of two. A packet without output has one empty output
beat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from operator import or_
from types import MappingProxyType
from typing import Any

from amaranth.hdl import Cat, Const, Fragment, Module, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Member, Out
from runewire_model import AnyTiming, TranscoderParameters
from runewire_model.packet_beats import has_byte_line, has_output_skid, has_queue, has_skid
from runewire_model.port_options import PACKER
from runewire_model.report import CARRIED, COUNTERS
from runewire_model.timing import joined

from .buffer.output_skid import add_output_skid
from .cut_points import cut_point
from .encodings import BACK_ENDS, FRONT_ENDS, PAIRS
from .encodings.base import Faults, Units, merge_faults, one_a_run
from .encodings.bom_insertion import marked, precede
from .input.input_stage import InputPort, InputStage, Lookahead, accept, accept_with_lookahead
from .input.skid import Skid
from .packing.packing import Packed, in_place, pack
from .parameters import hardware
from .pipeline import Lanes, Plan, Timed
from .pipeline.layout_policy import POLICIES, Policy
from .pipeline.restart import Restart
from .pipeline.stages import about
from .report.counter_flags import FLAGS, Countable
from .report.first_error import first_error
from .report.moved_flags import move_flags
from .report.packet_counters import tally
from .report.record_flags import find_records
from .report.record_report import RecordReport, report_records
from .report.report_port import ReportPort
from .reset_sequencer import Drain, ResetSequencer, start_cycles, start_latency
from .segments.byte_line import pass_line
from .segments.carry import carry
from .segments.context import Forgetting
from .segments.extra_beats import follow
from .segments.queue import Queue, queue_beats
from .segments.record_context import record_context
from .segments.run_context import run_context
from .segments.segment_beats import Options
from .segments.support import UNFINISHED, check_flows
from .segments.text_error import text_error
from .stream_shapes import flagged, input_beat, output_beat, report_beat

Report = Timed | Callable[[int], Timed] | None
"""The packet's report, or a function that builds it at a given step.

`Transcoder` makes a value, zero at every beat but a packet's last. `Compact` makes a function: only the tail
knows the step of the output's register, and the report is built for that step. None: the core has no report.
"""

UNNAMED = "$signature"
"""Amaranth's name for an interface without a name. Inside a conditional expression not every Python version gives
it."""


@cut_point
def tail_of(parameters: TranscoderParameters) -> Callable[..., Packed]:
    """The tail of a core, from units and report to the output."""
    if parameters.in_place:
        return in_place
    return partial(pack, slots=parameters.slots, used=parameters.used_slots)


class Transcoder(wiring.Component):
    """A core: units of one encoding in, units of another out, ``lanes`` units per cycle; or a check of passing units.

    One beat per cycle under any pattern of stalls. Each ill-formed subpart becomes U+FFFD, or nothing with
    ``errors="drop"``. A packet's last beat reports the packet's first error.

    One cycle of the clock domain's reset is enough, in any state. From its rising edge on ``i.ready`` and ``o.valid``
    are low for :attr:`start_cycles`, and no data from before the reset is output.

    Members
    -------
    i : input stream of :func:`~runewire_rtl.stream_shapes.input_beat`
    o : output stream of :func:`~runewire_rtl.stream_shapes.output_beat`, with `item_bytes` bytes on the bus per lane.
        A lane is a target unit, or one byte if the input passes through. With records a target unit has its record
        flags, `~runewire_rtl.stream_shapes.flagged`. With ``packing="dense"`` every beat except a
        packet's last is full. With ``"sparse"``, and if the input passes through, there is one output beat per input
        beat.
    report : output stream of :func:`~runewire_rtl.stream_shapes.report_beat`, if there is a report port: one beat per
        packet, from the cycle after the handshake of its last output beat.
    records : output stream of the fields of `Sidebands.record_beat`, if there is a record report: one beat for each
        ill-formed record.
    """

    def __init__(
        self, parameters: TranscoderParameters, offset_width: int | None = None, policy: Policy | None = None,
        members: Mapping[str, Member] = MappingProxyType({}),
    ) -> None:
        """``offset_width``: bits of the report's offset, instead of the parameters' number.
        ``policy``: the layout, instead of the family's. ``members``: further ones.
        """
        check_flows(parameters)
        self.parameters = parameters
        self._offset_width = offset_width
        self._policy = policy or POLICIES[parameters.family]
        passes = parameters.target is None
        self.item_bytes = 1 if passes else parameters.writes.unit_bytes
        width = 8 if passes else BACK_ENDS[parameters.writes.name].width
        sidebands = parameters.sidebands
        lanes = parameters.output_bytes // self.item_bytes
        lane = flagged(width) if sidebands.tail and not passes else width
        told = data.StructLayout({field.name: field.width for field in sidebands.last_beat})
        apart = sidebands.report_port != "none"
        super().__init__({
            "i": In(input_beat(parameters.lanes, parameters.reads.unit_bytes, sidebands)),
            "o": Out(output_beat(lanes, lane, sidebands, told)),
            **({"report": Out(report_beat(sidebands))} if apart else {}), **members,
            **({"records": Out(stream.Signature(8 * sidebands.record_bytes))} if sidebands.record_report else {}),
        })
        # The cores before this one, and the stream behind them: packed where null bytes may be anywhere, and split
        # where records are packets.
        self.packed = self.i
        self.front = {core.core: hardware(core).create() for core in parameters.front}
        inner = sidebands if parameters.splits_bytes else parameters.behind.sidebands
        for core in self.front.values():
            core._MustUse__silence = True
        if self.front:
            self.packed = input_beat(parameters.lanes, parameters.reads.unit_bytes, inner).create(path=(UNNAMED,))
        # The input stage's stream, with the beats of added marks.
        self.taken = self.packed
        if parameters.mark:
            taken = input_beat(parameters.lanes, parameters.reads.unit_bytes, inner, marks=True)
            self.taken = taken.create(path=(UNNAMED,))
        self._forgetting = Forgetting.never()
        self._queue: Queue | None = None
        self._record_report: RecordReport | None = None
        self._line = has_byte_line(parameters)
        self._flags = {} if sidebands.flows is None or self._line else {"extra": 1, "final": 1}
        if self._flags:
            taken = input_beat(parameters.lanes, parameters.reads.unit_bytes, sidebands, marks=bool(parameters.mark),
                               flags=self._flags)
            self.taken = taken.create(path=(UNNAMED,))
        # The rows for the output. With a report port they have the report, which the output stream then lacks.
        self.row = output_beat(lanes, lane, sidebands).create(path=(UNNAMED,)) if apart else self.o
        # The rows of the output buffer; a skid buffer leads them to the output, if there is one.
        self.buffered = self.row.signature.create(path=("buffered",)) if has_output_skid(parameters) else self.row

    def build(self, m: Module, restart: Restart) -> Any:
        """Describe the core in ``m``, from its packed input to its tail, without ``taken.ready`` and ``o.valid``."""
        self._insert_beats(m, restart)
        return self._describe(m, self.taken, restart)

    def _insert_beats(self, m: Module, restart: Restart) -> None:
        """Put the beats of added marks, and those after segments, between the packed input and the taken beats."""
        parameters = self.parameters
        if not self._flags:
            if parameters.mark:
                precede(m, self.packed, self.taken, restart)
            return
        packets = self._after_packer(m)
        if parameters.mark:
            given = packets
            packets = input_beat(parameters.lanes, parameters.reads.unit_bytes, parameters.sidebands,
                                 marks=True).create(path=("preceded",))
            precede(m, given, packets, restart)
        follow(m, packets, self.taken, restart)

    def _after_packer(self, m: Module) -> Any:
        """The packed input; behind a packer a skid buffer is before it, so that the packer's `ready` is a register."""
        if not has_skid(self.parameters):
            return self.packed
        packets = self.packed.signature.create(path=("packets",))
        m.submodules.skid = skid = Skid(self.packed, packets)
        m.d.comb += [skid.advance.eq(packets.ready), skid.open.eq(1)]
        return packets

    def cut_open(self, m: Module) -> Any:
        """The same as `build`, in a design of the core's parts that is never reset and does not contain the core."""
        self._MustUse__silence = True  # Amaranth's way to say that a component is not elaborated on purpose
        return self.build(m, Restart.never())

    def _describe(self, m: Module, stream: Any, restart: Restart) -> Any:
        """Describe the core after the stream of beats that are taken."""
        parameters = self.parameters
        kind = FRONT_ENDS[parameters.source]
        sidebands, delimiter = parameters.sidebands, parameters.sidebands.records
        fused = PAIRS[parameters.source, parameters.target] if parameters.fused is not None else None
        ahead = max(int(kind.lookahead or delimiter is not None), 0 if fused is None else fused.lookahead)
        entry = self._enter(m, stream, restart, ahead)
        if parameters.sidebands.early:
            entry = replace(entry, early=True)
        if parameters.replace_runs and sidebands.flows is not None:
            entry = replace(entry, run=partial(run_context, sidebands=sidebands, forgetting=self._forgetting))
        front = kind(entry, apart=delimiter is not None, reject_nul=parameters.reject_nul)
        # In place nothing is written or counted without a beat, so the presence flags do not matter then.
        keep = entry.there if parameters.in_place else entry.kept
        drop, strip = parameters.errors == "drop", parameters.bom != "keep"
        text = None
        counters = [FLAGS[name] for name in parameters.sidebands.count]
        if (parameters.target is not None and fused is None) or any(each.needs_scalars for each in counters):
            text = front.scalars(keep, drop=drop, strip=strip)
            if parameters.replace_runs:
                whole = front.scalars(keep, drop=True, strip=strip).present
                text = replace(text, present=one_a_run(text.present, whole, entry))
        faults = front.faults() if sidebands.report != "none" or sidebands.record_report else None
        if parameters.target is None:
            units = self._passed(entry)
        elif fused is not None:
            units = fused.units(front, keep, parameters)
        else:
            assert text is not None
            back = BACK_ENDS[parameters.target](parameters.slots, drop=drop, replacement=parameters.replacement)
            units = back.units(text)
            if faults is not None and units.unfit is not None and parameters.narrows:
                faults = merge_faults(units.unfit, faults, text.back(sidebands.record_report))
        if entry.mark is not None:
            units = marked(entry.mark, units, parameters.writes.unpack(parameters.mark),
                           parameters.lanes, parameters.slots)
        ill_formed = front.ill_formed(entry.there) if any(each.needs_ill_formed for each in counters) else None
        records, moved = None, None
        if delimiter is not None:
            wrong = front.ill_formed_stretches()
            if units.unfit is not None and parameters.narrows:
                wrong = Lanes.map("stretch_or_unfit", or_, wrong, units.unfit)
            state = None if sidebands.flows is None else partial(
                record_context, sidebands=sidebands, forgetting=self._forgetting)
            records = find_records(entry, wrong, delimiter, front.units if parameters.reads.unit_bytes > 1 else None,
                                   state)
        if records is not None and parameters.target is not None:
            moved = move_flags(entry.pipeline, records)
            units = moved.on(units)
        if sidebands.record_report:
            assert records is not None
            assert faults is not None
            self._record_report = report_records(m, entry, faults, records, sidebands, self._policy,
                                                 self._forgetting)
        faults = None if sidebands.report == "none" else faults
        tail = None if records is None else records.tail if moved is None else moved.tail
        report = self._report(entry, faults, Countable(front, text, ill_formed, records), tail)
        marks = {} if records is None or moved is not None else {"marks": records.marks(entry.keep)}
        return self._tail()(entry, self.buffered, units.present, units.data, report, **marks)

    def _tail(self) -> Callable[..., Any]:
        """The core's tail, from units and report to the output."""
        return tail_of(self.parameters)

    def _enter(self, m: Module, stream: Any, restart: Restart, ahead: int) -> InputStage:
        """The beats of the stream, each with the ``ahead`` units after it."""
        port = self._port(m, stream, restart)
        if self.parameters.sidebands.flows is not None:
            return self._enter_segments(port, ahead)
        return self._accept(port, ahead)

    def _port(self, m: Module, stream: Any, restart: Restart) -> InputPort:
        """The input port of the core's pipeline."""
        return InputPort(m, stream, Plan.of(self.parameters.pipeline), restart, self._policy)

    def _accept(self, port: InputPort, ahead: int) -> InputStage:
        """The beats at the port, each with the ``ahead`` units after it."""
        if ahead:
            return accept_with_lookahead(port, Lookahead(
                FRONT_ENDS[self.parameters.source].absent, ahead,
                records=self.parameters.sidebands.records is not None))
        return accept(port)

    def _enter_segments(self, port: InputPort, ahead: int) -> InputStage:
        """The same for segments, each with the bytes that the flow's segment before left to it."""
        parameters, sidebands = self.parameters, self.parameters.sidebands
        self._forgetting = Forgetting.after(port.m, port.restart.clear, 1 << sidebands.flow_bits)
        reads = parameters.reads
        marks = bool(parameters.mark)
        flags = {"adds": 1} if marks else {}
        flags |= {"begun": 1} if parameters.bom != "keep" else {}
        flags |= {"order": 2} if len(reads.orders) > 1 else {}
        output = input_beat(parameters.lanes, reads.unit_bytes, sidebands, marks=marks, flags=flags).create(
            path=(UNNAMED,))
        carried = pass_line(port, output, sidebands) if self._line else carry(port.m, port, output, Options(
            sidebands, reads, parameters.in_place, UNFINISHED[reads.unit_bytes], self._forgetting))
        if has_queue(parameters):
            self._queue = queue_beats(port, carried, reads, sidebands)
            return self._accept(replace(port, stream=self._queue.stream), ahead)
        restart = Restart(Const(0), port.restart.clear) if self._line else port.restart
        entry = self._accept(replace(port, stream=output, restart=restart), ahead)
        return replace(
            entry, accepted=carried.accepted, latency=carried.latency + entry.latency,
            lookahead=carried.lookahead + entry.lookahead,
            dropped=carried.dropped if parameters.in_place else None, drop_latency=carried.latency + 1)

    def _report(self, entry: InputStage, faults: Faults | None, countable: Countable,
                tail: Timed | None = None) -> Report:
        """The report of a packet at its last beat, zero at any other; None without a report."""
        sidebands, pipeline = self.parameters.sidebands, entry.pipeline
        parts = []
        if faults is not None:
            error = first_error(pipeline, faults, self._offset_bits, sidebands.report, early=sidebands.early)
            parts.append(error if sidebands.flows is None else text_error(entry, error, sidebands, self._forgetting))
        parts += self._counts(countable)
        if entry.user is not None:
            user = pipeline.step("user", lambda user, last: user & last.replicate(len(user)), entry.user,
                                 pipeline.last)
            if faults is not None and sidebands.user:
                parts[0] = pipeline.step("bad", lambda report, user: report | user[0], parts[0], user)
            parts.append(user)
        if tail is not None:
            parts.append(tail)
        if len(parts) < 2:
            return parts[0] if parts else None
        step = max(part.step for part in parts)
        return Timed(pipeline, step, Cat(part.at(step) for part in parts), "report")

    @property
    def _offset_bits(self) -> int:
        return self._offset_width or self.parameters.sidebands.offset_bits

    def _counts(self, countable: Countable) -> list[Timed]:
        """The requested counters, at a packet's last beat, zero at any other."""
        parameters, pipeline = self.parameters, countable.front.pipeline
        counts = []
        for counter in (COUNTERS[name] for name in parameters.sidebands.count):
            flags = FLAGS[counter.name].make(countable)
            of_lanes = parameters.lanes * counter.flags(parameters.reads.unit_bytes)
            ends = counter.of_records and parameters.sidebands.flows is not None
            assert len(flags) == of_lanes + ends, counter
            counts.append(tally(pipeline, counter.field, flags, parameters.sidebands.offset_bits))
        return counts

    def _passed(self, entry: InputStage) -> Units:
        """The input's bytes in bus order."""
        keep = [bit for value in entry.keep.beat() for bit in value.parts(1)]
        data: list[Timed] = []
        for value in entry.data.beat():
            parts = value.parts(8)
            data += parts if self.parameters.reads.byte_order == "little" else reversed(parts)
        return Units(keep, lambda after: data)

    @cut_point
    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "core", f"{self.parameters.does}: the stages, and how they are joined.")
        m.submodules.drain = drain = ResetSequencer()
        time = self._join(m, drain)
        before = Drain(drain.restart, self._open(drain.open))
        self.timing = joined([*(self._front(m, name, core, before) for name, core in self.front.items()), time])
        if self.front:
            self.lead_through(m, *self.front.values())
        drain.latency = start_latency(self.latency, self.parameters.sidebands)
        late = 0 if self._record_report is None else self._record_report.latency
        assert late <= drain.latency, f"a reset ends {late - drain.latency} cycles before the record report is empty"
        return m

    def _front(self, m: Module, name: str, core: Transcoder, drain: Drain) -> AnyTiming:
        """Describe a core before this one, in a module of its own. All run empty after a reset at the same time."""
        m.submodules[name] = inner = Module()
        about(inner, name, f"{core.parameters.does}: the stages, and how they are joined.")
        return core._join(inner, drain)

    @property
    def packer(self) -> Transcoder | None:
        """The packer before the core, if it has one."""
        return self.front.get(PACKER)

    @cut_point
    def lead_through(self, m: Module, *cores: Transcoder) -> None:
        """Connect the input with the ``cores`` before this one, in turn, and the last of them with the rest. Bytes pass
        them in bus order."""
        big, size = self.parameters.reads.byte_order == "big", self.parameters.reads.unit_bytes

        def in_bus_order(data: Value) -> Value:
            units = [data.word_select(lane, 8 * size) for lane in range(self.parameters.lanes)]
            return Cat(Cat(unit.word_select(at, 8) for at in range(size)[:: -1 if big else 1]) for unit in units)

        carried = self.parameters.sidebands.carried
        given: Any = self.i
        for core in cores:
            into = core.i
            octets = Value.cast(given.payload.data)
            m.d.comb += [
                into.valid.eq(given.valid), given.ready.eq(into.ready), into.payload.last.eq(given.payload.last),
                into.payload.keep.eq(given.payload.keep),
                Value.cast(into.payload.data).eq(in_bus_order(octets) if given is self.i else octets),
                *(into.payload[name].eq(given.payload.report.user if name == "user" and given is not self.i
                                        else given.payload[name]) for name in carried),
            ]
            given = core.o
        members = self.packed.payload.shape().members
        m.d.comb += [
            self.packed.valid.eq(given.valid), given.ready.eq(self.packed.ready),
            self.packed.payload.last.eq(given.payload.last), self.packed.payload.keep.eq(given.payload.keep),
            Value.cast(self.packed.payload.data).eq(in_bus_order(Value.cast(given.payload.data))),
            *(Value.cast(self.packed.payload[name]).eq(Value.cast(given.payload.report) if name == "user"
                                                       else given.payload[name])
              for name in CARRIED if name in members),
        ]

    def _join(self, m: Module, drain: Drain) -> AnyTiming:
        """Describe everything except the drain, and connect the handshakes."""
        packed = self.build(m, drain.restart)
        accept = packed.buffer.accept
        if self._record_report is not None:
            accept = accept & self.connect_records(m, self._record_report, drain)
        if self._queue is not None:
            m.d.comb += self._queue.stream.ready.eq(accept)
            accept = self._queue.buffer.accept
        # With flows the core before this one is closed instead: the flags are off the path of its buffer.
        behind = bool(self.front) and self.parameters.sidebands.flows is not None
        m.d.comb += self.taken.ready.eq(accept if behind else self._open(accept & drain.open))
        held = Const(0)
        if self.row is not self.o:
            held = self.hold_back(m, drain)
        m.d.comb += self.o.valid.eq(self._output(m, packed) & drain.open & ~held)
        return self._timed(packed)

    def _output(self, m: Module, packed: Any) -> Value:
        """Whether there is a row for the output: in the output buffer, or in the skid buffer after it."""
        if self.buffered is self.row:
            return Value.cast(packed.buffer.offer)
        return add_output_skid(m, packed.buffer, self.buffered, self.row)

    def _timed(self, packed: Any) -> AnyTiming:
        """The timing up to the tail, of the queue of segments before it, and of the record report."""
        time = packed.timing if self.buffered is self.row else packed.timing._replace(skid=True)
        time = time if self._record_report is None else self._record_report.timed(time)
        return joined([*([] if self._queue is None else [self._queue.timing]), time])

    @cut_point
    def connect_records(self, m: Module, report: RecordReport, drain: Drain) -> Value:
        """Connect the record report to its port. Returns a flag: its queue has room for one more beat."""
        m.d.comb += [
            report.opened.eq(drain.open), self.records.valid.eq(report.rows.buffer.offer & drain.open),
            self.records.payload.eq(report.beat),
            report.output.ready.eq(self.records.ready),
        ]
        return report.queue.buffer.accept

    def _open(self, accept: Value) -> Value:
        """``accept``, and the contexts of all flows are cleared."""
        return accept & ~self._forgetting.busy if self.parameters.sidebands.flow_bits else accept

    @cut_point
    def hold_back(self, m: Module, drain: Drain) -> Value:
        """Connect each packet's report to the report port. Returns a flag: a last beat waits for room there."""
        row, o, report = self.row, self.o, self.report
        m.submodules.report_port = port = ReportPort(report, drain.restart.clear)
        held = row.payload.last & ~port.room
        members = o.payload.shape().members
        m.d.comb += [
            row.ready.eq(o.ready & ~held),
            *(Value.cast(o.payload[name]).eq(row.payload[name]) for name in members if name != "report"),
            *(o.payload.report[name].eq(row.payload.report[name]) for name in members["report"].members),
            port.take.eq(o.valid & o.ready & o.payload.last),
            port.report.eq(Cat(row.payload.report[name] for name in report.payload.shape().members)),
            report.valid.eq(port.offer & drain.open),
        ]
        return held

    @cached_property
    def timing(self) -> AnyTiming:
        """The core's timing, for the cycle model; before elaboration the core is built for it."""
        return joined([*(core.timing for core in self.front.values()), self.own_timing()])

    def own_timing(self) -> AnyTiming:
        """The timing without the cores before this one."""
        m = Module()
        packed = self.build(m, Restart.never())
        Fragment.get(m, None)
        return self._timed(packed)

    @property
    def latency(self) -> int:
        """Cycles from the transfer of a packet's last input beat until ``o.valid`` is high for its last output beat."""
        return self.timing.latency

    @property
    def start_cycles(self) -> int:
        """Cycles from the last one in reset to the first in which ``i.ready`` may be high."""
        return start_cycles(self.latency, self.parameters.sidebands)
