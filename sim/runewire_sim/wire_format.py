"""The byte streams between runewire and a simulation in another process; all numbers little-endian.

Input, for each packet: its length (u64), the `word` of a `Segment` or 0 (u64), its bytes.

Output, for each event, a message:

    u32             kind in the upper four bits, length of the payload in the lower 28
    payload
    record flags    as many bytes, for a kind with `MARKED`
    10 u64, tuser   for `END`: nine fields of `PacketEnd`, the size of tuser in bytes, and tuser
    3 u64, tuser    for `REJECT`: tid, tdest, the size of tuser in bytes, and tuser
"""

from collections.abc import Callable, Generator, Iterable
from struct import Struct
from typing import IO

from .results import Chunk, Event, PacketEnd, PortReport, ProtocolError, RecordReport, RejectedRecord, Stats
from .segments import Segment

DATA, END, PROTOCOL, STATS, REPORT, REJECT, RECORD = range(7)
MARKED = 8
LENGTH = Struct("<2Q")
HEADER = Struct("<I")
TRAILER = Struct("<10Q")
REJECT_END = Struct("<4Q")
WAITS = Struct("<Q")
FIGURES = Struct("<7Q")

Packet = bytes | bytearray | memoryview
"""The input bytes of a packet."""


def write_packets(packets: Iterable[Packet], stream: IO[bytes]) -> None:
    """Write the packets to ``stream``."""
    for packet in packets:
        stream.write(LENGTH.pack(len(packet), packet.word if isinstance(packet, Segment) else 0))
        stream.write(packet)


def read_packets(stream: IO[bytes]) -> Generator[bytes, None, None]:
    """The packets that `write_packets` wrote; raises ValueError when the last one is cut off."""
    while header := stream.read(LENGTH.size):
        length, word = LENGTH.unpack(header)
        packet = stream.read(length)
        if len(packet) != length:
            raise ValueError(f"a packet of {length} bytes is cut off after {len(packet)}")
        yield Segment.of(packet, word)


def event_bytes(event: Event) -> bytes:
    """The message of an event."""
    match event:
        case Chunk(output, end, marks):
            kind = (DATA if end is None else END) | (MARKED if marks else 0)
            message = HEADER.pack(kind << 28 | len(output)) + output + marks
            if end is None:
                return message
            tuser = _number_bytes(end.tuser)
            return message + TRAILER.pack(end.first_in, end.last_in, end.first_out, end.last_out, end.gaps, end.waits,
                                          end.tid, end.tdest, end.unflagged, len(tuser)) + tuser
        case PortReport(report):
            payload, kind = _number_bytes(report), REPORT
        case RecordReport(beat, waits):
            payload = _number_bytes(beat)
            return HEADER.pack(RECORD << 28 | len(payload)) + payload + WAITS.pack(waits)
        case RejectedRecord(data, tuser, tid, tdest, waits):
            user = _number_bytes(tuser)
            return HEADER.pack(REJECT << 28 | len(data)) + data + REJECT_END.pack(tid, tdest, waits, len(user)) + user
        case ProtocolError(text):
            payload, kind = text.encode(), PROTOCOL
        case Stats() as s:
            payload, kind = FIGURES.pack(
                s.cycles, s.first_in, s.last_out, s.beats_in, s.beats_out, s.bytes_in, s.bytes_out), STATS
        case _:
            raise TypeError(f"not an event: {event!r}")
    return HEADER.pack(kind << 28 | len(payload)) + payload


def _number_bytes(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "little")


def events(read: Callable[[], bytes]) -> Generator[Event, None, None]:
    """The events of a stream of messages. ``read`` gives the next bytes, as many as there are; b"" at the end.

    A message that is cut off at the end of the stream is left out.
    """
    buffer = b""
    at = 0
    while True:
        while (found := _event(buffer, at)) is not None:
            event, at = found
            yield event
        more = read()
        if not more:
            return
        buffer = buffer[at:] + more
        at = 0


def _event(buffer: bytes, at: int) -> tuple[Event, int] | None:
    """The event of the message at ``at``, and the message's end; None for an incomplete message."""
    start = at + HEADER.size
    if start > len(buffer):
        return None
    header = HEADER.unpack_from(buffer, at)[0]
    size = header & 0xFFFFFFF
    kind = header >> 28
    stop = start + size
    last = stop + size if kind & MARKED else stop
    trailers = {END: TRAILER, REJECT: REJECT_END, RECORD: WAITS}
    trailer = last + trailers[kind & 7].size if kind & 7 in trailers else last
    if trailer > len(buffer):
        return None
    payload = buffer[start:stop]
    if kind & 7 == DATA:
        return Chunk(payload, None, buffer[stop:last]), last
    if kind & 7 == END:
        *rest, more = TRAILER.unpack_from(buffer, last)
        over = trailer + more
        if over > len(buffer):
            return None
        tuser = int.from_bytes(buffer[trailer:over], "little")
        return Chunk(payload, PacketEnd(tuser, *rest), buffer[stop:last]), over
    if kind == REJECT:
        tid, tdest, waits, more = REJECT_END.unpack_from(buffer, last)
        over = trailer + more
        if over > len(buffer):
            return None
        return RejectedRecord(payload, int.from_bytes(buffer[trailer:over], "little"), tid, tdest, waits), over
    if kind == PROTOCOL:
        return ProtocolError(payload.decode()), stop
    if kind == STATS:
        return Stats(*FIGURES.unpack(payload)), stop
    number = int.from_bytes(payload, "little")
    return (RecordReport(number, *WAITS.unpack_from(buffer, last)) if kind == RECORD else PortReport(number)), trailer
