"""The cycle model: the cycle in which each beat enters and leaves a core, exact to the cycle.

A cycle is a rising edge of the clock out of reset, counted from 0 at the first. While the output is not stalled, a core
takes one beat per cycle, whatever the bytes are. Packets that follow each other without a pause therefore take:

    cycles = input beats + latency

from the first input transfer to the last output transfer, both counted. A packet of n bytes has max(1, ceil(n / input
bytes per beat)) beats; `latency` is a constant of the core. If a byte order mark is added (``bom="add"``), one cycle
without a transfer precedes each packet but the first. `beats` and `cycles` compute the number from packet lengths
alone. For pauses on either side, and for single beats, `timeline` steps through the cycles.

The timing of a core, and the rules that `timeline` follows:

- *Credits.* A beat is taken while more than two rows of the output buffer are free, counted three cycles earlier. With
  lookahead, a beat then waits for as many further beats of its packet as the core asks for. The packet's last beat ends
  the wait.
- *Added marks.* A beat with the mark alone precedes each packet's first beat. It enters while that beat's `valid` is
  high and `ready` low, and needs a credit of its own.
- *Rows.* A beat runs through a pipeline of fixed length and adds rows to the buffer. In place, each beat is one row.
  Dense, a beat adds a row when it fills it. The row is pushed a cycle late as long as every beat of the packet has
  filled one; a packet's last row is always pushed a cycle late. A beat that fills no row returns its credit, except the
  packet's first such beat, whose credit belongs to the row under way.
- *Segments.* With flows, extra beats follow a packet's last one if that has no room for the carried bytes. They enter
  while the input stalls, and need a credit each. A segment's beat waits for so many further ones that none of its bytes
  can be carried on. In place, a beat without a byte is left out, and returns its credit. Where output rows are wide,
  the carry is a core of its own, with a row for each beat, and the rest takes its rows as beats.
- *Turns.* A splitter is two cores: the first holds each beat, one row each; the second has a turn for each row that a
  beat ends, and at least one. A turn without a row needs no credit.
- *Records.* A filter's record buffer is between its validator and its packer; `record_buffer` steps through it.
- *Reading.* A row can be read some cycles after its push. One row is at the output and one more is being read from the
  buffer. The next is read when one of the two leaves.

A core's `Timing` has the length of each of these phases; the hardware computes it (`runewire_rtl.timing`). The effect
of a beat follows from its packet alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from .beat_lines import Lines, Waiting
from .errors import Named, ParameterError
from .packet_beats import (
    MOST_CARRIED,
    Beat,
    Packet,
    SegmentPacket,
    beats_on_the_way,
    carry_lookahead,
    extra_beats,
    has_byte_line,
    has_queue,
    has_skid,
    packet_bytes,
    packet_size,
    segments_on_the_way,
)
from .record_buffer import BufferRow, RecordBuffer, buffer_rows
from .splitting import record_packets
from .timing import READ, AnyTiming, CompactTiming, OneTiming, RecordBufferTiming, Timing, each
from .transcoder import TranscoderParameters

Pauses = Callable[[int], bool]
"""Whether a side pauses in a cycle: the source keeps `valid` low for a new beat, or the sink keeps `ready` low."""

CREDIT_LOOP = 3
"""Cycles from a transfer, a read or a returned credit until the credit count shows it."""


def beats(parameters: TranscoderParameters, lengths: Iterable[int]) -> int:
    """Number of input beats of packets of these lengths, in bytes of the core's input.

    An empty packet takes one beat. With flows a segment may take extra beats, in which the input stalls. A million
    packets take some hundredths of a second to compute.
    """
    width = parameters.input_bytes
    return sum(count * (max(1, -(-length // width)) + extra_beats(parameters, length))
               for length, count in Counter(lengths).items())


def most_waits(parameters: TranscoderParameters, lengths: Iterable[int]) -> int:
    """Greatest number of cycles that a compact core stalls its input, for packets of these lengths: one for each packet
    whose last beat may end two rows. 0 for other cores."""
    counted = Counter(lengths)
    before = sum(most_waits(core, counted.elements()) for core in parameters.front)
    if parameters.pipeline != "compact" or parameters.in_place or parameters.lanes * parameters.slots == 1:
        return before
    width = parameters.input_bytes
    carried = 0 if parameters.sidebands.flows is None else MOST_CARRIED
    return before + sum(count for length, count in counted.items() if length + carried > width or parameters.mark)


def cycles(parameters: TranscoderParameters, lengths: Iterable[int], time: AnyTiming) -> int:
    """Cycles from the first input transfer to the last output transfer, both counted; neither side pauses.

    ``lengths`` as for `beats`. 0 without packets. Raises `ParameterError` if the number depends on the packets' bytes.
    """
    sizes = [*lengths]
    of_bytes = parameters.splits or parameters.filters or parameters.sidebands.flows is not None
    if most_waits(parameters, sizes) or (of_bytes and sizes):
        raise ParameterError(
            f"how long packets take depends on their bytes for this {parameters.core}, got only their lengths")
    # Behind a packer the first packet's mark is inside the core too.
    marks = len(sizes) - (parameters.packer is None) if parameters.mark else 0
    return beats(parameters, sizes) + marks + time.latency if sizes else 0


class PacketCycles(NamedTuple):
    """The cycles of a packet's first and last transfers, at input and output."""

    first_in: int
    last_in: int
    first_out: int
    last_out: int


