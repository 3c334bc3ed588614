"""Records inside a packet, for example the lines of a log. A record ends with the delimiter and includes it.

    packet      a \\n b        with the delimiter 0A: the records ``a\\n`` and ``b``
"""

from collections.abc import Iterator
from typing import NamedTuple

from .encodings import NUL_REJECTING, Encoding
from .errors import ErrorKind, FirstError


class BadRecord(NamedTuple):
    """An ill-formed record: its number in the packet from 0, and its first error, with the offset in units from the
    record's start."""

    record: int
    kind: ErrorKind
    offset: int


def split_records(packet: bytes, delimiter: int, encoding: Encoding | None = None) -> Iterator[bytes]:
    """The records of a packet. Each ends with a unit ``delimiter``, which it includes, or with the packet. An empty
    packet has none. ``encoding``: the packet's; without one a unit is a byte."""
    unit = bytes([delimiter]) if encoding is None else encoding.order_of(packet).encode([delimiter])
    start = 0
    while start < len(packet):
        at = packet.find(unit, start)
        while at >= 0 and (at - start) % len(unit):
            at = packet.find(unit, at + 1)
        stop = at + len(unit) if at >= 0 else len(packet)
        yield packet[start:stop]
        start = stop


def ends_with(encoding: Encoding, text: bytes, delimiter: int) -> bool:
    """Whether the last unit of a text, whose units are complete, is the delimiter."""
    unit = encoding.order_of(text).encode([delimiter])
    return len(text) % len(unit) == 0 and text.endswith(unit)


def ill_formed_records(encoding: Encoding, packet: bytes, delimiter: int) -> tuple[bool, ...]:
    """For each record of a packet, whether it is ill-formed: whether an ill-formed subpart begins in it."""
    return tuple(error is not None for error in _errors(encoding, packet, delimiter))


def bad_records(encoding: Encoding, packet: bytes, delimiter: int) -> tuple[BadRecord, ...]:
    """The ill-formed records of a packet."""
    return tuple(BadRecord(number, error.kind, error.offset)
                 for number, error in enumerate(_errors(encoding, packet, delimiter)) if error is not None)


def _errors(encoding: Encoding, packet: bytes, delimiter: int) -> Iterator[FirstError | None]:
    """The first error of each record.

    ``delimiter`` is an ASCII character. It never continues a sequence, so each record can be decoded separately, in the
    packet's byte order.
    """
    order = encoding
    if len(encoding.orders) > 1:
        found = encoding.order_of(packet)
        order = NUL_REJECTING[found.name] if encoding is NUL_REJECTING[encoding.name] else found
    return (order.first_error(record) for record in split_records(packet, delimiter, encoding))
