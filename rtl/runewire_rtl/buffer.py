"""The tail of every core: a buffer of rows that lets the pipeline before it run free.

The pipeline never waits. Each input beat is taken only against a *credit*, one for each row of the
buffer, so whatever is under way has a row to land in when the output stalls. A row is written lane by
lane, each lane at its own time and row: what leaves the core is put together in the memory itself.
A row becomes readable by a *push*, in order; a packet's report travels beside it.

Back-pressure ends here. The output registers and what feeds them are cut into groups of a few lanes,
each with its own copy of the read controller: ``ready`` of the output is the only net they share, and
it comes from outside. The copies agree since all see the same tokens in the same cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import log2
from operator import or_

from amaranth.hdl import Cat, Const, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.utils import ceil_log2

from .counters import Thermometer, incremented
from .layouts import REPORT

__all__ = ["BANK", "OUTPUT_LATENCY", "READ_LATENCY", "OutputBuffer", "Thermometer", "Write", "depth_for"]

BANK = 16
"""Rows of the smallest buffer: what one distributed memory of most devices holds."""

READ_LATENCY = 3
"""Cycles from a push to the reading of its row: backlog, token, reader."""

OUTPUT_LATENCY = READ_LATENCY + 2
"""Cycles from a push to the row's first cycle on the output: the memory's register and the output's follow."""

GROUP_BITS = 84
"""Width of the output that shares one read controller, at most."""

LOAD_BITS = 24
"""Width of the output that shares one copy of what loads its registers."""

CREDIT_LOOP = 3
"""Cycles in which ``ready`` still rests on credits that are already spent."""


