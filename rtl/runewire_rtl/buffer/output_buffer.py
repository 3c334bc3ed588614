"""The output buffer of a core: memory rows and credits, which let the pipeline before it run without stalls.

Row 4 of a buffer of four lanes, while the sink is ready:

    cycle              0     1    2    3    4    5      6        7
    lanes 0 to 2       written
    push               yes
    lane 3                                  written              4 cycles after the push at the latest
    row 4                                        fetch  fetched  shown

The pipeline never waits. The core takes an input beat only against a *credit*, one for each row of the buffer. So every
beat under way has a row to land in if the output stalls. Each lane of a row is written at its own time; the lanes meet
in the memory. A *push* makes the next row readable. A packet's report is written next to its row.

Back-pressure ends here. Rows alternate between two banks, even and odd. Each bank has a register for the row that it
shows, and the output selects one of the two. So a bank fetches a row every other cycle at most, which leaves one cycle
to record that its row is gone. Every enable and every address is a register; `ready` of the output only decides their
next values. Lanes are in groups, each with a read controller of its own. All controllers see the same pushes and the
same `ready`, so they agree. A few controllers that are placed together share one count.

While the sink is not ready, rows fill the buffer. The corner case is a stall at the sink while each beat under way
needs a row. With 27 cycles from input to read, 27 beats are under way. `depth_for` adds 3 for the credit loop, 1 for
the row under way and 1 for one more beat: 32 rows. With 28 cycles the need is 33, and the buffer has 64 rows, the next
power of two.

Throughput: one row per cycle in, one out.

Limits: one push per cycle, in the order of rows. A row's last write is at most 4 cycles after its push. The depth is a
power of two, 32 or more.
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
from ..pipeline.broadcast import fan_out_tree, replicas
from ..pipeline.carry_free_counters import Thermometer
from ..pipeline.gates import masked
from ..pipeline.layout_policy import TUNED, Policy
from ..pipeline.register_roles import CREDIT, LEADER, OCCUPANCY, said
from ..pipeline.restart import replica
from ..pipeline.stages import about
from .read_controller import BANKS, ReadController

BANK = 16
"""Rows of the smallest bank: the depth of one distributed memory in most devices."""

READ_LATENCY = 5
"""Cycles from a push until its row's bank starts to fetch it: a copy, occupancy (two), token, reader."""

WRITTEN = 4
"""Cycles from a push to the last write of its row, at most; the row is read in the next cycle."""

OUTPUT_LATENCY = READ_LATENCY + 2
"""Cycles from a push to the row's first cycle at the output: fetched, then shown."""

ITEMS_NEAR = 8
"""Lanes that lie close to each other, whatever the width of their items."""

LANE_FIELDS = ("data", "keep", "marks")
"""Fields of a row that have a part for each lane."""

CREDIT_LOOP = 3
"""Cycles in which ``ready`` still depends on credits that are already spent."""


