"""Parts of a delivered core, cut out where they meet, each as a design to be proven alone.

A part is not written anew: the core's own ``build`` runs, with its own parameters, and where the next
part would begin its constructor is given ports in its place. So every register stands where it stands in the core.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

from amaranth.back import rtlil
from amaranth.hdl import (
    Array,
    Cat,
    ClockDomain,
    ClockSignal,
    Const,
    Fragment,
    Module,
    Mux,
    ResetSignal,
    Signal,
    Value,
    ValueLike,
)
from amaranth.lib import data, stream
from amaranth.sim import Simulator, SimulatorContext
from amaranth.utils import ceil_log2
from runewire_model import Timing, TranscoderParameters
from runewire_model.report import CARRIED, COUNTERS, KIND_WIDTH, MARKS, REPORTS, TAGS
from runewire_rtl import axi, timing, verilog
from runewire_rtl import buffer as buffer_module
from runewire_rtl.axi import AxiStream
from runewire_rtl.buffer import OutputBuffer, Write
from runewire_rtl.compact import Compact
from runewire_rtl.compact import packing as compact_packing
from runewire_rtl.compact.core import tail_of as compact_tail_of
from runewire_rtl.compact.packing import Arranged, Row
from runewire_rtl.compact.skid import Skid
from runewire_rtl.counters import Thermometer
from runewire_rtl.drain import start_cycles
from runewire_rtl.input_stage import InputStage, beside
from runewire_rtl.layouts import OFFSET_WIDTH
from runewire_rtl.packing import Items, Packed
from runewire_rtl.physical import TUNED
from runewire_rtl.pipeline import Pipeline, Plan, Timed
from runewire_rtl.ports import Port
from runewire_rtl.ports import ports as bus_ports
from runewire_rtl.reader import BANKS, Reader
from runewire_rtl.reset import Restart
from runewire_rtl.roles import FOUND, UNDER_WAY
from runewire_rtl.tally import CHUNK, tally
from runewire_rtl.transcoder import Report, Transcoder, tail_of
from runewire_rtl.verilog import for_synthesis, top_name, verilog_text

__all__ = [
    "Cut", "buffer", "counters", "delivered", "packing", "placement", "report_port", "reset", "reset_together", "row",
    "rows", "skid", "waiting", "window", "wrapper",
]


@dataclass
class Cut:
    """A part as RTLIL of a module ``dut``, and ``facts``: the numbers that its harness needs."""

    rtlil: str
    facts: dict[str, int]


@dataclass
class _Ports:
    """Ports of a part, made as they are named."""

    m: Module
    signals: dict[str, Signal] = field(default_factory=dict)

    def new(self, name: str, width: int) -> Signal:
        self.signals[name] = signal = Signal(width, name=name)
        return signal

    def show(self, name: str, value: ValueLike) -> None:
        value = Value.cast(value)
        self.m.d.comb += self.new(name, len(value)).eq(value)

    def convert(self, **facts: int) -> Cut:
        return Cut(rtlil.convert(self.m, name="dut", ports=list(self.signals.values()), emit_src=False), facts)


class _BufferPorts(OutputBuffer):
    """An output buffer that is its ports, with nothing inside."""

    def elaborate(self, platform: object) -> Module:
        return Module()


class _RowPorts(Row):
    """The register of a compact core's output row that is its ports, with nothing inside."""

    def elaborate(self, platform: object) -> Module:
        return Module()


def _build(
    ports: _Ports, parameters: TranscoderParameters, tail: Callable[..., Any], offset_width: int = OFFSET_WIDTH,
    counter: Callable[..., Timed] = tally,
) -> Any:
    """Build the core into the part's module, with ``tail`` in place of its own; input ports that are there drive it."""
    kind = Compact if parameters.pipeline == "compact" else Transcoder
    core: Any = kind(parameters, tail, offset_width, counter=counter)
    given = ports.signals
    if given:
        payload = core.i.payload
        ports.m.d.comb += [
            core.i.valid.eq(given["i_valid"]), core.taken.ready.eq(1), payload.last.eq(given["i_last"]),
            payload.keep.eq(given["i_keep"]), payload.data.as_value().eq(given["i_data"]),
            *(value.eq(given["i_user"]) for name, value in beside(payload).items() if name == "user"),
            Cat(value for name, value in beside(payload).items() if name != "user").eq(given["i_tags"]),
        ]
    # Registers start at their first values, and nothing is reset.
    packed = core.build(ports.m, Restart.never())
    # The core itself is never elaborated: its parts were built here.
    core._MustUse__silence = True
    return packed


def _freed(pipeline: Pipeline, signal: Value, value: Timed) -> Timed:
    """``signal``, given at step 0, in place of ``value`` at its own step."""
    return Timed(pipeline, value.step, pipeline.enter(signal, f"{value.name}_free").at(value.step), value.name)


