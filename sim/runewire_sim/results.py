"""What a simulation gives back: chunks of output as they come, and figures at the end."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from runewire_model import ErrorKind, FirstError, PacketResult

TUSER_FIELDS = {"error_offset": (0, 32), "error_kind": (32, 3), "error": (35, 1)}
"""The parts of ``m_axis_tuser``: lowest bit and width."""
KINDS = frozenset(ErrorKind)


def pack_tuser(error: FirstError | None) -> int:
    """``m_axis_tuser`` of a last beat: error flag, kind and offset modulo 2**32; 0 for no error."""
    if error is None:
        return 0
    return 1 << 35 | error.kind << 32 | error.offset & 0xFFFFFFFF


def unpack_tuser(tuser: int) -> FirstError | None:
    """The error that ``m_axis_tuser`` of a last beat tells.

    Raises ValueError when no core may send it: a kind without a name, or bits set without the error flag.
    """
    if tuser == 0:
        return None
    kind = tuser >> 32 & 7
    if tuser >> 35 != 1 or kind not in KINDS:
        raise ValueError(f"m_axis_tuser {tuser:#011x} has no meaning")
    return FirstError(ErrorKind(kind), tuser & 0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class PacketEnd:
    """The end of a packet: its last beat's ``tuser``, the cycles of its first and last beats, and its stalls.

    ``gaps``: bit *i* tells that input beat *i* of the packet came later than the cycle after the beat before it; of
    the first 64 beats. ``waits``: cycles in which an output beat of it was offered and not taken.
    """

    tuser: int
    first_in: int
    last_in: int
    first_out: int
    last_out: int
    gaps: int = 0
    waits: int = 0

    @property
    def error(self) -> FirstError | None:
        """What ``tuser`` says; raises ValueError when it has no meaning."""
        return unpack_tuser(self.tuser)

    @property
    def cycles(self) -> int:
        """Cycles from the packet's first input beat to its last output beat, both counted."""
        return self.last_out - self.first_in + 1


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some of a packet's output bytes, in order; ``end`` with the last of them."""

    output: bytes
    end: PacketEnd | None


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


Event = Chunk | ProtocolError | Stats


class Run:
    """A simulation under way: iterate it for the chunks; leave its ``with`` block to end it early.

    ``protocol_errors`` fills as they happen; ``stats`` is there when the iteration is over.
    """

    def __init__(self, events: Generator[Event, None, None]) -> None:
        self._events = events
        self._stats: Stats | None = None
        self.protocol_errors: list[str] = []

    def __iter__(self) -> Iterator[Chunk]:
        for event in self._events:
            match event:
                case Chunk():
                    yield event
                case ProtocolError():
                    self.protocol_errors.append(event.message)
                case Stats():
                    self._stats = event

    @property
    def stats(self) -> Stats:
        """Raises RuntimeError before the end of the iteration."""
        if self._stats is None:
            raise RuntimeError("the simulation has not ended yet")
        return self._stats

    def packets(self) -> Iterator[tuple[PacketResult, PacketEnd]]:
        """The results packet by packet, each whole in memory.

        Raises ValueError for a ``tuser`` without meaning.
        """
        parts: list[bytes] = []
        for chunk in self:
            parts.append(chunk.output)
            if chunk.end is not None:
                yield PacketResult(b"".join(parts), chunk.end.error), chunk.end
                parts.clear()

    def close(self) -> None:
        """End the simulation, its processes too."""
        self._events.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
