"""Records as packets: the output of a splitter.

The packet ``61 0A 0A 62 63`` with the delimiter 0A:

    record              61 0A    0A    62 63    the last one ends with the packet
    delimiter kept      61 0A    0A    62 63
    delimiter dropped   61       -     62 63    an empty packet for the empty record, unless these are dropped too

`record_packets` is the definition. Every width and every way to cut a packet into beats gives the same packets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .records import split_records

if TYPE_CHECKING:
    from .report import Sidebands


class RecordPacket(NamedTuple):
    """A packet that a splitter puts out.

    ``data``: its bytes. ``record``: the number of its record in the input packet, from 0. ``cut``: its record continues
    in the next packet. ``ends``: it ends the last record of the input packet, whose ``tuser`` it carries. ``first``,
    ``last``: places in the input packet of its first byte and of the byte that ends it; both are the delimiter's for an
    empty record.
    """

    data: bytes
    record: int
    cut: bool
    ends: bool
    first: int
    last: int


def record_packets(packet: bytes, sidebands: Sidebands) -> Iterator[RecordPacket]:
    """The packets that a splitter makes of one packet: each record, in order, cut after every ``longest`` bytes.

    A record ends with the delimiter, or with the packet; a packet without bytes has no record. A record without any
    byte but the delimiter is empty.
    """
    delimiter = sidebands.split
    assert delimiter is not None, "only a core that splits has record packets"
    start = 0
    for number, record in enumerate(split_records(packet, delimiter)):
        stop = start + len(record)
        content = record[:-1] if record[-1] == delimiter else record
        if content or sidebands.empty == "keep":
            data = record if sidebands.delimiter == "keep" else content
            longest = sidebands.longest or max(1, len(data))
            for at in range(0, max(1, len(data)), longest):
                part = data[at : at + longest]
                cut = at + longest < len(data)
                yield RecordPacket(part, number, cut, stop == len(packet) and not cut, start + at,
                            start + at + longest - 1 if cut else stop - 1)
        start = stop