def window(parameters: TranscoderParameters, offset_width: int) -> Cut:
    """From the input port to the items and all that goes beside them: what judges bytes or scalars.

    ``item_valid``, ``item_last``, ``present`` and ``data`` belong together, and so do ``report_valid``,
    ``report_last`` and ``report``; ``marks`` and ``tags`` have steps of their own, and so
    have the ``flags`` that each counter counts. What is not there is zero. Offsets
    are ``offset_width`` bits wide in place of those that are asked for. ``i_ready`` is
    always 1: a beat that is not accepted is, to the core, no beat.
    """
    ports = _Ports(Module())
    facts: dict[str, int] = {}
    sidebands, compact = parameters.sidebands, parameters.pipeline == "compact"
    tags = sidebands.id + sidebands.dest
    counted: list[list[Timed]] = []
    for name, width in (("i_valid", 1), ("i_last", 1), ("i_keep", parameters.input_bytes),
                        ("i_data", 8 * parameters.input_bytes), ("i_user", max(1, sidebands.user)),
                        ("i_tags", max(1, tags))):
        ports.new(name, width)

    most = parameters.lanes * (parameters.reads.unit_bytes + 1)

    def counter(pipeline: Pipeline, name: str, flags: Sequence[Timed], width: int) -> Timed:
        counted.append([*flags])
        return Timed(pipeline, 0, Const(0, 0), name)

    def tail(
        entry: InputStage, output: Value, present: Sequence[Timed], items: Items, report: Report,
        marks: Sequence[Timed] = (),
    ) -> Any:
        pipeline = entry.pipeline
        made: list[Timed] = []

        def kept(after: int) -> list[Timed]:
            made[:] = items(after)
            return made

        def delay(step: int) -> int:
            # The harness, too, has registers for the beats that wait, and at least for one.
            return entry.latency - max(1, entry.lookahead) + pipeline.latency(step)

        def shown(*values: Timed) -> int:
            """The step at which values are shown: no sooner than the harness has them."""
            step = max([0, *(value.step for value in values)])
            return step if delay(step) >= 0 else pipeline.after_register(step)

        packed: Any
        if compact:
            told_late: list[Timed] = []

            def so_far(after: int) -> Timed:
                assert callable(report)
                told_late[:] = [report(after)]
                return told_late[0]

            packed = compact_tail_of(parameters)(
                entry, output, present, kept, None if report is None else so_far, **_marked(marks))
            # What it says with a beat that is no last one is not told.
            report = next((Timed(pipeline, value.step, value.at(value.step) & pipeline.last.at(value.step).replicate(
                value.shape.width), value.name) for value in told_late), None)
        else:
            packed = tail_of(parameters)(entry, output, present, kept, report, _BufferPorts, **_marked(marks))
        assert not callable(report)
        step = shown(*present, *made)
        ports.show("item_valid", pipeline.valid.at(step))
        ports.show("item_last", pipeline.last.at(step))
        ports.show("present", Cat(value.at(step) for value in present))
        ports.show("data", Cat(value.at(step) for value in made))
        told = step if report is None else report.step
        report_bits = Const(0, 0) if report is None else report.at(told)
        ports.show("report_valid", pipeline.valid.at(told))
        ports.show("report_last", pipeline.last.at(told))
        ports.show("report", report_bits if len(report_bits) else Const(0, 1))
        marked = shown(*marks)
        ports.show("marks", Cat(mark.at(marked) for mark in marks) if marks else Const(0, MARKS * parameters.lanes))
        carried = shown() if entry.tags is None else shown(entry.tags)
        ports.show("tags", Const(0, 1) if entry.tags is None else entry.tags.at(carried))
        at = [shown(*flags) for flags in counted]
        flags = [Cat([flag.at(step) for flag in flags], Const(0, most - len(flags)))
                 for flags, step in zip(counted, at, strict=True)]
        ports.show("flags", Cat(flags) if flags else Const(0, 1))
        facts["FLAG_DELAYS"] = sum(delay(step) << 8 * index for index, step in enumerate(at))
        facts.update(LOOKAHEAD=entry.lookahead, WIDTH=made[0].shape.width, **{
            f"{name}_DELAY": delay(at)
            for name, at in (("ITEM", step), ("REPORT", told), ("MARK", marked), ("TAG", carried))})
        return packed

    _build(ports, parameters, tail, offset_width, counter)
    return ports.convert(
        LANES=parameters.lanes, OFFSET=offset_width, AMOUNT=REPORTS.index(sidebands.report),
        COUNTERS=len(sidebands.count), USER=sidebands.user, TAGS=tags,
        COUNT=sum(COUNTERS.index(name) << 4 * index for index, name in enumerate(sidebands.count)),
        RECORDS=int(sidebands.records is not None), DELIMITER=sidebands.records or 0, **facts)


def counters(parameters: TranscoderParameters, width: int) -> Cut:
    """What counts flags, of each number of them that the core has twice: with ``width`` bits, and with so few that a
    short packet has more. ``go`` marks a beat at step 0, ``go_last`` with it a packet's last; ``numbers``, in ``width``
    bits each, come as late as the latest of them."""
    made = [(name, number, bits) for number in sorted({_flags(parameters, name) for name in parameters.sidebands.count})
            for name, bits in (("count", width), ("short", number.bit_length() + 2))]
    ports = _Ports(Module())
    pipeline = Pipeline(ports.m, Plan.of(parameters.pipeline), valid=ports.new("go", 1), last=ports.new("go_last", 1))
    counts, taken = [], 0
    flags = ports.new("flags", sum(number for _, number, _ in made))
    for name, number, bits in made:
        given = [pipeline.enter(flags[taken + i], f"flag{taken + i}") for i in range(number)]
        counts.append(tally(pipeline, f"{name}{number}", given, bits))
        taken += number
    step = max(count.step for count in counts)
    ports.show("numbers", Cat(Cat(count.at(step), Const(0, width - count.shape.width)) for count in counts))
    return ports.convert(
        COUNTERS=len(made), WIDTH=width, SUM=taken, DELAY=pipeline.latency(step), CHUNK=CHUNK,
        FLAGS=sum(number << 8 * index for index, (_, number, _) in enumerate(made)),
        WIDTHS=sum(bits << 8 * index for index, (*_, bits) in enumerate(made)))


def _flags(parameters: TranscoderParameters, counter: str) -> int:
    """Flags of a beat that a counter counts."""
    each = {"utf16-units": 2, "bytes": parameters.reads.unit_bytes}
    return parameters.lanes * each.get(counter, 1)


def _marked(marks: Sequence[Timed]) -> dict[str, Sequence[Timed]]:
    """An option of a tail that has marks, which only a tail in place takes."""
    return {"marks": marks} if marks else {}


def packing(parameters: TranscoderParameters, width: int, facts: dict[str, int] | None = None) -> Cut:
    """From items to rows of the output buffer: where each item, row and report goes, and when.

    Beats, items and report are free inputs: ``go`` marks a beat at its step 0, ``go_last`` with it a packet's
    last; with it come ``present``, ``data`` (``width`` bits an item), ``report`` (``width`` bits), ``marks`` (two bits
    a lane) and a ``tag`` (one bit, for all that stays the same in a packet). As the window logic has it,
    nothing is present without a beat where rows are dense, and the report is zero from the first beat on, but on last
    ones. ``facts`` are measured if they are not given; on a broken core they are not to be.
    """
    ports, made = _packing(parameters, width)
    if facts is not None:
        return ports.convert(**facts)
    return ports.convert(
        LANES=made.lanes, WIDTH=width, ROW=ceil_log2(made.depth), GROUP=made.group, IN_PLACE=int(parameters.in_place),
        WRITTEN=buffer_module.WRITTEN, REPORTS=int(bool(_told(parameters))),
        TAGS=int(_tagged(parameters)), MARKS=int(parameters.sidebands.records is not None),
        **_measure(_packing(parameters, width)[0], parameters.in_place, parameters.slots),
    )