@dataclass(frozen=True)
class Transfers:
    """The beats of one stream: for each the first cycle with `valid` high, and the cycle of its handshake."""

    offered: list[int]
    taken: list[int]

    @property
    def waits(self) -> list[range]:
        """Cycles in which `valid` is high and `ready` low: stalls by the core at the input, by the sink at the
        output."""
        return [range(*pair) for pair in zip(self.offered, self.taken, strict=True) if pair[0] < pair[1]]

    @property
    def gaps(self) -> list[range]:
        """Cycles between two beats with `valid` low: pauses of the source at the input, of the core at the output."""
        pairs = zip(self.taken, self.offered[1:], strict=False)
        return [range(before + 1, after) for before, after in pairs if before + 1 < after]


@dataclass(frozen=True)
class Timeline:
    """Every beat of a series of packets, and the first and last transfers of each packet."""

    input: Transfers
    output: Transfers
    packets: list[PacketCycles]
    bytes: int
    """Input bytes of all packets."""
    rejects: Transfers
    """Beats of a filter's rejected records; none without that stream."""

    @property
    def cycles(self) -> int:
        """Cycles from the first input transfer to the last output transfer, both counted; 0 without packets."""
        return self.output.taken[-1] - self.input.taken[0] + 1 if self.packets else 0

    @property
    def bytes_per_cycle(self) -> float:
        """Input bytes per cycle, over `cycles`."""
        return self.bytes / self.cycles if self.packets else 0.0


def never(cycle: int) -> bool:
    """No pauses."""
    return False


