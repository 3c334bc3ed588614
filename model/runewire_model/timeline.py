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
- *Record report.* A queue has a row for each beat, against a credit of its own: a beat is taken while both have one.
  A row of the queue has a turn for each ill-formed record that ends in its beat, and at least one, as in a splitter.
- *Report port.* It has two registers. While both are in use, a packet's last row waits at the output without `valid`.
- *Reading.* A row can be read some cycles after its push. One row is at the output and one more is being read from the
  buffer. The next is read when one of the two leaves.

A core's `Timing` has the length of each of these phases; the hardware computes it (`runewire_rtl.timing`). The effect
of a beat follows from its packet alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from .beat_lines import ByteLine, Lines
from .core_cycles import Free, Pauses, RecordReport, Together, Transfers
from .errors import ParameterError
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
from .port_cycles import Port
from .record_buffer import BufferRow, RecordBuffer, buffer_rows
from .splitting import record_packets
from .timing import AnyTiming, CompactTiming, OneTiming, RecordBufferTiming, RecordReportTiming, each
from .transcoder import TranscoderParameters


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

    ``lengths`` as for `beats`. 0 without packets. With a record report at most one ill-formed record ends in each beat.
    Raises `ParameterError` if the number depends on the packets' bytes otherwise.
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
class Timeline:
    """Every beat of a series of packets, and the first and last transfers of each packet."""

    input: Transfers
    output: Transfers
    packets: list[PacketCycles]
    bytes: int
    """Input bytes of all packets."""
    rejects: Transfers
    """Beats of a filter's rejected records; none without that stream."""
    reports: Transfers
    """Beats of the report port; none without it."""
    records: Transfers
    """Beats of the record report; none without it."""

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


class Further(NamedTuple):
    """Pauses of the sinks of further streams: of rejected records, of the report port, and of the record report."""

    rejects: Pauses = never
    report: Pauses = never
    records: Pauses = never


NO_PAUSES = Further()


def timeline(
    parameters: TranscoderParameters,
    packets: Iterable[Packet] | Iterable[SegmentPacket],
    time: AnyTiming,
    source: Pauses = never,
    sink: Pauses = never,
    further: Further = NO_PAUSES,
) -> Timeline:
    """The cycles of every beat, for packets that are sent as soon as the core and the pauses allow.

    ``packets``: each as `Packet` says; of a core with flows, as `SegmentPacket` says.
    ``time``: the core's timing.
    ``source``, ``sink``, ``further``: pauses of each side, and of the sinks of further streams, from cycle 0, the first
    out of reset. A sink that pauses for ever makes `timeline` run for ever. `valid` stays high until the handshake.

    A million cycles take a few seconds to compute. Raises `ParameterError` for a length if the bytes are needed.
    """
    given: list[Any] = list(packets)
    flows = parameters.sidebands.flows is not None
    if flows:
        ways = segments_on_the_way(parameters, given)
        given = [segment.packet for segment in given]
    else:
        ways = [beats_on_the_way(parameters, packet) for packet in given]
    times = each(time)
    line = has_byte_line(parameters)
    # Beats come to a byte line in one order, and leave in another.
    cores_of_beats = line + sum(not isinstance(one, RecordBufferTiming) for one in times)
    beats = [[beat for way in ways for beat in way[place]] for place in range(cores_of_beats)]
    rows = [beat.last and delay == beat.rows[-1] for beat in beats[-1] for delay in beat.rows]
    streams = _Streams(parameters, further, rows, [
        beat for way in ways for beat in way[cores_of_beats]] if parameters.sidebands.record_report else [], [
        row for packet in given for row in buffer_rows(parameters, packet_bytes(parameters, packet))
    ] if parameters.filters else [])
    cores = _Chain(beats, times, source, sink, streams,
                   _Carry(carry_lookahead(parameters), len(times) - (2 if has_queue(parameters) else 1),
                          has_skid(parameters), line))
    cycle = 0
    while cores.unfinished:
        cores.step(cycle)
        cycle += 1

    taken = cores.input.taken
    into = (_records_in(parameters, given, taken) if parameters.splits
            else _packets(taken, [beat.ends if flows and parameters.packer is None else beat.last for beat in beats[0]
                                  if not beat.mark and not beat.extra]))
    out = _packets(cores.output.taken, rows)
    stamps = [PacketCycles(*first, *last) for first, last in zip(into, out, strict=True)]
    return Timeline(cores.input, cores.output, stamps, sum(map(packet_size, given)), cores.rejects, cores.reports,
                    cores.records)


