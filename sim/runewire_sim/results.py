"""What a simulation gives back: chunks of output as they come, and figures at the end."""

from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from runewire_model import PacketResult
from runewire_model.report import Sidebands, Told

from .sidebands import PLAIN, report_and_user

ENDS, ILL_FORMED = 1, 2
"""The bits of a mark: the byte ends a record, and that is ill-formed."""
NO_ENDS = bytes(mark for mark in range(256) if not mark & ENDS)
"""The marks of a byte that ends no record."""


@dataclass(frozen=True, slots=True)
class PacketEnd:
    """The end of a packet: what came with it, the cycles of its first and last beats, and its stalls.

    ``tuser``: ``m_axis_tuser`` of its last beat without the marks of records. ``gaps``: bit *i* tells that input beat
    *i* of the packet came later than the cycle after the beat before it; of the first 64 beats. ``waits``: cycles in
    which an output beat of it was offered and not taken. ``tid``, ``tdest``: of its last beat. ``report``: its beat of
    the report port, None where none came.
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
    report: int | None = None

    def told(self, sidebands: Sidebands = PLAIN) -> Told:
        """What the report says; raises ValueError when it has no meaning."""
        return sidebands.unpack(report_and_user(sidebands, self.tuser, self.report)[0])

    @property
    def cycles(self) -> int:
        """Cycles from the packet's first input beat to its last output beat, both counted."""
        return self.last_out - self.first_in + 1


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some of a packet's output bytes, in order; ``end`` with the last of them.

    ``marks``: where the core has records, for each byte whether it `ENDS` one and whether that is `ILL_FORMED`.
    """

    output: bytes
    end: PacketEnd | None
    marks: bytes = b""

    @property
    def records(self) -> list[bool]:
        """For each record that ends here whether it is ill-formed."""
        return [mark & ILL_FORMED > 0 for mark in self.marks.translate(None, NO_ENDS)]


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures of a whole run. ``cycles`` counts from the end of reset to the end of the simulation."""

    cycles: int
    first_in: int
    last_out: int
    beats_in: int
    beats_out: int
    bytes_in: int
    bytes_out: int

    @property
    def busy_cycles(self) -> int:
        """Cycles from the first input beat to the last output beat, both counted; 0 when nothing came out."""
        return self.last_out - self.first_in + 1 if self.beats_out else 0


@dataclass(frozen=True, slots=True)
class ProtocolError:
    """A rule of AXI4-Stream or of the core's contract that was broken, in words."""

    message: str


@dataclass(frozen=True, slots=True)
class PortReport:
    """A beat of the report port."""

    report: int


Event = Chunk | ProtocolError | PortReport | Stats


class Run:
    """A simulation under way: iterate it for the chunks; leave its ``with`` block to end it early.

    ``sidebands``: those of the core; with a report port a packet's end waits for its report.
    ``protocol_errors`` fills as they happen; ``stats`` is there when the iteration is over.
    """

    def __init__(self, events: Generator[Event, None, None], sidebands: Sidebands = PLAIN) -> None:
        self._events = events
        self._sidebands = sidebands
        self._stats: Stats | None = None
        self.protocol_errors: list[str] = []

    def __iter__(self) -> Iterator[Chunk]:
        alone = self._sidebands.report_port == "none"
        chunks: deque[Chunk] = deque()
        reports: deque[int] = deque()
        for event in self._events:
            match event:
                case Chunk():
                    if alone:
                        yield event
                        continue
                    chunks.append(event)
                case ProtocolError():
                    self.protocol_errors.append(event.message)
                case PortReport():
                    reports.append(event.report)
                case Stats():
                    self._stats = event
            while chunks and (reports or chunks[0].end is None):
                chunk = chunks.popleft()
                if chunk.end is not None:
                    chunk = replace(chunk, end=replace(chunk.end, report=reports.popleft()))
                yield chunk
        yield from chunks

    @property
    def stats(self) -> Stats:
        """Raises RuntimeError before the end of the iteration."""
        if self._stats is None:
            raise RuntimeError("the simulation has not ended yet")
        return self._stats

    def packets(self) -> Iterator[tuple[PacketResult, PacketEnd]]:
        """The results packet by packet, each whole in memory.

        Raises ValueError for a report without meaning.
        """
        parts: list[bytes] = []
        records: list[bool] = []
        for chunk in self:
            parts.append(chunk.output)
            records += chunk.records
            if chunk.end is not None:
                report = chunk.end.told(self._sidebands)
                yield PacketResult(b"".join(parts), report.error, report.counts, tuple(records)), chunk.end
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