def timeline(
    parameters: TranscoderParameters,
    packets: Iterable[Packet] | Iterable[SegmentPacket],
    time: AnyTiming,
    source: Pauses = never,
    sink: Pauses = never,
    rejects: Pauses = never,
) -> Timeline:
    """The cycles of every beat, for packets that are sent as soon as the core and the pauses allow.

    ``packets``: each as `Packet` says; of a core with flows, as `SegmentPacket` says.
    ``time``: the core's timing.
    ``source``, ``sink``, ``rejects``: pauses of each side, and of the sink of rejected records, from cycle 0, the first
    out of reset. A sink that pauses for ever makes `timeline` run for ever. `valid` stays high until the handshake.

    A million cycles take a few seconds to compute. Raises `ParameterError` for a length if the bytes are needed.
    """
    if parameters.sidebands.record_report:
        raise ParameterError("the cycle model has no ", Named("record_report"))
    if has_byte_line(parameters):
        raise ParameterError("the cycle model has no core of one byte a beat with ", Named("flows", 1), " and ",
                             Named("pipeline", "compact"))
    given: list[Any] = list(packets)
    flows = parameters.sidebands.flows is not None
    if flows:
        ways = segments_on_the_way(parameters, given)
        given = [segment.packet for segment in given]
    else:
        ways = [beats_on_the_way(parameters, packet) for packet in given]
    times = each(time)
    cores_of_beats = sum(not isinstance(one, RecordBufferTiming) for one in times)
    beats = [[beat for way in ways for beat in way[place]] for place in range(cores_of_beats)]
    rows = [beat.last and delay == beat.rows[-1] for beat in beats[-1] for delay in beat.rows]
    of_records = [row for packet in given for row in buffer_rows(parameters, packet_bytes(parameters, packet))
                  ] if parameters.filters else []
    has_rejects = parameters.sidebands.rejects
    rejected = sum(row.reject for row in of_records) if has_rejects else 0
    cores = _Chain(beats, times, source, sink, of_records, rejects if has_rejects else None,
                   _Carry(carry_lookahead(parameters), len(times) - (2 if has_queue(parameters) else 1),
                          has_skid(parameters)))
    cycle = 0
    while len(cores.output.taken) < len(rows) or cores.unfinished or len(cores.rejects.taken) < rejected:
        cores.step(cycle)
        cycle += 1

    taken = cores.input.taken
    into = (_records_in(parameters, given, taken) if parameters.splits
            else _packets(taken, [beat.ends if flows and parameters.packer is None else beat.last for beat in beats[0]
                                  if not beat.mark and not beat.extra]))
    out = _packets(cores.output.taken, rows)
    stamps = [PacketCycles(*first, *last) for first, last in zip(into, out, strict=True)]
    return Timeline(cores.input, cores.output, stamps, sum(map(packet_size, given)), cores.rejects)


class _Carry(NamedTuple):
    """The core in a chain that carries bytes from segment to segment. ``lookahead``: its `carry_lookahead`, 0 in a
    chain that has none. ``place``: its place. ``skid``: a skid buffer is between the first core and it."""

    lookahead: int
    place: int
    skid: bool


class _Chain:
    """Cores that follow each other, for example a packer and a decoder: the output of each is the next one's source,
    and the next one's input its sink. In a filter one of them is the record buffer: ``rows`` are the packets' rows
    there, and ``rejects`` pauses the sink of rejected rows."""

    def __init__(self, beats: Sequence[Iterable[Beat]], times: Sequence[OneTiming], source: Pauses, sink: Pauses,
                 rows: Iterable[BufferRow], rejects: Pauses | None, carry: _Carry) -> None:
        self._cores: list[_Together | _Free | RecordBuffer] = []
        self.rejects = Transfers([], [])
        self._waits = False
        of_cores = iter(beats)
        for place, time in enumerate(times):
            given = source if place == 0 else partial(self._no_beat, place - 1)
            stays = self._held if carry.skid and place == 0 else self._stays
            left = sink if place == len(times) - 1 else partial(stays, place + 1)
            if isinstance(time, RecordBufferTiming):
                buffer = RecordBuffer(rows, time, given, left, rejects)
                self.rejects = Transfers(buffer.rejects_offered, buffer.rejects_taken)
                self._cores.append(buffer)
                continue
            lines = Lines(carry.lookahead if place == carry.place else 0, time.lookahead)
            self._cores.append(_Together(next(of_cores), time, lines, given, left) if isinstance(time, CompactTiming)
                               else _Free(next(of_cores), time, lines, given, left))
        first, last = self._cores[0], self._cores[-1]
        assert not isinstance(first, RecordBuffer)
        assert not isinstance(last, RecordBuffer)
        self._first = first
        self.input, self.output = first.input, last.output

    @property
    def unfinished(self) -> bool:
        """Whether input beats are still to come: the last ones of a splitter may have no output."""
        return self._first.unfinished

    def _no_beat(self, place: int, cycle: int) -> bool:
        return not (self._cores[place].shown or (place == 0 and self._waits))

    def _held(self, place: int, cycle: int) -> bool:
        """Whether the skid buffer before this place holds a beat, and so takes none."""
        held = self._waits
        self._waits = (held or self._cores[place - 1].shown) and self._stays(place, cycle)
        return held

    def _stays(self, place: int, cycle: int) -> bool:
        return self._cores[place].left != cycle

    def step(self, cycle: int) -> None:
        # A core sees what the one before it shows since the cycle before.
        for core in reversed(self._cores):
            core.step(cycle)


