"""The byte streams between runewire and a simulation in another process; all numbers little-endian.

To it, for each packet: its length (u64), its bytes. From it, records: a u32 whose upper two bits are the kind
and whose lower 30 are the length of the payload that follows; an `END` has seven u64 after it (`PacketEnd`).
"""

from collections.abc import Callable, Generator, Iterable
from dataclasses import astuple
from struct import Struct
from typing import IO

from .results import Chunk, Event, PacketEnd, ProtocolError, Stats

DATA, END, PROTOCOL, STATS = range(4)
LENGTH = Struct("<Q")
HEADER = Struct("<I")
TRAILER = Struct("<7Q")
FIGURES = Struct("<7Q")

Packet = bytes | bytearray | memoryview
"""The input bytes of a packet."""


def write_packets(packets: Iterable[Packet], stream: IO[bytes]) -> None:
    """Write the packets to ``stream``."""
    for packet in packets:
        stream.write(LENGTH.pack(len(packet)))
        stream.write(packet)


def read_packets(stream: IO[bytes]) -> Generator[bytes, None, None]:
    """The packets that `write_packets` wrote; raises ValueError when the last one is cut off."""
    while header := stream.read(LENGTH.size):
        length = LENGTH.unpack(header)[0]
        packet = stream.read(length)
        if len(packet) != length:
            raise ValueError(f"a packet of {length} bytes is cut off after {len(packet)}")
        yield packet


def event_bytes(event: Event) -> bytes:
    """The record of an event."""
    match event:
        case Chunk(output, None):
            return HEADER.pack(DATA << 30 | len(output)) + output
        case Chunk(output, PacketEnd() as end):
            trailer = TRAILER.pack(*astuple(end))
            return HEADER.pack(END << 30 | len(output)) + output + trailer
        case ProtocolError(message):
            text = message.encode()
            return HEADER.pack(PROTOCOL << 30 | len(text)) + text
        case Stats() as s:
            return HEADER.pack(STATS << 30 | FIGURES.size) + FIGURES.pack(
                s.cycles, s.first_in, s.last_out, s.beats_in, s.beats_out, s.bytes_in, s.bytes_out)
    raise TypeError(f"not an event: {event!r}")


def events(read: Callable[[], bytes]) -> Generator[Event, None, None]:
    """The events of a stream of records. ``read`` gives the next bytes, as many as there are; b"" at the end.

    A record that is cut off at the end of the stream is left out.
    """
    buffer = b""
    at = 0
    while True:
        while len(buffer) - at >= HEADER.size:
            header = HEADER.unpack_from(buffer, at)[0]
            kind, body = header >> 30, at + HEADER.size
            stop = body + (header & 0x3FFFFFFF)
            end = stop + TRAILER.size if kind == END else stop
            if end > len(buffer):
                break
            payload = buffer[body:stop]
            at = end
            if kind == END:
                yield Chunk(payload, PacketEnd(*TRAILER.unpack_from(buffer, stop)))
            elif kind == DATA:
                yield Chunk(payload, None)
            elif kind == PROTOCOL:
                yield ProtocolError(payload.decode())
            else:
                yield Stats(*FIGURES.unpack(payload))
        more = read()
        if not more:
            return
        buffer = buffer[at:] + more
        at = 0
