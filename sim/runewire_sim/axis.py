"""AXI4-Stream in plain Python: beats, the rules that they obey, a player for simulators that Python drives.

The rules are those of AMBA AXI4-Stream (Arm IHI 0051) and of the cores' own contract: kept bytes are
contiguous from lane 0, only a packet's last beat may be partial, unkept output lanes are zero. Of a sparse
output the first two hold within an element only.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from runewire_model import TranscoderParameters
from runewire_model.report import Sidebands

from .design import sparse_element
from .results import Chunk, Event, PacketEnd, PortReport, ProtocolError, Stats
from .sidebands import ALONE, PLAIN, Beside, beside
from .stalls import Stalls
from .wire_format import Packet

CHUNK = 1 << 18
"""Output bytes of a long packet that are given on at a time."""
DRAIN_CYCLES = 64
"""A core must stay silent that long after its last packet."""
RESET_CYCLES = 1
"""Cycles of the reset that a simulation begins with."""
START_CYCLES = 1024
"""Cycles after reset in which a core has to become ready: several times what any needs."""
GAP_BEATS = 64
"""Beats of a packet whose gaps are told: the bits of a number."""
MOST_REPORTS = 8
"""Broken rules that are told; more say nothing new."""


@dataclass(frozen=True, slots=True)
class StreamBeat:
    """The payload of a stream in one cycle; ``keep`` has a bit for each byte of ``data``, lane 0 lowest."""

    data: int
    keep: int
    last: bool
    user: int = 0
    id: int = 0
    dest: int = 0


def packet_beats(packet: Packet, width: int, poison: Random | None = None, sent: Beside = ALONE,
                 user_bits: int = 0) -> Iterator[StreamBeat]:
    """The beats of a packet on a stream of ``width`` bytes; at least one, also for an empty packet.

    ``poison`` fills the unkept lanes of the last one, which are zero without it, and the ``user_bits`` of ``tuser`` on
    the others. ``sent``: what the packet has beside its data.
    """
    for start in range(0, max(len(packet), 1), width):
        part = packet[start : start + width]
        data = int.from_bytes(part, "little")
        spare = width - len(part)
        if poison is not None and spare:
            data |= poison.getrandbits(8 * spare) << 8 * len(part)
        last = start + width >= len(packet)
        user = sent.user if last or poison is None else poison.getrandbits(user_bits)
        yield StreamBeat(data, (1 << len(part)) - 1, last, user, sent.id, sent.dest)


def kept_bytes(beat: StreamBeat, width: int) -> bytes:
    """The kept bytes of a beat on a stream of ``width`` bytes, lane 0 first."""
    data = beat.data.to_bytes(width, "little")
    if beat.keep & beat.keep + 1 == 0:
        return data[: beat.keep.bit_length()]
    return bytes(octet for lane, octet in enumerate(data) if beat.keep >> lane & 1)


class UserReader:
    """Takes ``m_axis_tuser`` of a core with beats of ``width`` bytes apart."""

    def __init__(self, sidebands: Sidebands, width: int) -> None:
        self._width = width
        self._shift = sidebands.last_beat_width
        self._mask = (1 << self._shift) - 1
        self._marked = sidebands.records is not None

    def last_beat(self, user: int) -> int:
        """The fields that only a packet's last beat has."""
        return user & self._mask

    def marks(self, beat: StreamBeat) -> tuple[bytes, bool]:
        """The marks of the kept bytes, none without records; and whether there are others."""
        if not self._marked:
            return b"", False
        every = beat.user >> self._shift
        lanes = bytes(every >> 2 * lane & 3 for lane in range(self._width))
        if beat.keep == (1 << self._width) - 1:
            return lanes, False
        kept = bytes(mark for lane, mark in enumerate(lanes) if beat.keep >> lane & 1)
        return kept, sum(lanes) != sum(kept)


class StreamRules:
    """Watches one stream, cycle by cycle.

    ``width``: bytes per beat. ``element``: bytes that ``keep`` takes or leaves together on a sparse stream,
    where any beat may have holes; 0 on a dense one. ``clean``: unkept lanes must be zero.
    """

    def __init__(self, name: str, width: int, element: int = 0, clean: bool = False) -> None:
        self.name = name
        self.width = width
        self.element = element
        self.clean = clean
        self.full = (1 << width) - 1
        self._waiting: StreamBeat | None = None
        self._before: StreamBeat | None = None

    def reset(self) -> None:
        """Forget what waits: reset ends all that was under way."""
        self._waiting = None
        self._before = None

    def observe(self, beat: StreamBeat | None, ready: bool) -> list[str]:
        """The rules that this cycle breaks; ``beat`` is None while ``valid`` is low."""
        broken = []
        if self._waiting is not None:
            if beat is None:
                broken.append(f"{self.name}: valid fell before ready")
            elif beat != self._waiting:
                broken.append(f"{self.name}: the payload changed while valid waited for ready")
        if beat is not None and ready:
            broken += [f"{self.name}: {what}" for what in (*self._shape(beat), *self._mixed(beat))]
            self._before = None if beat.last else beat
        self._waiting = None if ready else beat
        return broken

    def _mixed(self, beat: StreamBeat) -> Iterator[str]:
        if self._before is not None and (beat.id, beat.dest) != (self._before.id, self._before.dest):
            yield f"tid or tdest changed inside a packet, to {beat.id:#x} and {beat.dest:#x}"

    def _shape(self, beat: StreamBeat) -> Iterator[str]:
        if beat.keep == self.full:
            return
        if self.element:
            group = (1 << self.element) - 1
            for lane in range(0, self.width, self.element):
                if beat.keep >> lane & group not in (0, group):
                    yield f"tkeep {beat.keep:#x} splits an element"
                    break
        else:
            if beat.keep & beat.keep + 1:
                yield f"kept bytes are not contiguous from lane 0, tkeep is {beat.keep:#x}"
            if not beat.last:
                yield f"a partial beat before the last, tkeep is {beat.keep:#x}"
        if self.clean:
            data = beat.data
            for lane in range(self.width):
                if not beat.keep >> lane & 1 and data >> 8 * lane & 0xFF:
                    yield "an unkept lane is not zero"
                    break