def _records_in(
    parameters: TranscoderParameters, packets: Iterable[Packet], taken: Sequence[int],
) -> Iterator[tuple[int, int]]:
    """The cycles in which the first byte of each record's packet enters, and the byte that ends it."""
    beat = 0
    for packet in packets:
        data, width = packet_bytes(parameters, packet), parameters.input_bytes
        sizes = [len(part) for part in packet] if isinstance(packet, list) else [
            min(width, len(data) - start) for start in range(0, max(1, len(data)), width)]
        where = [beat + place for place, size in enumerate(sizes) for _ in range(size)]
        for record in record_packets(data, parameters.sidebands):
            yield taken[where[record.first]], taken[where[record.last]]
        beat += len(sizes)


class _Together:
    """A compact core: a global stall. All registers wait while the output does, and for one more cycle while the second
    of two rows is output.

    Pipeline positions are counted in the cycles without a stall.
    """

    def __init__(self, beats: Iterable[Beat], time: CompactTiming, lines: Lines, source: Pauses,
                 sink: Pauses) -> None:
        self.input, self.output = Transfers([], []), Transfers([], [])
        self._time, self._lines = time, lines
        self._source, self._sink = source, sink
        self._waiting = Waiting(beats)
        self._offered = False
        self._skid: Beat | None = None
        self._starts: dict[int, Beat] = {}
        self._now = 0
        self.left = -1
        self.shown = self._rest = False

    @property
    def unfinished(self) -> bool:
        """Whether beats are still to come."""
        return not self._waiting.empty

    def step(self, cycle: int) -> None:
        ready = not self._sink(cycle)
        if self.shown and ready:
            self.output.taken.append(cycle)
        self._offer(cycle)
        passed = self._skid or self._take(cycle)
        self._skid = None
        if self.shown and not ready:
            self._skid = passed
            return
        if self._rest:
            self._skid = passed
            rows, self._rest = 1, False
        else:
            rows = self._move(passed)
            self._rest = rows == 2
        self.shown = rows > 0
        if self.shown:
            self.output.offered.append(cycle + 1)

    def _offer(self, cycle: int) -> None:
        if self._waiting.next is not None and not self._offered and not self._source(cycle):
            self._offered = True
            self.input.offered.append(cycle)

    def _take(self, cycle: int) -> Beat | None:
        """The beat that is taken in this cycle: an input beat, or one that stalls the input: an added mark, an extra
        one."""
        beat = self._waiting.take(offered=self._offered)
        if beat is not None and not beat.mark and not beat.extra:
            self.input.taken.append(cycle)
            self.left = cycle
            self._offered = False
        return beat

    def _move(self, passed: Beat | None) -> int:
        """Advance the pipeline by one step, with the beat that enters. Returns the number of rows that it ends."""
        if passed is not None:
            for beat, step in self._lines.enter(passed, self._now):
                self._starts[step + self._time.lookahead] = beat
        left = self._starts.pop(self._now - self._time.registers + 1, None)
        self._now += 1
        return 0 if left is None else len(left.rows)