def depth_for(in_flight: int) -> int:
    """Rows needed for one beat per cycle, if a beat spends ``in_flight`` cycles between input and read.

    To these are added the credit loop's delay, the row under way, and one beat. A packet's credits hold back the row
    under way; the beat may be taken before the first one returns its credit.
    """
    need = in_flight + CREDIT_LOOP + 2
    return BANKS * BANK << int(ceil_log2(-(-need // (BANKS * BANK))))


@cut_point
def enough(credits: Value) -> Value:
    """Whether one more beat may be taken. ``credits`` are counted in unary; more must be left than may be spent."""
    return credits[CREDIT_LOOP - 1]


@dataclass(frozen=True)
class Write:
    """A write port. Each bank whose bit of ``enable`` is set stores ``data`` at its address in ``rows``. One address
    may serve both banks."""

    enable: Signal
    rows: Sequence[Signal]
    data: Value


class OutputBuffer(Elaboratable):
    """``depth`` rows of items of ``width`` bits, one for each lane of the ``output`` stream.

    Write side. ``lane[i]`` writes the items of ``together`` lanes (a power of two), beginning with lane ``i *
    together``. ``keep[g]`` writes the keep bits of the ``g``-th ``group`` of lanes, ``mark[g]`` their record flags, if
    any. ``metadata`` writes a row's last bit and, above it, its report and its tags. With ``apart`` the ``lane`` ports
    have one address per bank. ``push[b]`` makes the next row readable, which is in bank ``b``; all of the row must be
    written at most :data:`WRITTEN` cycles later.

    Credits. ``accepted``: a beat was taken in the cycle before. ``returned``: a beat under way needs no row after all.
    ``accept``: one more beat may be taken. ``room``: one more, after ``ahead`` others that are not counted yet.

    Read side. ``output`` is a stream of :func:`runewire_rtl.stream_shapes.output_beat`'s shape; ``offer`` replaces its
    ``valid``. A lane that is not kept reads as zero, whatever the row held before. All lanes read as zero while
    ``offer`` is low.

    While ``clear`` is set, the buffer empties and stays empty, and all credits are available.
    """

    reader: ClassVar[type[ReadController]] = ReadController
    counter: ClassVar[type[Thermometer]] = Thermometer

    def __init__(
        self, width: int, depth: int, output: Value, clear: Value, together: int = 1, policy: Policy = TUNED,
        apart: bool = False,
    ) -> None:
        self.lanes = lanes = len(output.payload.keep)
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
        self.ahead: int | None = None
        """Beats that a source may have decided to send before it sees their credits spent. ``room`` is described if a
        consumer sets it."""
        self.room = Signal()
        self.offer = Signal()
        self.clear = clear
        self.output = output
        self.upcoming: Value | None = None
        """The lowest bits of a row's report, in each cycle in which the row may be shown in the next one. Described if
        a consumer sets it."""
        self.ready: Sequence[Value] | None = None
        """Replicas of the output's ``ready`` for all read controllers, the leader's first, if a consumer sets them."""
        self.offers: Sequence[Signal] = ()
        """Replicas of ``offer`` from all read controllers, the leader's first, if a consumer sets them."""

    @property
    def late(self) -> int:
        """Cycles from a row's metadata at the output to its items, keep bits and record flags: 0, but with `upcoming`
        one for each level of the tree that takes ``ready`` to the lanes."""
        return 0 if self.upcoming is None else len(self._ready_levels())

    def _ready_levels(self) -> list[int]:
        """Sizes of that tree's levels. Its height is the same for items of a few bits as for bytes: their lanes lie as
        far from each other."""
        groups = len(self.keep)
        return [min(size, groups) for size in fan_out_tree(
            max(groups, self.lanes // ITEMS_NEAR), self.policy.branch, self.policy)]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "buffer", "Rows wait in two banks until the output takes them; a row may be read once it was pushed.")
        policy = self.policy
        # The memories of a wide row's metadata would pull the leader away from the credits.
        far = self.apart and self.lanes * self.width >= policy.far_row
        names = [LEADER, *(["metadata"] if far else []), *(f"group{index}" for index in range(len(self.keep)))]
        readers: list[ReadController] = []
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
        leader, *readers = readers
        m.d.comb += leader.ready.eq(self.output.ready if self.ready is None else self.ready[0])
        of_metadata = leader
        if far:
            of_metadata, *readers = readers
            m.d.comb += of_metadata.ready.eq(self.output.ready)
        for reader, ready in zip(readers, self._ready_of_groups(m), strict=True):
            m.d.comb += reader.ready.eq(ready)
        self.credits(m, leader)
        m.d.comb += self.offer.eq(leader.valid)
        if self.offers:
            m.d.comb += [offer.eq(reader.valid)
                         for offer, reader in zip(self.offers, (leader, *readers), strict=True)]
        self._metadata(m, of_metadata)
        for index, reader in enumerate(readers):
            self._group(m, reader, index)
        return m

    @cut_point
    def credits(self, m: Module, leader: ReadController) -> None:
        credit = self.counter(self.depth, clear=self.clear, init=self.depth, most=2, policy=self.policy,
                              kind=CREDIT)
        m.submodules.credit = credit
        returned = Signal(name="returned_late")
        # The two banks never fetch in the same cycle: rows are announced one by one, and leave one by one.
        fetched = reduce(or_, leader.fetch)
        m.d.sync += returned.eq(self.returned)
        m.d.comb += [credit.up.eq(Cat(fetched, returned)), credit.down.eq(self.accepted)]
        m.d.comb += self.accept.eq(enough(credit.level))
        if self.ahead is not None:
            m.d.comb += self.room.eq(enough(credit.level[self.ahead :]))

    def _ready_of_groups(self, m: Module) -> Sequence[Value]:
        """``ready`` for each group of lanes, `late` cycles later: through a tree of registers."""
        if self.ready is not None:
            return self.ready[1:]
        ready: Sequence[Value] = [self.output.ready]
        for level, size in enumerate(self._ready_levels() if self.late else ()):
            ready = replicas(m, ready, f"ready_level{level}_", size, self.policy)
        return ready if self.late else [self.output.ready] * len(self.keep)

    def _later(self, m: Module, value: Value, name: str) -> Value:
        """``value`` `late` cycles later."""
        for cycle in range(self.late):
            before, value = value, Signal(len(value), name=f"{name}_late{cycle}", reset_less=True)
            m.d.sync += value.eq(before)
        return value

    @cut_point
    def announce(self, m: Module, readers: list[ReadController], clear: Value) -> None:
        """Announce pushed rows to readers that are placed together. Each reader counts its own announcements."""
        name = readers[0].name
        push = Signal(BANKS, name=f"{name}_push", reset_less=True, attrs=self.policy.keep)
        leads = name == LEADER
        m.d.sync += push.eq(self.push if leads else self._later(m, self.push, f"{name}_push"))
        for bank in range(BANKS):
            occupancy = self.counter(self.depth // BANKS, clear=clear, policy=self.policy,
                                     kind=said(OCCUPANCY, name, bank))
            m.submodules[f"{name}_occupancy{bank}"] = occupancy
            m.d.comb += [occupancy.up.eq(push[bank]), occupancy.down.eq(readers[0].announces[bank])]
            level = occupancy.level[0]
            later = self._later(m, level, f"{name}_readable{bank}") if leads else level
            m.d.comb += [reader.readable[bank].eq(level if reader.name == LEADER else later) for reader in readers]

    def _group(self, m: Module, reader: ReadController, index: int) -> None:
        """The memories and output registers of a few lanes, with one reader."""
        payload = self.output.payload
        lanes = range(index * self.group, min((index + 1) * self.group, self.lanes))
        masks = []
        for bank in range(BANKS):
            # The keep bits mask the data, so they must be available while the row is still being fetched. They are read
            # again in each cycle until then, and afterwards held.
            ahead = self.memory(m, f"keep{index}", self.keep[index], bank, reader.row(bank), reader.reads[bank])
            masks.append(reader.mask(bank, ahead))
        # A name of its own: otherwise a port that repeats a bit would take the name, and seem to drive itself.
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

    def _metadata(self, m: Module, reader: ReadController) -> None:
        """The memory of a row's last bit, report and tags, with one reader."""
        banks = self.stored(m, "metadata", self.metadata, reader, {})
        items = (masked(row, shown) for row, shown in zip(banks, reader.shown, strict=True))
        payload = self.output.payload
        if self.upcoming is not None:
            # Like keep bits, they are read again in each cycle until the row is shown.
            port = self.metadata
            part = Write(port.enable, port.rows, port.data[1 : 1 + len(self.upcoming)])
            ahead = (self.memory(m, "upcoming", part, bank, reader.row(bank), reader.reads[bank])
                     for bank in range(BANKS))
            m.d.comb += self.upcoming.eq(reduce(or_, map(masked, ahead, reader.fetched)))
        tags = [payload[name] for name in TAGS if name in payload.shape().members]
        m.d.comb += Cat(payload.last, payload.report, *tags).eq(reduce(or_, items))

    def stored(
        self, m: Module, name: str, port: Write, reader: ReadController, rows: dict[int, list[Signal]],
    ) -> list[Signal]:
        """The output registers of the memories behind a write port, one per bank; each takes the row to be fetched.

        The memory is read one cycle earlier, so that block RAM may have a register at its address and one at its
        output, and no path is long. ``rows``: copies of the address per bank, by the lowest of the bits that share a
        copy. Missing copies are made.
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
        """One bank: a memory, its write port, and a register that takes the row at ``row`` when ``load`` is set."""
        # A row is never read while it is written, unless the value is unused. Without this declaration Yosys would
        # preserve the old value of block RAM that returns neither, at the cost of a comparison and a multiplexer.
        memory = Memory(shape=len(port.data), depth=self.depth // BANKS, init=[], attrs={"no_rw_check": True})
        m.submodules[f"{name}_bank{bank}"] = memory
        write = memory.write_port()
        read = memory.read_port(domain="sync")
        m.d.comb += [
            write.en.eq(port.enable[bank]), write.addr.eq(port.rows[bank]), write.data.eq(port.data),
            read.addr.eq(row), read.en.eq(load),
        ]
        return read.data
