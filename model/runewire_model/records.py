"""Records inside a packet, for example the lines of a log. A record ends with the delimiter and includes it.

    packet      a \\n b        with the delimiter 0A: the records ``a\\n`` and ``b``
"""

from collections.abc import Iterator
from typing import NamedTuple

from .encodings import Encoding
from .errors import ErrorKind


class BadRecord(NamedTuple):
    """An ill-formed record: its number in the packet from 0, and its first error, with the offset in units from the
    record's start."""

    record: int
    kind: ErrorKind
    offset: int


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


def bad_records(encoding: Encoding, packet: bytes, delimiter: int) -> tuple[BadRecord, ...]:
    """The ill-formed records of a packet, each decoded separately."""
    errors = (encoding.first_error(record) for record in split_records(packet, delimiter))
    return tuple(BadRecord(number, error.kind, error.offset) for number, error in enumerate(errors)
                 if error is not None)