LANES, GROUPED = 3, 2
"""Lanes of the buffer that is proven, and how many of them share a reader: a full group and a partial one."""


def buffer(parameters: TranscoderParameters) -> Cut:
    """The output buffer of a core, as deep as it is there, with few lanes of one-bit items, and a report of one bit.

    Each lane has a mark of one bit, whether the core has marks or not.

    Of each memory there is the row ``watch`` alone, and ``free`` in place of the others: so all that
    reads a row must address it rightly. ``beat`` is the output's payload; ``credit``, ``backlog``, ``changes``,
    ``announce``, ``pending``, ``fetch``, ``fetched``, ``reads``, ``shown``, ``rows`` and ``after`` show the
    controllers' registers, bank by bank; ``words`` what is in the watched row, ``read`` and ``ahead`` what was last
    read from its bank, and ``held`` what was last loaded from there; ``masks`` those of both.
    """
    time = timing(parameters)
    assert isinstance(time, Timing), "a compact core has no buffer"
    depth = time.depth
    ports = _Ports(Module())
    m = ports.m
    report = data.StructLayout({"error": 1})
    output = stream.Signature(data.StructLayout(
        {"data": data.ArrayLayout(1, LANES), "keep": LANES, "last": 1, "report": report, "marks": LANES}
    )).create()
    counters: list[Thermometer] = []
    readers: list[Reader] = []
    watch = ports.new("watch", ceil_log2(depth))
    words: dict[str, list[Signal]] = {}
    reads: dict[str, list[Signal]] = {}
    loaded: dict[str, list[Signal]] = {}
    free: list[Value] = []

    class Counter(Thermometer):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            counters.append(self)

    class Taps(Reader):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            readers.append(self)

    class Watched(OutputBuffer):
        reader = Taps
        counter = Counter

        def _stored(
            self, m: Module, name: str, port: Write, reader: Reader, rows: dict[int, list[Signal]]
        ) -> list[Signal]:
            loaded[name] = super()._stored(m, name, port, reader, rows)
            return loaded[name]

        def _memory(self, m: Module, name: str, port: Write, bank: int, row: Signal, load: Value) -> Signal:
            word, read, other = (
                Signal(len(port.data), name=f"{name}_{kind}{bank}") for kind in ("word", "read", "free")
            )
            free.append(other)
            words.setdefault(name, []).append(word)
            reads.setdefault(name, []).append(read)
            with m.If(port.enable[bank] & (port.rows[bank] == watch[1:]) & (watch[0] == bank)):
                m.d.sync += word.eq(port.data)
            with m.If(load):
                m.d.sync += read.eq(Mux((row == watch[1:]) & (watch[0] == bank), word, other))
            return read

    def at_watch(banks: Sequence[Value]) -> Value:
        """What is the bank's where the watched row is."""
        return Array(banks)[watch[0]]

    policy = replace(TUNED, reader_bits=GROUPED)
    made = Watched(LANES, 1, depth, output, Restart.never().clear, policy=policy)
    for name, writes in (("lane", made.lane), ("keep", made.keep), ("metadata", [made.metadata]),
                         ("mark", made.mark)):
        enable, row, content = (
            ports.new(f"{name}_{kind}", width) for kind, width in
            (("enable", len(writes)), ("row", len(watch) * len(writes)), ("data", sum(len(w.data) for w in writes)))
        )
        taken = 0
        for index, write in enumerate(writes):
            to = row.word_select(index, len(watch))
            m.d.comb += [
                write.rows[0].eq(to[1:]),
                write.enable.eq(Cat(enable[index] & (to[0] == bank) for bank in range(BANKS))),
                write.data.eq(content[taken : taken + len(write.data)]),
            ]
            taken += len(write.data)
    for port in (made.push, made.accepted, made.returned):
        m.d.comb += port.eq(ports.new(port.name, len(port)))
    m.d.comb += output.ready.eq(ports.new("ready", 1))
    # Described here and now: its parts are looked at below.
    m.submodules.buffer = Fragment.get(made, None)
    leader, *groups = sorted(readers, key=lambda reader: reader.name != "leader")
    (credit,) = (counter for counter in counters if len(counter.level) == depth)
    # All count the same: of those of rows the first, bank by bank, stand for the others.
    backlogs = [counter for counter in counters if counter is not credit][:BANKS]
    m.d.comb += Cat(free).eq(ports.new("free", len(Cat(free))))
    payload = output.payload
    lanes = [f"lane{i}" for i in range(LANES)]
    keeps, marks = ([f"{name}{i}" for i in range(len(made.keep))] for name in ("keep", "marks"))
    for name, value in (
        ("accept", made.accept), ("valid", made.offer),
        ("beat", Cat(payload.data.as_value(), payload.keep, payload.last, payload.report.as_value(),
                     payload.marks)),
        ("credit", credit.level), ("backlog", Cat(backlog.level for backlog in backlogs)),
        ("changes", Cat(reduce(add, counter.up) - counter.down for counter in (*backlogs, credit))),
        ("announce", Cat(leader.announce)), ("pending", Cat(leader.pending)), ("fetch", Cat(leader.fetch)),
        ("fetched", Cat(leader.fetched)), ("reads", Cat(leader.reads)), ("shown", Cat(leader.shown)),
        ("rows", Cat(rows[0] for rows in leader._rows)), ("after", leader.after),
        ("words", Cat(at_watch(words[memory]) for memory in (*lanes, *keeps, "metadata", *marks))),
        ("read", Cat(at_watch(reads[memory]) for memory in (*lanes, "metadata", *marks))),
        ("held", Cat(at_watch(loaded[memory]) for memory in (*lanes, "metadata", *marks))),
        ("ahead", Cat(at_watch(reads[memory]) for memory in keeps)),
        ("masks", Cat(reader._masks[bank][2] for bank in range(BANKS) for reader in groups)),
    ):
        ports.show(name, value)
    return ports.convert(
        LANES=LANES, GROUP=GROUPED, ROW=len(watch), FREE=len(Cat(free)), CREDIT_LOOP=buffer_module.CREDIT_LOOP,
        LATENCY=buffer_module.OUTPUT_LATENCY, WRITTEN=buffer_module.WRITTEN,
    )


class _Behind(Transcoder):
    """A core without all that stands before its output: ``offer`` says that it offers what `_row` has."""

    def __init__(self, parameters: TranscoderParameters, offer: Value) -> None:
        super().__init__(parameters)
        self._offer = offer

    def build(self, m: Module, restart: Restart) -> Packed:
        return cast(Packed, SimpleNamespace(
            buffer=SimpleNamespace(accept=Const(1), offer=self._offer), timing=SimpleNamespace(latency=0)))