@dataclass(slots=True)
class _Flight:
    first_in: int
    last_in: int
    first_out: int = 0
    beats_in: int = 0
    beats_out: int = 0
    gaps: int = 0
    waits: int = 0


class PacketTracker:
    """Matches what leaves a core with what entered it, packet by packet."""

    def __init__(self, width_in: int, width_out: int, sparse: bool, sidebands: Sidebands = PLAIN,
                 mark_beats: int = 0) -> None:
        self._width_in = width_in
        self._width_out = width_out
        self._sparse = sparse
        self._mark_beats = mark_beats
        self._user = UserReader(sidebands, width_out)
        self._reported = sidebands.report_port != "none"
        self._owed = 0
        self._flights: deque[_Flight] = deque()
        self._open = False
        self._parts: list[bytes] = []
        self._marks: list[bytes] = []
        self._size = 0
        self._first_in = 0
        self._next_in = 0
        self._last_out = 0
        self._counts = [0, 0, 0, 0]

    @property
    def inside(self) -> int:
        """Packets that have begun to enter and not yet left, or whose report has not."""
        return len(self._flights) + self._owed

    def reset(self) -> None:
        """Reset was applied: what is inside never leaves."""
        self._flights.clear()
        self._parts.clear()
        self._marks.clear()
        self._size = 0
        self._open = False
        self._owed = 0

    def enter(self, cycle: int, beat: StreamBeat) -> None:
        """An input beat was taken."""
        # A broken core may end a packet that is still entering.
        if not self._open or not self._flights:
            self._flights.append(_Flight(cycle, cycle))
        self._open = not beat.last
        flight = self._flights[-1]
        if cycle != self._next_in and flight.beats_in < GAP_BEATS:
            flight.gaps |= 1 << flight.beats_in
        self._next_in = cycle + 1
        flight.last_in = cycle
        flight.beats_in += 1
        if self._counts[0] == 0:
            self._first_in = cycle
        self._counts[0] += 1
        self._counts[2] += beat.keep.bit_count()

    def wait(self) -> None:
        """An output beat was offered and not taken."""
        if self._flights:
            self._flights[0].waits += 1

    def leave(self, cycle: int, beat: StreamBeat) -> Iterator[Event]:
        """An output beat was taken."""
        self._last_out = cycle
        self._counts[1] += 1
        if not self._flights:
            yield ProtocolError("an output beat belongs to no packet")
            return
        flight = self._flights[0]
        if flight.beats_out == 0:
            flight.first_out = cycle
        flight.beats_out += 1
        part = kept_bytes(beat, self._width_out)
        self._parts.append(part)
        self._size += len(part)
        self._counts[3] += len(part)
        marks, stray = self._user.marks(beat)
        self._marks.append(marks)
        if stray:
            yield ProtocolError("m_axis: an unkept lane has a mark")
        told = self._user.last_beat(beat.user)
        if not beat.last:
            if told:
                yield ProtocolError("tuser is not zero before the last beat")
            if self._size >= CHUNK:
                yield self._take(None)
            return
        if self._sparse and flight.beats_out != flight.beats_in + self._mark_beats:
            yield ProtocolError(f"{flight.beats_out} output beats for {flight.beats_in} input beats")
        end = PacketEnd(told, flight.first_in, flight.last_in, flight.first_out, cycle, flight.gaps, flight.waits,
                        beat.id, beat.dest)
        self._flights.popleft()
        self._owed += self._reported
        yield self._take(end)

    def offered(self) -> Iterator[ProtocolError]:
        """A report is offered on the report port, before what leaves in this cycle."""
        if not self._owed:
            yield ProtocolError("m_report: valid before a packet's last beat has moved")

    def report(self, beat: StreamBeat) -> Iterator[Event]:
        """It was taken."""
        if self._owed:
            self._owed -= 1
            yield PortReport(beat.data)

    def _take(self, end: PacketEnd | None) -> Chunk:
        chunk = Chunk(b"".join(self._parts), end, b"".join(self._marks))
        self._parts.clear()
        self._marks.clear()
        self._size = 0
        return chunk

    def stats(self, cycles: int) -> Stats:
        """The figures after ``cycles`` cycles."""
        return Stats(cycles, self._first_in, self._last_out, *self._counts)


