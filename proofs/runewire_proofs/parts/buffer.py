"""Part `buffer`: rows come out of the output buffer as they were written, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any

from amaranth.hdl import Array, Cat, Fragment, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.utils import ceil_log2
from runewire_model import Timing, TranscoderParameters
from runewire_rtl import timing
from runewire_rtl.buffer.output_buffer import CREDIT_LOOP, OUTPUT_LATENCY, WRITTEN, OutputBuffer, Write
from runewire_rtl.buffer.read_controller import BANKS, ReadController
from runewire_rtl.pipeline.carry_free_counters import Thermometer
from runewire_rtl.pipeline.layout_policy import TUNED
from runewire_rtl.pipeline.restart import Restart

from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against
from .buffer_faults import mutants

__all__ = ["cut", "mutants", "proof"]

LANES, GROUPED = 3, 2
"""Lanes of the buffer that is proven, and how many of them share a reader: a full group and a partial one."""


def proof(parameters: TranscoderParameters) -> Proof:
    """Claim: rows are output as they were written, in order, none lost or repeated; ``valid`` stays high until the
    handshake; no credit is lost or added.

    The buffer has few lanes; items, record flags and reports have one bit. Of each memory there is one row, any one.
    """
    return Proof(
        "buffer", INDUCTIVE, ["pdr"],
        against("buffer", "buffer_contract", cut=lambda: cut(parameters), lemmas=True), mutants())


@dataclass
class _Watch:
    """One row of each memory, ``at``, and the last read from its bank; every other row reads as ``free``."""

    at: Signal
    words: dict[str, list[Signal]] = field(default_factory=dict)
    reads: dict[str, list[Signal]] = field(default_factory=dict)
    loaded: dict[str, list[Signal]] = field(default_factory=dict)
    free: list[Value] = field(default_factory=list)

    def memory(self, m: Module, name: str, port: Write, bank: int, row: Signal, load: Value) -> Signal:
        """A bank of a memory. What reads a row must address it rightly, or it gets what is free."""
        word, read, other = (
            Signal(len(port.data), name=f"{name}_{kind}{bank}") for kind in ("word", "read", "free")
        )
        self.free.append(other)
        self.words.setdefault(name, []).append(word)
        self.reads.setdefault(name, []).append(read)
        with m.If(port.enable[bank] & (port.rows[bank] == self.at[1:]) & (self.at[0] == bank)):
            m.d.sync += word.eq(port.data)
        with m.If(load):
            m.d.sync += read.eq(Mux((row == self.at[1:]) & (self.at[0] == bank), word, other))
        return read

    def here(self, kinds: dict[str, list[Signal]], memories: Sequence[str]) -> Value:
        """Values of the bank that has the watched row."""
        return Cat(Array(kinds[memory])[self.at[0]] for memory in memories)


def cut(parameters: TranscoderParameters) -> Cut:
    """The output buffer of a core, as deep as it is there, with few lanes of one-bit items, and a report of one bit.

    Each lane has a record flag of one bit, whether the core has such or not.

    Of each memory there is the row ``watch`` alone, and ``free`` instead of the others. ``beat`` is the output's
    payload. ``credit``, ``backlog``, ``changes``, ``announce``, ``pending``, ``fetch``, ``fetched``, ``reads``,
    ``shown``, ``rows`` and ``after`` are the controllers' registers, bank by bank. ``words`` is the content of the
    watched row, ``read`` and ``ahead`` the last read from its bank, ``held`` the last load from there. ``masks`` has
    the masks of both banks.
    """
    time = timing(parameters)
    assert isinstance(time, Timing), "a compact core has no buffer"
    ports = Ports()
    m = ports.m
    report = data.StructLayout({"error": 1})
    output = stream.Signature(data.StructLayout(
        {"data": data.ArrayLayout(1, LANES), "keep": LANES, "last": 1, "report": report, "marks": LANES}
    )).create()
    watch = _Watch(ports.new("watch", ceil_log2(time.depth)))

    class Watched(OutputBuffer):
        def stored(
            self, m: Module, name: str, port: Write, reader: ReadController, rows: dict[int, list[Signal]]
        ) -> list[Signal]:
            registers: list[Signal] = super().stored(m, name, port, reader, rows)
            watch.loaded[name] = registers
            return registers

        def memory(self, m: Module, name: str, port: Write, bank: int, row: Signal, load: Value) -> Signal:
            return watch.memory(m, name, port, bank, row, load)

    made = Watched(1, time.depth, output, Restart.never().clear, policy=replace(TUNED, reader_bits=GROUPED))
    _feed(ports, made, len(watch.at))
    m.d.comb += output.ready.eq(ports.new("ready", 1))
    readers: list[ReadController] = []
    counters: list[Thermometer] = []
    with ExitStack() as taps:
        for kind, found in ((ReadController, readers), (Thermometer, counters)):
            taps.enter_context(kind.elaborate.replaced(_listed(found)))
        # Described here and now: its parts are looked at below.
        m.submodules.buffer = Fragment.get(made, None)
    m.d.comb += Cat(watch.free).eq(ports.new("free", len(Cat(watch.free))))
    _show(ports, made, watch, sorted(readers, key=lambda reader: reader.name != "leader"), counters)
    return ports.cut(
        LANES=LANES, GROUP=GROUPED, ROW=len(watch.at), FREE=len(Cat(watch.free)), CREDIT_LOOP=CREDIT_LOOP,
        LATENCY=OUTPUT_LATENCY, WRITTEN=WRITTEN,
    )


def _listed(found: list[Any]) -> Callable[[Any], Callable[..., Module]]:
    """A list of the parts that are described."""
    def change(sound: Callable[..., Module]) -> Callable[..., Module]:
        def elaborate(part: Any, platform: object) -> Module:
            found.append(part)
            return sound(part, platform)
        return elaborate
    return change


def _feed(ports: Ports, made: OutputBuffer, row_bits: int) -> None:
    """Free inputs for the buffer's write ports, its pushes and credits."""
    for name, writes in (("lane", made.lane), ("keep", made.keep), ("metadata", [made.metadata]),
                         ("mark", made.mark)):
        enable, row, content = (
            ports.new(f"{name}_{kind}", width) for kind, width in
            (("enable", len(writes)), ("row", row_bits * len(writes)), ("data", sum(len(w.data) for w in writes)))
        )
        taken = 0
        for index, write in enumerate(writes):
            to = row.word_select(index, row_bits)
            ports.m.d.comb += [
                write.rows[0].eq(to[1:]),
                write.enable.eq(Cat(enable[index] & (to[0] == bank) for bank in range(BANKS))),
                write.data.eq(content[taken : taken + len(write.data)]),
            ]
            taken += len(write.data)
    for port in (made.push, made.accepted, made.returned):
        ports.m.d.comb += port.eq(ports.new(port.name, len(port)))


