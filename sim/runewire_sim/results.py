"""Results of a simulation: chunks of output while it runs, and figures at the end."""

from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from runewire_model import PacketResult
from runewire_model.moved_records import ENDS, ILL_FORMED
from runewire_model.records import BadRecord
from runewire_model.report import PACKET_WIDTH, Sidebands, UnpackedReport

from .sidebands import PLAIN, report_and_user

NO_ENDS = bytes(mark for mark in range(256) if not mark & ENDS)
"""The record flags of a byte that ends no record."""


@dataclass(frozen=True, slots=True)
class PacketEnd:
    """The end of a packet: sideband values, the cycles of its first and last beats, and its stalls.

    ``tuser``: ``m_axis_tuser`` of its last beat, without record flags. ``gaps``: bit *i* is set if the source paused
    before input beat *i*, of the first 64: ``ready`` was high without ``valid`` in a cycle after the beat before it.
    ``waits``: cycles in which its output beats had ``valid`` without ``ready``. ``tid``, ``tdest``: from its last beat.
    ``unflagged``: beats before the first one with the error bit, if the core sends it early. ``report``: its beat of
    the report port, or None. ``bad_records``: its beats of the record report. ``record_waits``: cycles in which these
    had ``valid`` without ``ready``.
    """

    tuser: int
    first_in: int
    last_in: int
    first_out: int
    last_out: int
    gaps: int = 0
    waits: int = 0
    tid: int = 0
    tdest: int = 0
    unflagged: int = 0
    report: int | None = None
    bad_records: tuple[BadRecord, ...] = ()
    record_waits: int = 0

    def told(self, sidebands: Sidebands = PLAIN) -> UnpackedReport:
        """The packet's report; raises ValueError for a meaningless one."""
        return sidebands.unpack(report_and_user(sidebands, self.tuser, self.report)[0])

    def more(self, sidebands: Sidebands) -> bool:
        """Whether the packet's text continues in another segment, for a core with flows."""
        return bool(report_and_user(sidebands, self.tuser, self.report)[1] >> sidebands.user & 1)

    def tail_records(self, sidebands: Sidebands) -> list[bool]:
        """Whether the packet's last record is ill-formed, if the last beat has its flags; else nothing."""
        flags = self.tuser >> sidebands.last_beat_width - sidebands.tail_bits
        return [flags & ILL_FORMED > 0] if sidebands.tail and flags & ENDS else []

    @property
    def cycles(self) -> int:
        """Cycles from the packet's first input beat to its last output beat, both counted."""
        return self.last_out - self.first_in + 1


@dataclass(frozen=True, slots=True)
class Chunk:
    """Output bytes of a packet, in order; the last chunk has its ``end``.

    ``marks``: a record flag for each byte (`ENDS`, `ILL_FORMED`); empty if the core has no records.
    """

    output: bytes
    end: PacketEnd | None
    marks: bytes = b""

    @property
    def records(self) -> list[bool]:
        """For each record that ends in the chunk, whether it is ill-formed."""
        return [mark & ILL_FORMED > 0 for mark in self.marks.translate(None, NO_ENDS)]


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures of a run. ``cycles``: from the end of reset to the end of the simulation."""

    cycles: int
    first_in: int
    last_out: int
    beats_in: int
    beats_out: int
    bytes_in: int
    bytes_out: int

    @property
    def busy_cycles(self) -> int:
        """Cycles from the first input beat to the last output beat, both counted; 0 without output."""
        return self.last_out - self.first_in + 1 if self.beats_out else 0


@dataclass(frozen=True, slots=True)
class ProtocolError:
    """A broken rule of AXI4-Stream or of the core's contract, in words."""

    message: str


@dataclass(frozen=True, slots=True)
class PortReport:
    """A beat of the report port."""

    report: int


@dataclass(frozen=True, slots=True)
class RejectedRecord:
    """A packet of a filter's rejected records: its bytes, and the sidebands of its last beat. ``waits``: cycles in
    which its beats had ``valid`` without ``ready``; no difference of two records."""

    data: bytes
    tuser: int
    tid: int = 0
    tdest: int = 0
    waits: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class RecordReport:
    """A beat of the record report. ``waits``: cycles in which it had ``valid`` without ``ready``."""

    beat: int
    waits: int = 0


Event = Chunk | ProtocolError | PortReport | RejectedRecord | RecordReport | Stats


