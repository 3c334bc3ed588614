"""The tail of every core: a buffer of rows that lets the pipeline before it run free.

Row 4 of a buffer of four lanes, while the sink is ready:

    cycle              0     1    2    3    4    5      6        7
    lanes 0 to 2       written
    push               yes
    lane 3                                  written              4 cycles after the push at the latest
    row 4                                        fetch  fetched  shown

The pipeline never waits. An input beat is taken only against a *credit*, one for each row of the buffer, so whatever is
under way has a row to land in when the output stalls. A row is written lane by lane, each lane at its own time: the
lanes of a row meet in the memory. A *push* makes the next row readable; a packet's report is written beside its row.

Back-pressure ends here. Rows lie in two banks, even ones and odd ones, which take turns. Each bank has a register for
the row that it shows, and the output shows one of the two. So a bank fetches a row every other cycle at most, and has a
cycle to note that its row is gone before it fetches the next. Every enable and every address is a register, and
``ready`` of the output only decides what these will be. Lanes are in groups, each with a read controller of its own.
The controllers see the same pushes and the same ``ready``, so they agree; a few that stand together share a count.

Limits: one push per cycle, in the order of rows. A row is not written later than 4 cycles after its push. The depth is
a power of two, 32 or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import log2
from operator import or_
from typing import ClassVar

from amaranth.hdl import Cat, Const, Elaboratable, Module, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.utils import ceil_log2
from runewire_model.report import TAGS

from ..cut_points import cut_point
from ..pipeline.carry_free_counters import Thermometer
from ..pipeline.gates import masked
from ..pipeline.layout_policy import TUNED, Policy
from ..pipeline.register_roles import CREDIT, LEADER, OCCUPANCY, said
from ..pipeline.restart import replica
from ..pipeline.stages import about
from .read_controller import BANKS, Reader

__all__ = ["BANK", "OUTPUT_LATENCY", "READ_LATENCY", "WRITTEN", "OutputBuffer", "Write", "depth_for", "enough"]

BANK = 16
"""Rows of the smallest bank: what one distributed memory of most devices holds."""

READ_LATENCY = 5
"""Cycles from a push until its row's bank is told to fetch it: a copy, occupancy (two), token, reader."""

WRITTEN = 4
"""Cycles from a push to the last writing to its row, at most: it is read in the cycle after."""

OUTPUT_LATENCY = READ_LATENCY + 2
"""Cycles from a push to the row's first cycle on the output: it is fetched, and then shown."""

CREDIT_LOOP = 3
"""Cycles in which ``ready`` still rests on credits that are already spent."""