def report_port(parameters: TranscoderParameters) -> Cut:
    """What stands behind the buffer of a core whose reports have a stream of their own: ``row`` is what the buffer
    offers while ``row_valid``, of which ``last``, ``told`` and ``shown`` are fields; ``beat`` is the output. ``open``
    says that the start is over."""
    ports = _Ports(Module())
    m = ports.m
    core = _Behind(parameters, ports.new("row_valid", 1))
    m.submodules.core = core
    row, o, report = core._row, core.o, core.report
    members = {name: layout for name, layout in o.payload.shape().members.items() if name != "report"}
    given = ports.new("row", len(Value.cast(row.payload)))
    m.d.comb += [
        Value.cast(row.payload).eq(given), o.ready.eq(ports.new("o_ready", 1)),
        report.ready.eq(ports.new("report_ready", 1)),
    ]

    def fields(payload: Any) -> Value:
        return Cat(*(Value.cast(payload[name]) for name in members),
                   *(Value.cast(payload.report[name]) for name in o.payload.report.shape().members))

    for name, value in (
        ("row_ready", row.ready), ("last", row.payload.last), ("shown", fields(row.payload)), ("o_valid", o.valid),
        ("told", Cat(row.payload.report[told.name] for told in parameters.sidebands.told)),
        ("beat", fields(o.payload)), ("report_valid", report.valid), ("report", Value.cast(report.payload)),
        ("open", core.i.ready),
    ):
        ports.show(name, value)
    return ports.convert(ROW=len(given), BEAT=len(ports.signals["beat"]), REPORT=len(ports.signals["told"]))


@dataclass
class _Apart:
    """A core with ports in place of its memories: ``memories`` are the write port, bank, address and data of each,
    ``rows`` the registers behind them, with their readers."""

    core: Transcoder
    memories: list[tuple[Write, int, Signal, Signal]]
    rows: list[tuple[Reader, list[Signal]]]
    whole: Fragment

    @classmethod
    def of(cls, parameters: TranscoderParameters) -> _Apart:
        memories: list[tuple[Write, int, Signal, Signal]] = []
        rows: list[tuple[Reader, list[Signal]]] = []

        class Apart(OutputBuffer):
            def _stored(
                self, m: Module, name: str, port: Write, reader: Reader, copies: dict[int, list[Signal]]
            ) -> list[Signal]:
                registers = super()._stored(m, name, port, reader, copies)
                rows.append((reader, registers))
                return registers

            def _memory(self, m: Module, name: str, port: Write, bank: int, row: Signal, load: Value) -> Signal:
                read = Signal(len(port.data), name=f"{name}_free{bank}")
                memories.append((port, bank, row, read))
                return read

        core = Transcoder(parameters, lambda *parts, **marks: tail_of(parameters)(*parts, Apart, **marks))
        return cls(core, memories, rows, Fragment.get(core, None))

    def registers(self) -> dict[tuple[str, ...], Signal]:
        """All registers but ``rows`` and the error that was found, by the names of the modules that they are in, and
        their own."""
        behind = {id(register) for _, registers in self.rows for register in registers}

        def of(fragment: Fragment, path: tuple[str, ...]) -> dict[tuple[str, ...], Signal]:
            found = {(*path, signal.name): signal for statement in fragment.statements.get("sync", [])
                     for signal in statement._lhs_signals()
                     if id(signal) not in behind and signal.attrs.get("role") != FOUND}
            for inside, name, _ in fragment.subfragments:
                found |= of(inside, (*path, name))
            return found

        return of(self.whole, ())


def reset(parameters: TranscoderParameters) -> Cut:
    """The whole core twice, with ports in place of its memories: ``any`` starts with any values in its registers,
    ``first`` with their first. ``differs`` says which registers are not alike in both; ``rows_differ`` the same of
    those behind memories, where a row is shown or is to be; ``shown_off`` that one is shown while none is.
    """
    ports = _Ports(Module())
    m = ports.m
    m.domains.sync = domain = ClockDomain("sync")
    ports.signals |= {"clk": domain.clk, "rst": domain.rst}
    cores = {name: _Apart.of(parameters) for name in ("any", "first")}
    given = [ports.new(name, width) for name, width in (
        ("i_valid", 1), ("i_last", 1), ("i_keep", parameters.input_bytes), ("i_data", 8 * parameters.input_bytes),
        ("o_ready", 1), ("free", sum(len(read) for *_, read in cores["any"].memories)))]
    for name, apart in cores.items():
        taken, offered, memories = apart.core.i, apart.core.o, apart.memories
        m.submodules[name] = apart.whole
        m.d.comb += [target.eq(value) for target, value in zip((
            taken.valid, taken.payload.last, taken.payload.keep, taken.payload.data.as_value(), offered.ready,
            Cat(read for *_, read in memories)), given, strict=True)]
        for port, value in (
            ("accept", taken.ready), ("offer", offered.valid), ("beat", offered.payload.as_value()),
            ("enable", Cat(write.enable[bank] for write, bank, *_ in memories)),
            ("write", Cat(Cat(row := write.rows[bank], write.data)
                          & write.enable[bank].replicate(len(row) + len(write.data)) for write, bank, *_ in memories)),
            ("address", Cat(row for *_, row, _ in memories)),
        ):
            ports.show(f"{name}_{port}", value)
    first = cores["first"].registers()
    pairs = [(register, first[path]) for path, register in cores["any"].registers().items()]
    ports.show("differs", Cat(one != other for one, other in pairs))
    ports.show("rows_differ", Cat(
        ((reader.fetched[bank] & ~reader.fetch[bank]) | reader.shown[bank]) & (one[bank] != other[bank])
        for (reader, one), (_, other) in zip(cores["any"].rows, cores["first"].rows, strict=True)
        for bank in range(BANKS)))
    ports.show("shown_off", Cat(mask.any() & ~reader.shown[bank] for reader, _ in cores["any"].rows
                                for bank, _, mask in reader._masks).any())
    widths = {name.upper(): len(ports.signals[f"any_{name}"]) for name in ("beat", "enable", "write", "address")}
    cut = ports.convert(BYTES=parameters.input_bytes, REGISTERS=len(pairs), ROWS=len(ports.signals["rows_differ"]),
                        FREE=len(ports.signals["free"]), START=start_cycles(timing(parameters).latency), **widths)
    return Cut(_without_first_values(cut.rtlil, "any"), cut.facts)