def _show(
    ports: Ports, made: OutputBuffer, watch: _Watch, readers: Sequence[ReadController], counters: Sequence[Thermometer],
) -> None:
    """The buffer's output and the registers that lemmas speak of; the first of ``readers`` leads."""
    leader, *groups = readers
    (credit,) = (counter for counter in counters if len(counter.level) == made.depth)
    # All counters of rows are equal: the first one of each bank is shown.
    backlogs = [counter for counter in counters if counter is not credit][:BANKS]
    payload = made.output.payload
    keeps, marks = ([f"{name}{i}" for i in range(len(made.keep))] for name in ("keep", "marks"))
    stored = [*(f"lane{i}" for i in range(LANES)), "metadata", *marks]
    for name, value in (
        ("accept", made.accept), ("valid", made.offer),
        ("beat", Cat(payload.data.as_value(), payload.keep, payload.last, payload.report.as_value(),
                     payload.marks)),
        ("credit", credit.level), ("backlog", Cat(backlog.level for backlog in backlogs)),
        ("changes", Cat(reduce(add, counter.up) - counter.down for counter in (*backlogs, credit))),
        ("announce", Cat(leader.announce)), ("pending", Cat(leader.pending)), ("fetch", Cat(leader.fetch)),
        ("fetched", Cat(leader.fetched)), ("reads", Cat(leader.reads)), ("shown", Cat(leader.shown)),
        ("rows", Cat(rows[0] for rows in leader.rows)), ("after", leader.after),
        ("words", watch.here(watch.words, [*stored[:LANES], *keeps, *stored[LANES:]])),
        ("read", watch.here(watch.reads, stored)), ("held", watch.here(watch.loaded, stored)),
        ("ahead", watch.here(watch.reads, keeps)),
        ("masks", Cat(reader.masks[bank][2] for bank in range(BANKS) for reader in groups)),
    ):
        ports.show(name, value)