class RecordBeats:
    """The beats of a record report, until their packets end."""

    def __init__(self, sidebands: Sidebands) -> None:
        self._sidebands = sidebands
        self._found: deque[tuple[int, BadRecord, int]] = deque()
        self._packet = 0
        self._flagged = 0

    def add(self, report: RecordReport) -> str | None:
        """Add a beat. Returns a message if it has no meaning."""
        try:
            self._found.append((*self._sidebands.unpack_record(report.beat), report.waits))
        except ValueError:
            return f"m_records: a record of {report.beat:#x} has no meaning"
        return None

    def flag(self, chunk: Chunk) -> None:
        """Count the record flags of a chunk of the packet under way."""
        self._flagged += sum(chunk.records)

    def complete_with(self, last: Chunk) -> bool:
        """Whether all beats of the packet that ends with this chunk have come: one for each flag, or one of a later
        packet."""
        own = sum(1 for packet, _, _ in self._found if packet == self._packet)
        tail = [] if last.end is None else last.end.tail_records(self._sidebands)
        return own >= self._flagged + sum(last.records) + sum(tail) or own < len(self._found)

    def take(self) -> tuple[tuple[BadRecord, ...], int]:
        """The ill-formed records of the packet under way, which ends, and the cycles in which their beats waited."""
        found = []
        waits = 0
        while self._found and self._found[0][0] == self._packet:
            _, record, more = self._found.popleft()
            found.append(record)
            waits += more
        self._packet = self._packet + 1 & (1 << PACKET_WIDTH) - 1
        self._flagged = 0
        return tuple(found), waits

    def rest(self) -> str | None:
        """A message about beats that belong to no packet."""
        return f"m_records: {len(self._found)} beats belong to no packet" if self._found else None


class Run:
    """A running simulation: iterate over it for the chunks; leave its ``with`` block to end it early.

    ``sidebands``: the core's; with a report port, a packet's end waits for its report, and with a record report for
    its ill-formed records. ``protocol_errors`` and ``rejects`` grow during the iteration; ``stats`` is available after
    it.
    """

    def __init__(self, events: Generator[Event, None, None], sidebands: Sidebands = PLAIN) -> None:
        self._events = events
        self._sidebands = sidebands
        self._stats: Stats | None = None
        self.protocol_errors: list[str] = []
        self.rejects: deque[RejectedRecord] = deque()
        """Rejected records, in order; a reader may remove them from the front."""

    def __iter__(self) -> Iterator[Chunk]:
        reported, recorded = self._sidebands.report_port != "none", self._sidebands.record_report
        chunks: deque[Chunk] = deque()
        reports: deque[int] = deque()
        records = RecordBeats(self._sidebands)
        ended, wrong = False, None
        for event in self._events:
            match event:
                case Chunk():
                    if not reported and not recorded:
                        yield event
                        continue
                    chunks.append(event)
                case ProtocolError():
                    self.protocol_errors.append(event.message)
                case PortReport():
                    reports.append(event.report)
                case RecordReport():
                    if (message := records.add(event)) is not None:
                        wrong = wrong or message
                case RejectedRecord():
                    self.rejects.append(event)
                case Stats():
                    self._stats = event
                    ended = True
            while chunks and (chunks[0].end is None or reports or not reported):
                if (end := chunks[0].end) is not None:
                    if not (ended or records.complete_with(chunks[0])):
                        break
                    bad, waits = records.take()
                    end = replace(end, report=reports.popleft() if reported else None, bad_records=bad,
                                  record_waits=waits)
                else:
                    records.flag(chunks[0])
                yield replace(chunks.popleft(), end=end)
        yield from chunks
        self.protocol_errors += filter(None, (wrong, records.rest()))

    @property
    def stats(self) -> Stats:
        """Raises RuntimeError before the end of the iteration."""
        if self._stats is None:
            raise RuntimeError("the simulation has not ended yet")
        return self._stats

    def packets(self) -> Iterator[tuple[PacketResult, PacketEnd]]:
        """The results packet by packet, each completely in memory. Raises ValueError for a meaningless report."""
        parts: list[bytes] = []
        records: list[bool] = []
        for chunk in self:
            parts.append(chunk.output)
            records += chunk.records
            if chunk.end is not None:
                report = chunk.end.told(self._sidebands)
                records += chunk.end.tail_records(self._sidebands)
                yield PacketResult(b"".join(parts), report.error, report.counts, tuple(records),
                                   chunk.end.bad_records), chunk.end
                parts.clear()
                records.clear()

    def close(self) -> None:
        """End the simulation, its processes too."""
        self._events.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