def reset_together(parameters: TranscoderParameters) -> Cut:
    """As `reset`, of a compact core: it has no memories, and of its registers those of the row under way are loaded
    before they are looked at."""
    ports = _Ports(Module())
    m = ports.m
    m.domains.sync = domain = ClockDomain("sync")
    ports.signals |= {"clk": domain.clk, "rst": domain.rst}
    cores = {name: Compact(parameters) for name in ("any", "first")}
    whole = {name: Fragment.get(core, None) for name, core in cores.items()}
    given = [ports.new(name, width) for name, width in (
        ("i_valid", 1), ("i_last", 1), ("i_keep", parameters.input_bytes), ("i_data", 8 * parameters.input_bytes),
        ("o_ready", 1))]
    ports.new("free", 1)
    for name, core in cores.items():
        taken, offered = core.i, core.o
        m.submodules[name] = whole[name]
        m.d.comb += [target.eq(value) for target, value in zip((
            taken.valid, taken.payload.last, taken.payload.keep, taken.payload.data.as_value(), offered.ready,
        ), given, strict=True)]
        for port, value in (("accept", taken.ready), ("offer", offered.valid), ("beat", offered.payload.as_value()),
                            *((each, Const(0, 1)) for each in ("enable", "write", "address"))):
            ports.show(f"{name}_{port}", value)
    first = _registers(whole["first"])
    pairs = [(register, first[path]) for path, register in _registers(whole["any"]).items()]
    ports.show("differs", Cat(one != other for one, other in pairs))
    ports.show("rows_differ", Const(0, 1))
    ports.show("shown_off", Const(0, 1))
    cut = ports.convert(BYTES=parameters.input_bytes, REGISTERS=len(pairs), BEAT=len(ports.signals["any_beat"]),
                        START=start_cycles(timing(parameters).latency))
    return Cut(_without_first_values(cut.rtlil, "any"), cut.facts)


def _registers(fragment: Fragment, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Signal]:
    """The registers of a compact core, but those that are loaded before they are looked at, by the names of the modules
    that they are in, and their own."""
    found = {(*path, signal.name): signal for statement in fragment.statements.get("sync", [])
             for signal in statement._lhs_signals()
             if str(signal.attrs.get("role", "")).partition(".")[0] not in (FOUND, UNDER_WAY)}
    for inside, name, _ in fragment.subfragments:
        found |= _registers(inside, (*path, name))
    return found


def delivered(parameters: TranscoderParameters) -> str:
    """A whole core as the Verilog that users get, but for the name of its top module, ``dut``, and its comments, which
    tell the version."""
    return _plain(verilog_text(parameters)).replace(f"module {top_name(parameters)} (", "module dut (")


def _plain(text: str) -> str:
    """Verilog as synthesis sees it, without its lines of comment, which tell the version."""
    return "\n".join(line for line in for_synthesis(text).splitlines() if not line.lstrip().startswith("//"))


def _names(stream: str, *fields: str) -> tuple[str, ...]:
    return tuple(f"{stream}_t{field}" for field in fields)


_STREAM = ("data", "keep", "valid", "ready", "last", "user", *TAGS)
BUS = ("aclk", "aresetn", *_names("s_axis", *_STREAM), *_names("m_axis", *_STREAM),
       *_names("m_report", "data", "valid", "ready"))
"""The ports that a core may have, in the order of their widths in `wrapper`."""


class _Streams(Transcoder):
    """A core that is its streams. ``takes`` is what goes in there, by name; ``gives`` what comes out, each beside the
    signal that it is the inverse of: a core's outputs come out of its logic.

    A report is ``told`` beside data and ``report`` apart: the first error's fields, then the counters."""

    def __init__(self, parameters: TranscoderParameters) -> None:
        super().__init__(parameters)
        sidebands, i, o = parameters.sidebands, self.i, self.o

        def told(payload: Any) -> Value:
            error = ("error", "kind", "offset")[: REPORTS.index(sidebands.report)]
            return Cat(payload[name] for name in (*error, *(name.replace("-", "_") for name in sidebands.count)))

        end = o.payload.report
        self.takes: dict[str, ValueLike] = {
            "clk": ClockSignal(), "rst": ResetSignal(),
            "valid": i.valid, "last": i.payload.last, "keep": i.payload.keep, "data": i.payload.data.as_value(),
            **{name: i.payload[name] for name in sidebands.carried}, "ready": o.ready,
        }
        gives: dict[str, Value] = {
            "ready": i.ready, "valid": o.valid, "last": o.payload.last, "keep": o.payload.keep,
            "data": Cat(Value.cast(item) for item in o.payload.data),
            "told": told(end) if sidebands.report_port != "only" else Cat(),
            "user": Value.cast(end.user) if sidebands.user else Cat(),
            **{name: o.payload[name] for name in sidebands.tags},
            "marks": o.payload.marks if sidebands.records is not None else Cat(),
        }
        if sidebands.report_port != "none":
            self.takes["takes"] = self.report.ready
            gives |= {"reports": self.report.valid, "report": told(self.report.payload)}
        self.gives = {name: (value, Signal(len(value), name=f"given_{name}")) for name, value in gives.items()
                      if len(value)}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += [value.eq(~given) for value, given in self.gives.values()]
        return m


IN = ("clk", "rst", "valid", "last", "keep", "data", *CARRIED, "ready", "takes")
OUT = ("ready", "valid", "last", "keep", "data", "told", *CARRIED, "marks", "reports", "report")
"""What may go into a core and come out."""