def depth_for(in_flight: int) -> int:
    """Rows needed for one beat per cycle, when a beat spends ``in_flight`` cycles between taking and reading.

    To these come the credit loop's own delay, the row under way, which a packet's credits hold back, and one
    beat that may be taken before the first returns its credit.
    """
    need = in_flight + CREDIT_LOOP + 2
    return BANKS * BANK << int(ceil_log2(-(-need // (BANKS * BANK))))


@cut_point
def enough(credits: Value) -> Value:
    """Whether one more beat may be taken, by a number of credits in unary: more are left than may be spent already."""
    return credits[CREDIT_LOOP - 1]


@dataclass(frozen=True)
class Write:
    """A write port: ``data`` into the bank whose bit of ``enable`` is set, at that bank's one of ``rows``, which may be
    the same for all."""

    enable: Signal
    rows: Sequence[Signal]
    data: Value


class OutputBuffer(Elaboratable):
    """Rows of ``lanes`` items of ``width`` bits, ``depth`` of them.

    Writing: ``lane[i]`` writes the items of ``together`` lanes (a power of two), from lane ``i * together`` on;
    ``keep[g]`` the keep bits of the ``g``-th ``group`` of lanes, ``mark[g]`` some more bits of each, if any;
    ``metadata`` a row's metadata: its last bit and, above it, its report and its tags. With ``apart`` the ports of
    ``lane`` have a row for each bank.
    ``push[b]`` makes the next row, which bank ``b`` holds, readable; all of it must be written at most :data:`WRITTEN`
    cycles later.

    Credits: ``accepted`` tells, a cycle late, that a beat was taken; ``returned`` that a beat under way
    will need no row after all. ``accept`` says that one more beat may be taken.

    Reading: ``output`` is a stream of :func:`~runewire_rtl.stream_shapes.output_beat`'s shape, but for its ``valid``,
    which is ``offer``. A lane that is not kept reads as zero, whatever the row held before; so does all of it when
    there is no beat.

    While ``clear`` is set, it is empty or becomes so, and all credits are there.
    """

    reader: ClassVar[type[Reader]] = Reader
    counter: ClassVar[type[Thermometer]] = Thermometer

    def __init__(
        self, lanes: int, width: int, depth: int, output: Value, clear: Value, together: int = 1,
        policy: Policy = TUNED, apart: bool = False,
    ) -> None:
        self.lanes = lanes
        self.width = width
        self.depth = depth
        self.together = together
        self.policy = policy
        self.apart = apart
        self.group = max(together, 1 << int(log2(policy.reader_bits // width)))
        assert self.group % together == 0, f"lanes written together must be a power of two, got {together}"

        def port(name: str, width: int, apart: bool = False) -> Write:
            names = [f"{name}_row_bank{bank}" for bank in range(BANKS)] if apart else [f"{name}_row"]
            rows = [Signal(range(depth // BANKS), name=name) for name in names]
            return Write(
                Signal(BANKS, name=f"{name}_enable"),
                rows if apart else rows * BANKS,
                Signal(width, name=f"{name}_data"),
            )

        self.lane = [
            port(f"lane{first}", width * min(together, lanes - first), apart) for first in range(0, lanes, together)
        ]
        self.keep = [
            port(f"keep{first}", min(self.group, lanes - first)) for first in range(0, lanes, self.group)
        ]
        members = output.payload.shape().members
        tags = [len(Value.cast(output.payload[name])) for name in TAGS if name in members]
        self.metadata = port("metadata", 1 + len(Value.cast(output.payload.report)) + sum(tags))
        self.marks = len(output.payload.marks) // lanes if "marks" in members else 0
        self.mark = [
            port(f"marks{first}", self.marks * min(self.group, lanes - first)) for first in range(0, lanes, self.group)
        ] if self.marks else []
        self.push = Signal(BANKS)
        self.accepted = Signal()
        self.returned = Signal()
        self.accept = Signal()
        self.offer = Signal()
        self.clear = clear
        self.output = output

    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "buffer", "Rows wait in two banks until the output takes them; a row may be read once it was pushed.")
        names = [LEADER, *(f"group{index}" for index in range(len(self.keep)))]
        readers: list[Reader] = []
        policy = self.policy
        wide = self.apart and self.lanes * self.width >= policy.wide_row
        share = 1 if wide else policy.readers
        around = self.clear
        for first in range(0, len(names), share):
            if wide and first % policy.branch == 0:
                around = replica(m, self.clear, "clear_around")
            clear = replica(m, around, "clear_copy")
            together = [self.reader(self.depth, name, clear, policy) for name in names[first : first + share]]
            self.announce(m, together, clear)
            readers += together
        for reader in readers:
            m.submodules[f"reader_{reader.name}"] = reader
            m.d.comb += reader.ready.eq(self.output.ready)
        leader, *readers = readers
        self.credits(m, leader)
        m.d.comb += self.offer.eq(leader.valid)
        self._metadata(m, leader)
        for index, reader in enumerate(readers):
            self._group(m, reader, index)
        return m

    @cut_point
    def credits(self, m: Module, leader: Reader) -> None:
        credit = self.counter(self.depth, clear=self.clear, init=self.depth, most=2, policy=self.policy,
                              kind=CREDIT)
        m.submodules.credit = credit
        returned = Signal(name="returned_late")
        # The banks never fetch in the same cycle, as rows are announced, and leave, one by one.
        fetched = reduce(or_, leader.fetch)
        m.d.sync += returned.eq(self.returned)
        m.d.comb += [credit.up.eq(Cat(fetched, returned)), credit.down.eq(self.accepted)]
        m.d.comb += self.accept.eq(enough(credit.level))

    @cut_point
    def announce(self, m: Module, readers: list[Reader], clear: Value) -> None:
        """Tell readers that stand together of rows that are pushed. Each counts for itself how many it was told of."""
        name = readers[0].name
        push = Signal(BANKS, name=f"{name}_push", reset_less=True, attrs=self.policy.keep)
        m.d.sync += push.eq(self.push)
        for bank in range(BANKS):
            occupancy = self.counter(self.depth // BANKS, clear=clear, policy=self.policy,
                                     kind=said(OCCUPANCY, name, bank))
            m.submodules[f"{name}_occupancy{bank}"] = occupancy
            m.d.comb += [occupancy.up.eq(push[bank]), occupancy.down.eq(readers[0].announces[bank])]
            m.d.comb += [reader.readable[bank].eq(occupancy.level[0]) for reader in readers]

    def _group(self, m: Module, reader: Reader, index: int) -> None:
        """The memories and output registers of a few lanes, behind one reader."""
        payload = self.output.payload
        lanes = range(index * self.group, min((index + 1) * self.group, self.lanes))
        masks = []
        for bank in range(BANKS):
            # They mask the data, so they must be known when the row is still being fetched: they are read over
            # and over until it is, and then held.
            ahead = self.memory(m, f"keep{index}", self.keep[index], bank, reader.row(bank), reader.reads[bank])
            masks.append(reader.mask(bank, ahead))
        # A name of its own, or a port that repeats a bit would take it, and seem to drive itself.
        keep = Signal(len(lanes), name=f"{reader.name}_keep")
        m.d.comb += [keep.eq(reduce(or_, masks)), payload.keep[lanes.start : lanes.stop].eq(keep)]
        sharing = max(1, self.policy.address_bits // (self.width * self.together)) * self.together
        for first in range(lanes.start, lanes.stop, self.together):
            if (first - lanes.start) % sharing == 0:
                rows: dict[int, list[Signal]] = {}
            banks = self.stored(m, f"lane{first}", self.lane[first // self.together], reader, rows)
            for lane in range(first, min(first + self.together, lanes.stop)):
                items = [
                    masked(row.word_select(lane - first, self.width), mask[lane - lanes.start])
                    for row, mask in zip(banks, masks, strict=True)
                ]
                m.d.comb += Value.cast(payload.data[lane]).eq(reduce(or_, items))
        if self.mark:
            banks = self.stored(m, f"marks{index}", self.mark[index], reader, {})
            size = self.marks
            bits = reduce(or_, (
                row & Cat(bit.replicate(size) for bit in mask) for row, mask in zip(banks, masks, strict=True)))
            m.d.comb += payload.marks[size * lanes.start : size * lanes.stop].eq(bits)

    def _metadata(self, m: Module, reader: Reader) -> None:
        """A row's last bit, its report and its tags, behind a reader."""
        banks = self.stored(m, "metadata", self.metadata, reader, {})
        items = (masked(row, shown) for row, shown in zip(banks, reader.shown, strict=True))
        payload = self.output.payload
        tags = [payload[name] for name in TAGS if name in payload.shape().members]
        m.d.comb += Cat(payload.last, payload.report, *tags).eq(reduce(or_, items))

    def stored(self, m: Module, name: str, port: Write, reader: Reader, rows: dict[int, list[Signal]]) -> list[Signal]:
        """The register of each bank behind the port, which takes the row to be fetched. That is read a cycle before,
        so that block RAM may have a register at its address and another at its output, and no path is long.

        ``rows``: copies of the address, a bank and as many bits as share one, by the lowest of these; those that are
        missing are made.
        """
        width = len(port.data)
        registers = [
            Signal(width, name=f"{name}_register_bank{bank}", reset_less=True) for bank in range(BANKS)
        ]
        for first in range(0, width, self.policy.address_bits):
            if first not in rows:
                rows[first] = [reader.row(bank) for bank in range(BANKS)]
            part = slice(first, min(first + self.policy.address_bits, width))
            block = Write(port.enable, port.rows, port.data[part])
            for bank, register in enumerate(registers):
                part_name = f"{name}_from{first}" if first else name
                read = self.memory(m, part_name, block, bank, rows[first][bank], Const(1))
                with m.If(reader.fetch[bank]):
                    m.d.sync += register[part].eq(read)
        return registers

    def memory(self, m: Module, name: str, port: Write, bank: int, row: Signal, load: Value) -> Signal:
        """A bank behind its write port, and its register, which takes the row at ``row`` when ``load``."""
        # No row that counts is read while it is written. Where block RAM gives neither the old nor the new row then,
        # Yosys would keep the old one beside it, and a comparison and a multiplexer behind it.
        memory = Memory(shape=len(port.data), depth=self.depth // BANKS, init=[], attrs={"no_rw_check": True})
        m.submodules[f"{name}_bank{bank}"] = memory
        write = memory.write_port()
        read = memory.read_port(domain="sync")
        m.d.comb += [
            write.en.eq(port.enable[bank]), write.addr.eq(port.rows[bank]), write.data.eq(port.data),
            read.addr.eq(row), read.en.eq(load),
        ]
        return read.data
