"""Records inside a packet, such as the lines of a log: each ends with the delimiter, which is part of it.

    packet      a \\n b        with the delimiter 0A: the records ``a\\n`` and ``b``
"""

from collections.abc import Iterator

from .encodings import Encoding

__all__ = ["ill_formed_records", "split_records"]


def split_records(packet: bytes, delimiter: int) -> Iterator[bytes]:
    """The records of a packet: each up to and with a byte ``delimiter``, or up to the packet's end. An empty packet has
    none."""
    start = 0
    while start < len(packet):
        stop = packet.find(delimiter, start) + 1 or len(packet)
        yield packet[start:stop]
        start = stop


def ill_formed_records(encoding: Encoding, packet: bytes, delimiter: int) -> tuple[bool, ...]:
    """For each record of a packet whether it is ill-formed: whether an ill-formed subpart begins in it.

    ``delimiter`` is an ASCII byte: it goes on with no sequence, so each record can be read by itself.
    """
    return tuple(encoding.first_error(record) is not None for record in split_records(packet, delimiter))