def depth_for(in_flight: int) -> int:
    """Rows needed for one beat a cycle, when a beat spends ``in_flight`` cycles between taking and reading.

    To these come the credit loop's own delay, the row under way, which a packet's credits hold back, and one
    beat that may be taken before the first returns its credit.
    """
    need = in_flight + CREDIT_LOOP + 2
    return BANK << int(ceil_log2(-(-need // BANK)))


class Reader(Elaboratable):
    """Read controller of one group: hands rows from the memory to the output registers, in order.

    ``give`` announces one more readable row; at most four may be announced and not yet read, as
    ``waiting`` (in unary) counts. :meth:`loads` tells when a memory register takes the row :meth:`row` and when
    an output register takes the memory register. ``advance`` marks a row read, ``offered`` that the output
    register holds one, from a register that drives nothing else.
    """

    def __init__(self, depth: int, name: str) -> None:
        # The groups' controllers are equal, and must stay apart.
        keep = {"keep": True}
        self.give = Signal(name=f"{name}_give", attrs=keep)
        self.ready = Signal()
        self.waiting = Signal(4, name=f"{name}_waiting", attrs=keep)
        self.depth = depth
        self.name = name
        self._rows: list[tuple[Signal, Signal]] = []
        self._moved: list[Signal] = []
        self._loads: list[tuple[Signal, Signal]] = []
        self.memory_valid = Signal(name=f"{name}_memory_valid", attrs=keep)
        self.output_valid = Signal(name=f"{name}_output_valid", attrs=keep)
        self.offered = Signal(name=f"{name}_offered", attrs=keep)
        self.advance = Signal()
        self._full = Signal(name=f"{name}_full", attrs=keep)

    def row(self, ahead: int = 0) -> Signal:
        """A register of its own that holds the row to be read next, or the one that many ``ahead`` of it: each
        memory is addressed by one close by."""
        name = f"{self.name}_row{len(self._rows)}"
        row = Signal(range(self.depth), name=name, init=ahead, attrs={"keep": True})
        full = Signal(name=f"{name}_full", attrs={"keep": True})
        self._rows.append((row, full))
        return row

    def moved(self) -> Signal:
        """A register of its own that tells that the row to be read is another than in the cycle before."""
        moved = Signal(name=f"{self.name}_moved{len(self._moved)}", attrs={"keep": True})
        self._moved.append(moved)
        return moved

    def loads(self) -> tuple[Value, Value]:
        """Whether to load a memory register, and an output register, from registers of their own."""
        full, output_valid = (
            Signal(name=f"{self.name}_{name}{len(self._loads)}", attrs={"keep": True})
            for name in ("full", "output_valid")
        )
        self._loads.append((full, output_valid))
        # An output register only ever takes a row: what an unwritten memory holds stays inside.
        return self.ready | ~full, (self.ready | ~output_valid) & self.memory_valid

    def elaborate(self, platform: object) -> Module:
        m = Module()
        output_next = self.memory_valid | (self.output_valid & ~self.ready)
        # Both registers full: known ahead, so that what waits for it is one gate behind ``ready``. Told from the
        # two, not from itself, it is a function of four.
        both = self.memory_valid & self.output_valid
        full_next = output_next & (self.waiting[0] | (both & ~self.ready))
        m.d.comb += self.advance.eq((self.ready | ~self._full) & self.waiting[0])
        m.d.sync += [
            self.memory_valid.eq(self.waiting[0] | (self._full & ~self.ready)),
            self._full.eq(full_next),
            self.output_valid.eq(output_next),
            self.offered.eq(output_next),
        ]
        m.d.sync += [moved.eq(self.advance) for moved in self._moved]
        for full, output_valid in self._loads:
            m.d.sync += [full.eq(full_next), output_valid.eq(output_next)]
        for row, full in self._rows:
            m.d.sync += full.eq(full_next)
            with m.If((self.ready | ~full) & self.waiting[0]):
                m.d.sync += row.eq(incremented(row))
        with m.If(self.give & ~self.advance):
            m.d.sync += self.waiting.eq(Cat(1, self.waiting))
        with m.Elif(~self.give & self.advance):
            m.d.sync += self.waiting.eq(self.waiting[1:])
        return m


@dataclass(frozen=True)
class Write:
    """A write port: ``data`` into row ``row`` of the bank whose bit of ``enable`` is set."""

    enable: Signal
    row: Signal
    data: Signal


class OutputBuffer(Elaboratable):
    """Rows of ``lanes`` items of ``width`` bits, ``depth`` of them.

    Writing: ``lane[i]`` writes an item; ``keep[g]`` the keep bits of the ``g``-th ``group`` of lanes;
    ``about`` a row's last bit and, above it, its report. A ``push`` makes the next row readable, all of which
    must be written no later than in that cycle.

    Credits: ``accepted`` tells, a cycle late, that a beat was taken; ``returned`` that a beat under way
    will need no row after all. ``accept`` says that one more beat may be taken.

    Reading: ``output`` is a stream of :func:`runewire_rtl.layouts.output_beat`'s shape. A lane that is not
    kept reads as zero, whatever the row held before.
    """

    def __init__(self, lanes: int, width: int, depth: int, output: Value) -> None:
        self.lanes = lanes
        self.width = width
        self.depth = depth
        self.banks = 1 if depth == BANK else 2
        self.group = 1 << int(log2(GROUP_BITS // width))

        def port(name: str, width: int) -> Write:
            return Write(
                Signal(self.banks, name=f"{name}_enable"),
                Signal(range(depth // self.banks), name=f"{name}_row"),
                Signal(width, name=f"{name}_data"),
            )

        self.lane = [port(f"lane{lane}", width) for lane in range(lanes)]
        self.keep = [
            port(f"keep{first}", min(self.group, lanes - first)) for first in range(0, lanes, self.group)
        ]
        self.about = port("about", 1 + REPORT.size)
        self.push = Signal()
        self.accepted = Signal()
        self.returned = Signal()
        self.accept = Signal()
        self.output = output

    def elaborate(self, platform: object) -> Module:
        m = Module()
        readers = [Reader(self.depth, f"group{index}") for index in range(len(self.keep))]
        side = Reader(self.depth, "side")
        for reader in (side, *readers):
            m.submodules[f"reader_{reader.name}"] = reader
            m.d.comb += reader.ready.eq(self.output.ready)
        self._credits(m, side, [side, *readers])
        payload = self.output.payload
        m.d.comb += self.output.valid.eq(side.offered)
        for index, reader in enumerate(readers):
            self._group(m, reader, index)
        load_memory, load_output = side.loads()
        about = self._about(m, side, load_memory)
        with m.If(load_output):
            m.d.sync += Cat(payload.last, payload.report).eq(about)
        return m

    def _credits(self, m: Module, side: Reader, readers: list[Reader]) -> None:
        m.submodules.credit = credit = Thermometer(self.depth, init=self.depth)
        popped = Signal()
        returned = Signal()
        m.d.sync += [
            popped.eq(side.advance),
            returned.eq(self.returned),
            credit.change.eq(popped + returned - self.accepted),
        ]
        m.d.comb += self.accept.eq(credit.level[CREDIT_LOOP - 1])
        # Rows pushed and not yet announced to the readers.
        m.submodules.backlog = backlog = Thermometer(self.depth)
        given, waiting = side.give, side.waiting
        give = Signal()
        m.d.comb += [
            backlog.change.eq(self.push - given),
            # Two more may come before this is seen to be full: the one announced now, and the one before.
            give.eq(Mux(given, backlog.level[1], backlog.level[0]) & ~waiting[2]),
        ]
        m.d.sync += [reader.give.eq(give) for reader in readers]

    def _group(self, m: Module, reader: Reader, index: int) -> None:
        """The memories and output registers of a few lanes, behind one reader."""
        payload = self.output.payload
        lanes = range(index * self.group, min((index + 1) * self.group, self.lanes))
        load_memory, load_output = reader.loads()
        keep = self._keep(m, reader, index, load_memory)
        rows = [reader.row() for _ in range(self.banks)]
        with m.If(load_output):
            m.d.sync += payload.keep[lanes.start : lanes.stop].eq(reduce(or_, keep))
        for lane in lanes:
            if (lane - lanes.start) % max(1, LOAD_BITS // self.width) == 0:
                load_memory, load_output = reader.loads()
            items = [
                self._memory(m, f"lane{lane}", row, self.lane[lane], bank, load_memory)
                & kept[lane - lanes.start].replicate(self.width)
                for bank, (row, kept) in enumerate(zip(rows, keep, strict=True))
            ]
            with m.If(load_output):
                m.d.sync += Value.cast(payload.data[lane]).eq(reduce(or_, items))

    def _about(self, m: Module, reader: Reader, load: Value) -> Value:
        """Last bit and report of the row that the memory registers hold, zero when they hold none."""
        chosen = []
        for bank in range(self.banks):
            row = reader.row()
            valid = Signal(name=f"about_valid{bank}", attrs={"keep": True})
            with m.If(load):
                m.d.sync += valid.eq(reader.waiting[0] & (self._bank(row) == bank))
            item = self._memory(m, "about", row, self.about, bank, load)
            chosen.append(item & valid.replicate(len(item)))
        return reduce(or_, chosen)

    def _keep(self, m: Module, reader: Reader, index: int, load: Value) -> list[Value]:
        """For each bank, the keep bits of the row that the memory registers hold, if it is one of the bank's.

        As they mask the data they must not come a bank's choice later. So they are read a cycle ahead, for
        the row to be read and, should that be read now, for the one after it. That row is long written by
        the time it may itself be read.
        """
        if self.banks == 1:
            return [self._memory(m, f"keep{index}", reader.row(), self.keep[index], 0, load)]
        chosen: list[Value] = []
        for bank in range(self.banks):
            row, next_row = reader.row(), reader.row(ahead=1)
            here = self._memory(m, f"keep{index}_here", row, self.keep[index], bank, Const(1))
            there = self._memory(m, f"keep{index}_next", next_row, self.keep[index], bank, Const(1))
            moved = reader.moved()
            register = Signal(len(here), name=f"keep{index}_of_bank{bank}")
            with m.If(load):
                m.d.sync += register.eq(Mux(moved, there, here) & (self._bank(row) == bank).replicate(len(here)))
            chosen.append(register)
        return chosen

    def _bank(self, row: Value) -> Value:
        return row[ceil_log2(self.depth // self.banks) :]

    def _memory(self, m: Module, name: str, row: Value, port: Write, bank: int, load: Value) -> Value:
        """A bank behind its write port, and its register, which takes the row at ``row`` when ``load``."""
        depth = self.depth // self.banks
        m.submodules[f"{name}_bank{bank}"] = memory = Memory(shape=len(port.data), depth=depth, init=[])
        write = memory.write_port()
        read = memory.read_port(domain="sync")
        m.d.comb += [
            write.en.eq(port.enable[bank]), write.addr.eq(port.row), write.data.eq(port.data),
            read.addr.eq(row[: ceil_log2(depth)]), read.en.eq(load),
        ]
        return read.data