def wrapper(parameters: TranscoderParameters) -> Cut:
    """The delivered ports, as Verilog that the project's own code writes, with ports in place of the core: ``in_`` all
    that goes in there, ``out_`` what comes out. What is not there is one bit, zero. ``widths``: those of `BUS` as they
    are declared, 16 bits each, 0 for a port that is not there, and at last the number of ports of any other name."""
    streams = _Streams(parameters)
    inside = [
        *(Port(f"in_{name}", "output", len(Value.cast(value)), "") for name, value in streams.takes.items()),
        *(Port(f"out_{name}", "input", len(given), "") for name, (_, given) in streams.gives.items()),
    ]

    def opened(parameters: TranscoderParameters) -> list[Port]:
        return [*bus_ports(parameters), *inside]

    class Opened(AxiStream):
        def elaborate(self, platform: object) -> Module:
            m = super().elaborate(platform)
            m.d.comb += [getattr(self, f"in_{name}").eq(value) for name, value in streams.takes.items()]
            m.d.comb += [given.eq(getattr(self, f"out_{name}")) for name, (_, given) in streams.gives.items()]
            return m

    with (patch.object(axi, "ports", opened), patch.object(verilog, "ports", opened),
          patch.object(verilog, "axi_top", lambda parameters: Opened(streams))):
        text = verilog_text(parameters)
    sidebands, reads, writes = parameters.sidebands, parameters.reads, parameters.writes
    passes = parameters.target is None
    item = 1 if passes else writes.unit_bytes
    return Cut(_with_all_ports(_plain(text), top_name(parameters)), {
        "LANES": parameters.lanes, "UNIT": reads.unit_bytes, "IN_BIG": int(reads.byte_order == "big"),
        "ITEMS": parameters.output_bytes // item, "WIDTH": len(Value.cast(streams.o.payload.data[0])), "ITEM": item,
        "OUT_BIG": int(writes.byte_order == "big"), "USER": sidebands.user, "ID": sidebands.id, "DEST": sidebands.dest,
        "TOLD": (0, 1, 1 + KIND_WIDTH, 1 + KIND_WIDTH + sidebands.offset_bits)[REPORTS.index(sidebands.report)]
        + len(sidebands.count) * sidebands.offset_bits,
        "BESIDE": int(sidebands.report_port != "only"), "APART": int(sidebands.report_port != "none"),
        "MARKS": MARKS * (sidebands.records is not None),
    })


def _with_all_ports(text: str, top: str) -> str:
    """A module ``dut`` around the module ``top``, as `wrapper` has it: its ports are all that there may be."""
    found = {name: (direction, int(high or 0) + 1)
             for direction, high, name in _PORT.findall(text.partition(");")[0])}
    driven = {*_DRIVEN, *(f"in_{name}" for name in IN)}
    names = [*BUS, *(f"in_{name}" for name in IN), *(f"out_{name}" for name in OUT)]
    declared, connected, absent = [], [], []
    for name in names:
        direction, width = found.get(name, ("output" if name in driven else "input", 1))
        declared.append(f"    {direction} wire [{width - 1}:0] {name}")
        if name not in found:
            absent += [f"    assign {name} = 0;"] if name in driven else []
        else:
            connected.append(f"        .{name}({'~' if name.startswith('out_') else ''}{name})")
    others = len(found.keys() - {*names})
    widths = ", ".join(f"16'd{width}" for width in (
        others, *(found[name][1] if name in found else 0 for name in reversed(BUS))))
    return "\n".join([
        text, "module dut (", *(f"{line}," for line in declared),
        f"    output wire [{16 * len(BUS) + 15}:0] widths", ");",
        f"    {top} delivered (", ",\n".join(connected), "    );", *absent,
        f"    assign widths = {{{widths}}};", "endmodule", "",
    ])


_PORT = re.compile(r"^ *(input|output) +wire +(?:\[(\d+):0\])? *(\w+)", re.MULTILINE)
"""A port of a top module in Verilog."""
_DRIVEN = frozenset({"s_axis_tready", "m_report_tdata", "m_report_tvalid",
                     *(name for name in BUS if name.startswith("m_axis_") and name != "m_axis_tready")})
"""Ports that a core drives."""

AROUND = frozenset({"drain", "skid", "row", "marks", "report_port"})
"""Modules of a compact core whose registers do not wait with those of its pipeline."""


def waiting(parameters: TranscoderParameters) -> Cut:
    """A whole compact core: ``moved`` says that a register of its pipeline is not what it was a cycle ago, although
    it was to wait; ``changed`` that what it offered then and nobody took is not offered any more."""
    ports = _Ports(Module())
    m = ports.m
    core = Compact(parameters)
    whole = Fragment.get(core, None)
    taken, offered = core.i, core.o
    payload = taken.payload
    m.submodules.core = whole
    m.d.comb += [
        taken.valid.eq(ports.new("i_valid", 1)), payload.last.eq(ports.new("i_last", 1)),
        Cat(Value.cast(payload[name]) for name in payload.shape().members if name != "last").eq(
            ports.new("i_rest", len(Value.cast(payload)) - 1)),
        offered.ready.eq(ports.new("o_ready", 1)),
    ]
    if parameters.sidebands.report_port != "none":
        m.d.comb += core.report.ready.eq(ports.new("report_ready", 1))
    registers = [signal for inside, name, _ in whole.subfragments if name not in AROUND
                 for signal in _all_registers(inside)]
    now, before, waited = Cat(registers), Signal(len(Cat(registers)), name="before"), Signal(name="waited")
    begun = Signal(name="begun")
    assert core._advance is not None
    offer = offered.payload.as_value()
    shown, left = Signal(len(offer), name="shown"), Signal(name="left")
    m.d.sync += [before.eq(now), waited.eq(~core._advance), begun.eq(1), shown.eq(offer),
                 left.eq(offered.valid & ~offered.ready)]
    ports.show("changed", left & ~(offered.valid & (shown == offer)))
    ports.show("moved", begun & waited & (before != now))
    return ports.convert(REST=len(ports.signals["i_rest"]))


def _all_registers(fragment: Fragment) -> list[Signal]:
    return [signal for statement in fragment.statements.get("sync", []) for signal in statement._lhs_signals()] + [
        signal for inside, *_ in fragment.subfragments for signal in _all_registers(inside)]


def skid(parameters: TranscoderParameters) -> Cut:
    """What stands before the pipeline of a compact core, for beats of few bits."""
    ports = _Ports(Module())
    m = ports.m
    given, output = (stream.Signature(SKID_BITS).create() for _ in range(2))
    m.submodules.skid = made = Skid(given, output)
    m.d.comb += [
        given.valid.eq(ports.new("i_valid", 1)), given.payload.eq(ports.new("i_data", SKID_BITS)),
        made.advance.eq(ports.new("advance", 1)), made.open.eq(ports.new("open", 1)),
    ]
    ports.show("i_ready", given.ready)
    ports.show("o_valid", output.valid)
    ports.show("o_data", output.payload)
    return ports.convert(WIDTH=SKID_BITS)


SKID_BITS = 2
"""Bits of a beat before the pipeline, in its proof."""


