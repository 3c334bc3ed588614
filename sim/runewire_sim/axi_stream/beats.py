"""Beats of an AXI4-Stream, and packets as beats."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from runewire_model.report import Sidebands

from ..sidebands import NO_SIDEBANDS, PLAIN, SentSidebands
from ..wire_format import Packet


@dataclass(frozen=True, slots=True)
class StreamBeat:
    """The payload of a stream in one cycle; ``keep`` has a bit for each byte of ``data``, lane 0 lowest."""

    data: int
    keep: int
    last: bool
    user: int = 0
    id: int = 0
    dest: int = 0


def packet_beats(packet: Packet, width: int, poison: Random | None = None, sent: SentSidebands = NO_SIDEBANDS,
                 user_bits: int = 0, holes: Iterator[bool] | None = None) -> Iterator[StreamBeat]:
    """The beats of a packet on a stream of ``width`` bytes; at least one, also for an empty packet.

    ``poison`` fills the unkept lanes of the last one (default: zero), and the ``user_bits`` of ``tuser`` on the others.
    ``sent``: the sideband values of the packet. ``holes``: null bytes at any places, as `spread` takes them.
    """
    parts = _filled(packet, width) if holes is None else spread(packet, width, holes)
    for part, keep, last in parts:
        data = int.from_bytes(part, "little")
        if poison is not None and keep != (1 << width) - 1:
            data |= poison.getrandbits(8 * width) & ~_byte_mask(keep, width)
        user = sent.user if last or poison is None else poison.getrandbits(user_bits)
        yield StreamBeat(data, keep, last, user, sent.id, sent.dest)


def _filled(packet: Packet, width: int) -> Iterator[tuple[Packet, int, bool]]:
    """The data, ``tkeep`` and ``tlast`` of full beats and a last one."""
    for start in range(0, max(len(packet), 1), width):
        part = packet[start : start + width]
        yield part, (1 << len(part)) - 1, start + width >= len(packet)


def spread(packet: Packet, width: int, holes: Iterator[bool]) -> Iterator[tuple[bytes, int, bool]]:
    """The data, ``tkeep`` and ``tlast`` of beats with null bytes at any places.

    ``holes``: for each lane of a beat, whether it has a null byte. One more element per beat: whether the packet
    continues with a beat of null bytes if it has no more bytes.
    """
    start, last = 0, False
    while not last:
        lanes = [lane for lane in range(width) if not next(holes)]
        data, keep = bytearray(width), 0
        for lane, octet in zip(lanes, packet[start : start + width], strict=False):
            data[lane] = octet
            keep |= 1 << lane
        start += keep.bit_count()
        last = not next(holes) and start >= len(packet)
        yield bytes(data), keep, last


def beats_with_holes(packets: Iterable[Packet], width: int, holes: Iterator[bool]) -> Iterator[list[bytes]]:
    """For each packet, the kept bytes of the beats that `spread` makes of it: what the cycle model takes."""
    for packet in packets:
        yield [bytes(octet for lane, octet in enumerate(data) if keep >> lane & 1)
               for data, keep, _ in spread(packet, width, holes)]


def _byte_mask(keep: int, width: int) -> int:
    """Eight ones for each kept lane."""
    return int.from_bytes(bytes(0xFF * (keep >> lane & 1) for lane in range(width)), "little")


def kept_bytes(beat: StreamBeat, width: int) -> bytes:
    """The kept bytes of a beat on a stream of ``width`` bytes, lane 0 first."""
    data = beat.data.to_bytes(width, "little")
    if beat.keep & beat.keep + 1 == 0:
        return data[: beat.keep.bit_length()]
    return bytes(octet for lane, octet in enumerate(data) if beat.keep >> lane & 1)


class OutputReader:
    """Collects the output beats of a packet, ``width`` bytes each: its bytes, record flags and ``tuser``."""

    def __init__(self, width: int, sidebands: Sidebands = PLAIN) -> None:
        self._width = width
        self._full = (1 << width) - 1
        self._shift = sidebands.last_beat_width
        self._flagged = sidebands.records is not None
        self._early = int(sidebands.early)
        self._parts: list[bytes] = []
        self._flags: list[bytes] = []
        self.size = 0
        """Bytes collected and not taken yet."""
        self.tuser = 0
        """``m_axis_tuser`` of the last beat, without record flags."""
        self.unflagged = 0
        """Beats before the first one with the error bit, if the core sends it early."""
        self._known = False

    def add(self, beat: StreamBeat) -> Iterator[str]:
        """Add a beat; yields the rules that it breaks."""
        part = kept_bytes(beat, self._width)
        self._parts.append(part)
        self.size += len(part)
        if self._flagged:
            flags, stray = self._record_flags(beat)
            self._flags.append(flags)
            if stray:
                yield "m_axis: an unkept lane has a mark"
        self.tuser = beat.user & (1 << self._shift) - 1
        if self.tuser & ~self._early and not beat.last:
            yield "tuser is not zero before the last beat"
        if self._early:
            flagged = bool(self.tuser & 1)
            if self._known and not flagged:
                yield "the error bit falls inside a packet"
            self._known |= flagged
            self.unflagged += not self._known

    def end(self) -> int:
        """End the packet; gives `unflagged`."""
        unflagged, self.unflagged, self._known = self.unflagged, 0, False
        return unflagged

    def take(self) -> tuple[bytes, bytes]:
        """The bytes since the last call, and their record flags (none without records)."""
        taken = b"".join(self._parts), b"".join(self._flags)
        self.clear()
        return taken

    def clear(self) -> None:
        """Forget what was collected."""
        self._parts.clear()
        self._flags.clear()
        self.size = 0

    def reset(self) -> None:
        """Forget the packet under way."""
        self.clear()
        self.end()

    def _record_flags(self, beat: StreamBeat) -> tuple[bytes, bool]:
        """The flags of the kept bytes, and whether an unkept lane has any."""
        every = beat.user >> self._shift
        lanes = bytes(every >> 2 * lane & 3 for lane in range(self._width))
        if beat.keep == self._full:
            return lanes, False
        kept = bytes(flags for lane, flags in enumerate(lanes) if beat.keep >> lane & 1)
        return kept, sum(lanes) != sum(kept)