class Player:
    """Plays packets through a core: says what to `drive` each cycle, and takes what was seen (`sample`).

    Cycle 0 is the first in which the core is ready after reset, or `START_CYCLES` later if it never is.

    The C++ harness's equal, cycle for cycle, for simulators that Python drives. `finished` says when to stop.
    """

    def __init__(self, parameters: TranscoderParameters, packets: Iterable[Packet], stalls: Stalls) -> None:
        element = sparse_element(parameters)
        self._sidebands = parameters.sidebands
        self._packets = enumerate(packets)
        self._beats: Iterator[StreamBeat] = iter(())
        self._width = parameters.input_bytes
        self._source = stalls.source_pauses
        self._sink = stalls.sink_pauses
        self._report_sink = stalls.report_pauses
        self._watchdog = stalls.watchdog
        self._poison = Random(stalls.seed)
        self._offer: StreamBeat | None = None
        self._next: StreamBeat | None = None
        self._ready = False
        self._report_ready = False
        self._rules = StreamRules("m_axis", parameters.output_bytes, element, clean=True)
        self._report_rules = StreamRules("m_report", parameters.sidebands.report_bytes)
        self._ledger = PacketTracker(parameters.input_bytes, parameters.output_bytes, bool(element), self._sidebands,
                              parameters.mark_beats)
        self._drained = 0
        self._quiet = 0
        self._reports = 0
        self.cycle = 0
        self.finished = False

    def drive(self) -> tuple[StreamBeat | None, bool, bool]:
        """This cycle's input beat, None for ``tvalid`` low, ``m_axis_tready`` and ``m_report_tready``."""
        if self._offer is None and self._look() and not self._source.at(self.cycle):
            self._offer, self._next = self._next, None
        self._ready = not self._sink.at(self.cycle)
        self._report_ready = not self._report_sink.at(self.cycle)
        return self._offer, self._ready, self._report_ready

    def noise(self) -> StreamBeat:
        """A payload to show while ``tvalid`` is low: it must not matter."""
        random = self._poison
        width = self._width
        sidebands = self._sidebands
        return StreamBeat(random.getrandbits(8 * width), random.getrandbits(width), bool(random.getrandbits(1)),
                    *(random.getrandbits(bits) for bits in (sidebands.user, sidebands.id, sidebands.dest)))

    def sample(self, ready: bool, beat: StreamBeat | None, report: int | None = None) -> Iterator[Event]:
        """What the core showed: ``s_axis_tready``, its output beat and its beat of the report port, None for ``tvalid``
        low."""
        cycle = self.cycle
        moved = False
        for message in self._rules.observe(beat, self._ready):
            yield from self._report(message, cycle)
        told = None if report is None else StreamBeat(report, self._report_rules.full, True)
        for message in self._report_rules.observe(told, self._report_ready):
            yield from self._report(message, cycle)
        if told is not None:
            for error in self._ledger.offered():
                yield from self._report(error.message, cycle)
            if self._report_ready:
                moved = True
                yield from self._ledger.report(told)
        if self._offer is not None and ready:
            self._ledger.enter(cycle, self._offer)
            self._offer = None
            moved = True
        if beat is not None and not self._ready:
            self._ledger.wait()
        elif beat is not None:
            moved = True
            for event in self._ledger.leave(cycle, beat):
                if isinstance(event, ProtocolError):
                    yield from self._report(event.message, cycle)
                else:
                    yield event
        self.cycle += 1
        more = self._offer is not None or self._look()
        if more or self._ledger.inside:
            self._quiet = 0 if moved else self._quiet + 1
            if self._quiet > self._watchdog:
                inside = self._ledger.inside
                yield from self._report(f"deadlock: no beat has moved for {self._watchdog} cycles, "
                                        f"{inside} packets inside", cycle)
                self.finished = True
        else:
            self._drained += 1
            self.finished = self._drained > DRAIN_CYCLES
        if self.finished:
            yield self._ledger.stats(self.cycle)

    def unknown(self, signal: str) -> Iterator[Event]:
        """``signal`` has an unknown value in this cycle, and nothing more can be made of it."""
        yield from self._report(f"{signal} has an unknown value", self.cycle)
        self.finished = True
        yield self._ledger.stats(self.cycle)

    def _report(self, message: str, cycle: int) -> Iterator[ProtocolError]:
        self._reports += 1
        if self._reports <= MOST_REPORTS:
            yield ProtocolError(f"cycle {cycle}: {message}")

    def _look(self) -> bool:
        while self._next is None:
            self._next = next(self._beats, None)
            if self._next is None:
                numbered = next(self._packets, None)
                if numbered is None:
                    return False
                number, packet = numbered
                self._beats = packet_beats(packet, self._width, self._poison, beside(self._sidebands, number),
                                           self._sidebands.user)
        return True