class _Free:
    """A core without a global stall: only beats at the input wait, for credits, and rows in the buffer."""

    def __init__(self, beats: Iterable[Beat], time: Timing, lines: Lines, source: Pauses, sink: Pauses) -> None:
        way = _Way(time)
        self._entering, self._leaving = _Entering(beats, way, lines, source), _Leaving(way, sink)
        self.input, self.output = self._entering.beats, self._leaving.rows

    @property
    def shown(self) -> bool:
        """Whether a row is at the output."""
        return self._leaving.shown

    @property
    def left(self) -> int:
        """The last cycle in which an input beat was taken completely."""
        return self._entering.left

    @property
    def unfinished(self) -> bool:
        """Whether beats are still to come."""
        return self._entering.unfinished

    def step(self, cycle: int) -> None:
        self._entering.step(cycle)
        self._leaving.step(cycle)


class _Way:
    """The state between the two sides of a core: beats in the pipeline, and credits on their way back.

    ``pushes``: the cycles in which rows are pushed, in order. ``credits``: the change of the credit count, by the cycle
    in which the input sees it.
    """

    def __init__(self, time: Timing) -> None:
        self.time = time
        self.pushes: deque[int] = deque()
        self.credits = defaultdict[int, int](int)

    def start(self, beat: Beat, cycle: int) -> None:
        """The beat enters the pipeline."""
        self.pushes.extend(cycle + self.time.push + delay for delay in beat.rows)
        if beat.returns:
            self.credits[cycle + self.time.decide + CREDIT_LOOP] += 1


class _Entering:
    """The input side: beats are taken against credits, and held until their lookahead is complete."""

    def __init__(self, beats: Iterable[Beat], way: _Way, lines: Lines, source: Pauses) -> None:
        self.beats = Transfers([], [])
        self._way, self._lines = way, lines
        self._source = source
        self._waiting = Waiting(beats)
        self._offered = False
        self._credit = way.time.depth
        self.left = -1

    def step(self, cycle: int) -> None:
        way, waiting = self._way, self._waiting
        self._credit += way.credits.pop(cycle, 0)
        if waiting.next is not None and not self._offered and not self._source(cycle):
            self._offered = True
            self.beats.offered.append(cycle)
        beat = waiting.take(offered=self._offered) if self._credit >= CREDIT_LOOP else None
        if beat is None:
            return
        if not beat.idle:
            way.credits[cycle + CREDIT_LOOP] -= 1
            for left, start in self._lines.enter(beat, cycle + way.time.entry):
                way.start(left, start)
        # A beat at the input waits while its packet's mark goes first, or extra beats of the packet before.
        if not beat.mark and not beat.extra:
            self.beats.taken.append(cycle)
            self.left = cycle if beat.leaves else self.left
            self._offered = False

    @property
    def unfinished(self) -> bool:
        return not self._waiting.empty


class _Leaving:
    """The output side: rows become readable, are fetched, shown and taken. At most one is fetched and one shown."""

    def __init__(self, way: _Way, sink: Pauses) -> None:
        self.rows = Transfers([], [])
        self._way = way
        self._sink = sink
        self._readable = 0
        self._fetched = self.shown = False

    def step(self, cycle: int) -> None:
        rows, pushes = self.rows, self._way.pushes
        fetched, shown = self._fetched, self.shown
        ready = not self._sink(cycle)
        if shown and ready:
            rows.taken.append(cycle)
        if fetched and (ready or not shown):
            rows.offered.append(cycle + 1)
        if pushes and pushes[0] + READ <= cycle:
            pushes.popleft()
            self._readable += 1
        stalled = shown and fetched and not ready
        reads = self._readable > 0 and not stalled
        if reads:
            self._way.credits[cycle + CREDIT_LOOP] += 1
            self._readable -= 1
        self.shown, self._fetched = fetched or (shown and not ready), reads or stalled


def _packets(taken: list[int], last: list[bool]) -> Iterator[tuple[int, int]]:
    """The first and last cycle of each packet."""
    first: int | None = None
    for cycle, end in zip(taken, last, strict=True):
        first = cycle if first is None else first
        if end:
            yield first, cycle
            first = None