def placement(parameters: TranscoderParameters, width: int) -> Cut:
    """From items to the register of a compact core's output row, in the cycles in which the core does not wait. Beats
    and items are free inputs, at step 0. What the last lane gets goes into no row under way: ``there`` has it clear."""
    ports = _Ports(Module())
    facts: dict[str, int] = {}

    def tail(
        entry: InputStage, output: Any, present: Sequence[Timed], items: Items, report: Any,
        marks: Sequence[Timed] = (),
    ) -> Arranged:
        pipeline = entry.pipeline
        lanes = len(present)
        go = ports.new("go", 1)
        pipeline.valid = pipeline.enter(go, "valid")
        pipeline.last = pipeline.enter(go & ports.new("go_last", 1), "last")
        given, given_items = ports.new("present", lanes), ports.new("data", lanes * width)
        with patch.object(compact_packing, "Row", _RowPorts):
            packed: Arranged = compact_tail_of(parameters)(
                entry, output, [_freed(pipeline, given[i] & go, value) for i, value in enumerate(present)],
                lambda after: [
                    _freed(pipeline, given_items.word_select(i, width), value) for i, value in enumerate(items(after))],
                report)
        row = packed.row
        assert row is not None, "rows in place have no register of their own"
        for name, value in (
            ("filled", row.filled), ("ends", row.ends), ("kept", row.kept), ("items", row.items),
            ("there", Cat(row.present, Const(0, 1))), ("wrapped", Cat(row.wrapped, Const(0, 1))),
        ):
            ports.show(name, value)
        facts.update(LANES=lanes, STAGES=packed.timing.registers - 1)
        return packed

    _build(ports, parameters, tail)
    return ports.convert(WIDTH=width, SLOTS=parameters.slots, USED=parameters.used_slots, **facts)


def row(parameters: TranscoderParameters, width: int) -> Cut:
    """The register of a compact core's output row, and what goes beside it, to the output: what it gets is free, and
    comes ``STAGES`` cycles of ``advance`` after ``go``."""
    ports = _Ports(Module())
    m = ports.m

    class Fed(_RowPorts):
        def __init__(self, lanes: int, width: int) -> None:
            super().__init__(lanes, width)
            alone = Module()
            alone.submodules.row = row = Row(lanes, width)
            m.submodules.alone = alone
            m.d.comb += [
                row.filled.eq(ports.new("filled", 1)), row.ends.eq(ports.new("ends", 1)),
                row.kept.eq(ports.new("kept", lanes)), row.items.eq(ports.new("items", lanes * width)),
                row.present.eq(ports.new("there", lanes)), row.wrapped.eq(ports.new("wrapped", lanes)),
                row.ready.eq(self.ready), row.open.eq(self.open), self.advance.eq(row.advance),
                self.offer.eq(row.offer), self.last.eq(row.last), self.data.eq(row.data), self.keep.eq(row.keep),
            ]

    return _to_output(parameters, width, ports, Fed)


def rows(parameters: TranscoderParameters, width: int) -> Cut:
    """From items to the output of a compact core, which ``ready`` stalls: as in `packing` beats, items and all that
    goes beside them are free inputs, at step 0. They count in a cycle of ``advance``."""
    return _to_output(parameters, width, _Ports(Module()), None)


def _to_output(parameters: TranscoderParameters, width: int, ports: _Ports, fed: type[Row] | None) -> Cut:
    """The end of a compact core. ``fed``: what stands for the register of its row, which needs no items."""
    tagged = _tagged(parameters)
    facts: dict[str, int] = {}
    clean = parameters.target is None

    def tail(
        entry: InputStage, output: Any, present: Sequence[Timed], items: Items, report: Report,
        marks: Sequence[Timed] = (),
    ) -> Any:
        pipeline = entry.pipeline
        lanes = len(present)
        tag = ports.new("tag", 1)
        if entry.tags is not None:
            entry = replace(entry, tags=_freed(pipeline, tag, entry.tags))
        go = ports.new("go", 1)
        pipeline.valid = pipeline.enter(go, "valid")
        pipeline.last = pipeline.enter(go & ports.new("go_last", 1), "last")
        note = ports.new("report", width)
        given, given_items, given_marks = (
            Const(0, bits) if fed else ports.new(name, bits) for name, bits in
            (("present", lanes), ("data", lanes * width), ("marks", MARKS * lanes)))
        counted = Const(1) if parameters.in_place else pipeline.valid.at(0)

        def item(lane: int) -> Value:
            value = given_items.word_select(lane, width)
            # What passes through is zero where it is not kept.
            return value & given[lane].replicate(width) if clean else value

        told = pipeline.enter(note, "told")
        with patch.object(compact_packing, "Row", fed or Row):
            packed = compact_tail_of(parameters)(
                entry, output, [_freed(pipeline, given[i] & counted, value) for i, value in enumerate(present)],
                lambda after: [_freed(pipeline, item(i), value) for i, value in enumerate(items(after))],
                None if report is None else lambda after: told,
                **_marked([_freed(pipeline, given_marks[i], value) for i, value in enumerate(marks)]))
        payload = output.payload
        members = payload.shape().members
        tags = [payload[name] for name in TAGS if name in members]
        offer, ready = Signal(name="row_offer"), Signal(name="row_ready")
        ports.m.d.comb += [offer.eq(packed.offer), ready.eq(~offer | ports.new("ready", 1))]
        if packed.row is not None:
            ports.m.d.comb += [packed.row.ready.eq(ready), packed.row.open.eq(1)]
        ports.m.d.comb += advance.eq(ready if packed.row is None else packed.row.advance)
        ports.show("advance", advance)
        ports.show("offer", offer)
        ports.show("out_last", payload.last)
        ports.show("out_keep", payload.keep)
        ports.show("out_data", Cat(Value.cast(payload.data[lane])[:width] for lane in range(lanes)))
        ports.show("out_report", Value.cast(payload.report)[:width] if report is not None else Const(0, width))
        ports.show("out_tag", Value.cast(Cat(tags))[0] if tags else Const(0, 1))
        if not fed:
            ports.show("out_marks", payload.marks if marks else Const(0, MARKS * lanes))
        facts.update(LANES=lanes, STAGES=packed.timing.registers - 1)
        return packed

    advance = Signal(name="advances")
    core = Compact(parameters, tail)
    core._advance = advance
    core.build(ports.m, Restart.never())
    core._MustUse__silence = True
    known = {"WIDTH": width, "REPORTS": int(_told(parameters)), "TAGS": int(tagged)}
    if fed:
        return ports.convert(**known, **facts)
    slots, used = (1, 1) if parameters.in_place else (parameters.slots, parameters.used_slots)
    return ports.convert(IN_PLACE=int(parameters.in_place), MARKS=int(parameters.sidebands.records is not None),
                         SLOTS=slots, USED=used, **known, **facts)


