"""Records inside a packet, for example the lines of a log. A record ends with the delimiter and includes it.

    packet      a \\n b        with the delimiter 0A: the records ``a\\n`` and ``b``
"""

from collections.abc import Iterator

from .encodings import Encoding


def split_records(packet: bytes, delimiter: int) -> Iterator[bytes]:
    """The records of a packet. Each ends with a byte ``delimiter``, which it includes, or with the packet. An empty
    packet has none."""
    start = 0
    while start < len(packet):
        stop = packet.find(delimiter, start) + 1 or len(packet)
        yield packet[start:stop]
        start = stop


def ill_formed_records(encoding: Encoding, packet: bytes, delimiter: int) -> tuple[bool, ...]:
    """For each record of a packet, whether it is ill-formed: whether an ill-formed subpart begins in it.

    ``delimiter`` is an ASCII byte. It never continues a sequence, so each record can be decoded separately.
    """
    return tuple(encoding.first_error(record) is not None for record in split_records(packet, delimiter))
