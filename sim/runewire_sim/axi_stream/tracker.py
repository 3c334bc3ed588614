"""Packets inside a core: what leaves is matched with what entered, and stamped with cycles."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from runewire_model.report import Sidebands

from ..results import Chunk, Event, PacketEnd, PortReport, ProtocolError, Stats
from ..sidebands import PLAIN
from .beats import OutputReader, StreamBeat

CHUNK = 1 << 18
"""Output bytes of a long packet in one `Chunk`."""
GAP_BEATS = 64
"""Beats of a packet whose gaps are recorded: the bits of a number."""


@dataclass(slots=True)
class _Flight:
    first_in: int
    last_in: int
    first_out: int = 0
    beats_in: int = 0
    rows: int = 0
    filled: int = 0
    beats_out: int = 0
    gaps: int = 0
    waits: int = 0
    size: int = 0

    def add(self, size: int, packed: int) -> None:
        """Count ``size`` more bytes, in beats of ``packed`` bytes if there are such."""
        self.size += size
        if packed:
            self.rows += self.filled // packed
            self.filled = self.filled % packed + size


class PacketTracker:
    """Matches the packets that leave a core with those that entered.

    ``packed``: bytes of the beats behind a packer or a splitter at the input, 0 without. A sparse core sends as many
    beats as it gets from there. Behind a splitter each record counts as a packet that entered.
    """

    def __init__(self, width_out: int, sparse: bool, sidebands: Sidebands = PLAIN, mark_beats: int = 0,
                 packed: int = 0) -> None:
        # The bytes carried from packet to packet may need a beat more, or one less.
        self._sparse = sparse and sidebands.flows is None
        self._mark_beats = mark_beats
        self._packed = packed
        self._sidebands = sidebands
        self._record = False
        self._output = OutputReader(width_out, sidebands)
        self._reported = sidebands.report_port != "none"
        self._owed = 0
        self._flights: deque[_Flight] = deque()
        self._open = False
        self._bytes_out = 0
        self._first_in = 0
        self._gap = False
        self._last_out = 0
        self._beats_in = self._beats_out = self._bytes_in = 0

    @property
    def inside(self) -> int:
        """Packets that entered, at least in part, and have not left, or whose report has not."""
        return len(self._flights) + self._owed

    def reset(self) -> None:
        """A reset: no packet inside ever leaves."""
        self._flights.clear()
        self._output.reset()
        self._open = False
        self._record = False
        self._owed = 0

    def pause(self) -> None:
        """A pause of the source: a cycle in which the core is ready and no beat is offered."""
        self._gap = True

    def enter(self, cycle: int, beat: StreamBeat) -> None:
        """An input beat's handshake."""
        if self._sidebands.split is None:
            self._enter(cycle, beat)
        else:
            self._enter_records(cycle, beat, self._sidebands)
        self._gap = False
        if self._beats_in == 0:
            self._first_in = cycle
        self._beats_in += 1
        self._bytes_in += beat.keep.bit_count()

    def _enter_records(self, cycle: int, beat: StreamBeat, sidebands: Sidebands) -> None:
        """The beat's bytes, each of which may end a record's packet or begin one."""
        for lane in range(beat.keep.bit_length()):
            if not beat.keep >> lane & 1:
                continue
            ends = beat.data >> 8 * lane & 0xFF == sidebands.split
            if ends and not self._record and sidebands.empty == "drop":
                continue
            stays = not ends or sidebands.delimiter == "keep"
            if stays and self._open and self._flights and self._flights[-1].size == sidebands.longest:
                self._open = False
            # A broken core may end a packet that is still entering.
            if not self._open or not self._flights:
                self._flights.append(_Flight(cycle, cycle))
            flight = self._flights[-1]
            if not flight.beats_in or flight.last_in != cycle:
                flight.gaps |= (self._gap and flight.beats_in < GAP_BEATS) << flight.beats_in
                flight.beats_in += 1
            flight.last_in = cycle
            if stays:
                flight.add(1, self._packed)
            self._open = self._record = not ends
        if beat.last:
            self._open = self._record = False

    def _enter(self, cycle: int, beat: StreamBeat) -> None:
        # A broken core may end a packet that is still entering.
        if not self._open or not self._flights:
            self._flights.append(_Flight(cycle, cycle))
        self._open = not beat.last
        flight = self._flights[-1]
        if self._gap and flight.beats_in < GAP_BEATS:
            flight.gaps |= 1 << flight.beats_in
        flight.last_in = cycle
        flight.beats_in += 1
        flight.add(beat.keep.bit_count(), self._packed)

    def wait(self) -> None:
        """A cycle in which an output beat waits."""
        if self._flights:
            self._flights[0].waits += 1

    def leave(self, cycle: int, beat: StreamBeat) -> Iterator[Event]:
        """An output beat's handshake."""
        self._last_out = cycle
        self._beats_out += 1
        if not self._flights:
            yield ProtocolError("an output beat belongs to no packet")
            return
        flight = self._flights[0]
        if flight.beats_out == 0:
            flight.first_out = cycle
        flight.beats_out += 1
        before = self._output.size
        for message in self._output.add(beat):
            yield ProtocolError(message)
        self._bytes_out += self._output.size - before
        if not beat.last:
            if self._output.size >= CHUNK:
                yield self._chunk(None)
            return
        # A packet's last beat ends a second row behind the packer, if it more than fills the first.
        beats = flight.rows + 1 + (flight.filled > self._packed) if self._packed else flight.beats_in
        if self._sparse and flight.beats_out != beats + self._mark_beats:
            yield ProtocolError(f"{flight.beats_out} output beats for {flight.beats_in} input beats")
        end = PacketEnd(self._output.tuser, flight.first_in, flight.last_in, flight.first_out, cycle, flight.gaps,
                        flight.waits, beat.id, beat.dest, self._output.end())
        self._flights.popleft()
        self._owed += self._reported
        yield self._chunk(end)

    def report_valid(self) -> Iterator[ProtocolError]:
        """A cycle in which the report port is valid; to be called before `leave`."""
        if not self._owed:
            yield ProtocolError("m_report: valid before a packet's last beat has moved")

    def report(self, beat: StreamBeat) -> Iterator[Event]:
        """A report's handshake."""
        if self._owed:
            self._owed -= 1
            yield PortReport(beat.data)

    def _chunk(self, end: PacketEnd | None) -> Chunk:
        output, flags = self._output.take()
        return Chunk(output, end, flags)

    def stats(self, cycles: int) -> Stats:
        """The figures after ``cycles`` cycles."""
        return Stats(cycles, self._first_in, self._last_out, self._beats_in, self._beats_out, self._bytes_in,
                     self._bytes_out)