def _without_first_values(rtlil: str, instance: str) -> str:
    """The design with no initial values in an instance and in what it is made of."""
    head = re.compile(rf"^module \\dut\.{instance}(\.\S+)?$", re.MULTILINE)
    modules = re.split(r"(?<=^end\n)", rtlil, flags=re.MULTILINE)
    value = re.compile(r"^  attribute \\init .*\n", re.MULTILINE)
    return "".join(value.sub("", module) if head.search(module) else module for module in modules)


def _told(parameters: TranscoderParameters) -> bool:
    """Whether anything is told of a packet at its end."""
    return bool(parameters.sidebands.told) or parameters.sidebands.user > 0


def _tagged(parameters: TranscoderParameters) -> bool:
    return parameters.sidebands.id + parameters.sidebands.dest > 0


def _packing(parameters: TranscoderParameters, width: int) -> tuple[_Ports, OutputBuffer]:
    ports = _Ports(Module())
    told, tagged = _told(parameters), _tagged(parameters)

    def tail(
        entry: InputStage, output: Value, present: Sequence[Timed], items: Items, report: Timed | None,
        marks: Sequence[Timed] = (),
    ) -> Packed:
        pipeline = entry.pipeline
        lanes = len(present)
        tag, given_marks = ports.new("tag", 1), ports.new("marks", MARKS * lanes)
        if entry.tags is not None:
            entry = replace(entry, tags=_freed(pipeline, tag, entry.tags))
        go = ports.new("go", 1)
        pipeline.valid = pipeline.enter(go, "valid")
        pipeline.last = pipeline.enter(go & ports.new("go_last", 1), "last")
        given, given_items, note = (
            ports.new(name, bits) for name, bits in
            (("present", lanes), ("data", lanes * width), ("report", width))
        )
        counted = Const(1) if parameters.in_place else pipeline.valid.at(0)
        seen, begun = Signal(name="seen"), Signal(name="begun")
        ports.m.d.sync += seen.eq(begun)
        ports.m.d.comb += begun.eq(seen | pipeline.valid.at(0))
        return tail_of(parameters)(
            entry, output,
            [_freed(pipeline, given[i] & counted, value) for i, value in enumerate(present)],
            lambda after: [
                _freed(pipeline, given_items.word_select(i, width), value) for i, value in enumerate(items(after))
            ],
            None if report is None
            else _freed(pipeline, note & (pipeline.last.at(0) | ~begun).replicate(width), report), _BufferPorts,
            **_marked([_freed(pipeline, given_marks[i], value) for i, value in enumerate(marks)]),
        )

    made = _build(ports, parameters, tail).buffer
    for name, writes, each in (
        ("lane", made.lane, made.width), ("keep", made.keep, None), ("metadata", [made.metadata], None),
        ("mark", made.mark or [_absent(keep) for keep in made.keep], None),
    ):
        # One for each lane, of those that are written together too.
        places = [write for write in writes for _ in range(len(write.data) // (each or len(write.data)))]
        ports.show(f"{name}_enable", Cat(write.enable.any() for write in places))
        ports.show(f"{name}_clash", Cat((write.enable & (write.enable - 1)).any() for write in places))
        ports.show(f"{name}_row", Cat(Cat(_bank(write), _row(write)) for write in places))
        if name != "metadata":
            ports.show(f"{name}_data", Cat(write.data for write in writes))
    # What is not there is zero.
    tags = 1 + width * told
    metadata = made.metadata.data
    tag = metadata[tags] if tagged else Const(0, 1)
    ports.show("metadata_data", Cat(metadata[:tags], *[Const(0, width)] * (not told), tag))
    ports.show("push", made.push)
    ports.show("returned", made.returned)
    return ports, made


def _absent(keep: Write) -> Write:
    """A write port for the marks of some lanes, of a core without marks, by that of their keep bits."""
    return Write(Signal(BANKS), keep.rows, Const(0, MARKS * len(keep.data)))


def _row(write: Write) -> Value:
    """Address of the row that is written, in its bank."""
    first, second = write.rows
    return first if first is second else Mux(_bank(write), second, first)


def _bank(write: Write) -> Value:
    """Number of the bank that is written, of two: the row's lowest bit."""
    return write.enable[1]


def _measure(ports: _Ports, in_place: bool, slots: int) -> dict[str, int]:
    """Cycles from a beat's step 0 to its writes, pushes and returns. A guess: the proof fails if it is wrong."""
    signals = ports.signals

    async def first(ctx: SimulatorContext, *names: str) -> dict[str, int]:
        """Cycles from a beat until each of these is set first."""
        found: dict[str, int] = {}
        for cycle in range(200):
            for name in names:
                if name not in found and ctx.get(signals[name]):
                    found[name] = cycle
            await ctx.tick()
            ctx.set(signals["go"], 0)
        return found

    delays: dict[str, int] = {}

    async def bench(ctx: SimulatorContext) -> None:
        for name in ("go", "go_last"):
            ctx.set(signals[name], 1)
        # Items of a lane stand in its last places.
        ctx.set(signals["present"], 1 << slots - 1)
        found = await first(ctx, "lane_enable", "keep_enable", "push", "metadata_enable", "mark_enable")
        delays["WRITE_DELAY"] = found["lane_enable"]
        delays["KEEP_DELAY"] = found["keep_enable"]
        # In dense rows a packet's last row comes a cycle late.
        delays["PUSH_DELAY"] = found["push"] - (0 if in_place else 1)
        delays["RETURN_DELAY"] = delays["PUSH_DELAY"]
        delays["METADATA_DELAY"] = found["metadata_enable"] - found["push"]
        delays["MARK_DELAY"] = found.get("mark_enable", 0)
        if not in_place:
            # The first beat without a row keeps its credit, the second returns it.
            ctx.set(signals["go_last"], 0)
            ctx.set(signals["present"], 0)
            ctx.set(signals["go"], 1)
            await ctx.tick()
            delays["RETURN_DELAY"] = (await first(ctx, "returned"))["returned"]

    simulator = Simulator(ports.m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return delays