class _Streams(NamedTuple):
    """A chain's streams besides its input and output. ``last``: for each output row whether it ends its packet.
    ``turns``: of a record report. ``buffered``: a filter's rows at its record buffer."""

    parameters: TranscoderParameters
    further: Further
    last: Sequence[bool]
    turns: Sequence[Beat]
    buffered: Sequence[BufferRow]

    @property
    def rejects(self) -> Pauses | None:
        """Pauses of rejected records; None without that stream."""
        return self.further.rejects if self.parameters.sidebands.rejects else None

    @property
    def rejected(self) -> int:
        """Beats of rejected records."""
        return 0 if self.rejects is None else sum(row.reject for row in self.buffered)

    @property
    def reported(self) -> int:
        """Beats of the report port."""
        return sum(self.last) if self.parameters.sidebands.report_port != "none" else 0

    @property
    def recorded(self) -> int:
        """Beats of the record report."""
        return sum(len(turn.rows) for turn in self.turns)


class _Carry(NamedTuple):
    """The core in a chain that carries bytes from segment to segment. ``lookahead``: its `carry_lookahead`, 0 in a
    chain that has none. ``place``: its place. ``skid``: a skid buffer is between the first core and it. ``line``: it
    has a byte line."""

    lookahead: int
    place: int
    skid: bool
    line: bool


class _Chain:
    """Cores that follow each other, for example a packer and a decoder: the output of each is the next one's source,
    and the next one's input its sink. In a filter one of them is the record buffer. A record report and a report port
    are behind the last one."""

    def __init__(self, beats: Sequence[Iterable[Beat]], times: Sequence[OneTiming], source: Pauses, sink: Pauses,
                 streams: _Streams, carry: _Carry) -> None:
        self._cores: list[Together | Free | RecordBuffer] = []
        self._streams, self._sink = streams, sink
        self.rejects, self.records = Transfers([], []), Transfers([], [])
        self._port = Port()
        self.reports = Transfers(self._port.offered, self._port.taken)
        self._waits = self._full = False
        of_cores = iter(beats)
        for place, time in enumerate(times):
            given = source if place == 0 else partial(self._no_beat, place - 1)
            stays = self._held if carry.skid and place == 0 else self._stays
            left = self._row_waits if place == len(times) - 1 else partial(stays, place + 1)
            if isinstance(time, RecordBufferTiming):
                buffer = RecordBuffer(streams.buffered, time, given, partial(self._credits, place + 1), streams.rejects)
                self.rejects = Transfers(buffer.rejects_offered, buffer.rejects_taken)
                self._cores.append(buffer)
                continue
            report = None
            if isinstance(time, RecordReportTiming):
                report = RecordReport(streams.turns, time, streams.further.records)
                self.records, time = report.output, time.core
            entering = next(of_cores)
            if carry.line and place == carry.place:
                lines: Lines = ByteLine(next(of_cores), time.lookahead)
            else:
                lines = Lines(carry.lookahead if place == carry.place else 0, time.lookahead)
            self._cores.append(Together(entering, time, lines, given, left) if isinstance(time, CompactTiming)
                               else Free(entering, time, lines, given, left, report))
        first, last = self._cores[0], self._cores[-1]
        assert not isinstance(first, RecordBuffer)
        assert not isinstance(last, RecordBuffer)
        self._first, self._last = first, last
        self.input, self.output = first.input, last.output
        self._left = [(self.output, len(streams.last)), (self.rejects, streams.rejected),
                      (self.reports, streams.reported), (self.records, streams.recorded)]

    @property
    def unfinished(self) -> bool:
        """Whether beats are still to come, of any stream: the last ones of a splitter's input may have no output."""
        return self._first.unfinished or any(len(stream.taken) < beats for stream, beats in self._left)

    def _row_waits(self, cycle: int) -> bool:
        return self._full or self._sink(cycle)

    def _credits(self, place: int) -> int:
        behind = self._cores[place]
        assert isinstance(behind, Free)
        return behind.credits

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
        output, last = self.output, self._streams.last
        row = len(output.taken)
        reports = self._streams.reported > 0 and self._last.shown and last[row]
        self._full = reports and not self._port.room
        if self._full:
            # `valid` stays low in this cycle.
            output.offered[row] = cycle + 1
        # A core sees what the one before it shows since the cycle before.
        for core in reversed(self._cores):
            core.step(cycle)
        self._port.step(cycle, reports and len(output.taken) > row, self._streams.further.report(cycle))


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


def _packets(taken: list[int], last: list[bool]) -> Iterator[tuple[int, int]]:
    """The first and last cycle of each packet."""
    first: int | None = None
    for cycle, end in zip(taken, last, strict=True):
        first = cycle if first is None else first
        if end:
            yield first, cycle
            first = None
