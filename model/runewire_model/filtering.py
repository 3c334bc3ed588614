"""A packet without its ill-formed records: the output of a filter.

The packet ``61 0A FF 0A 62`` with the delimiter 0A:

    record              61 0A    FF 0A                        62
    well-formed         yes      no, HEADER_BITS at 0         yes
    output              61 0A                                 62
    rejects                      FF 0A, record 1

A record of more than ``longest`` bytes, its delimiter included, is rejected too, whether it is well-formed or not.

`filtered` is the definition. Every width and every way to cut a packet into beats gives the same output and rejects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .encodings import ENCODINGS
from .errors import FirstError
from .records import split_records

if TYPE_CHECKING:
    from .report import Sidebands

TEXT = ENCODINGS["utf-8"]
"""The encoding that a filter checks."""


class Reject(NamedTuple):
    """A rejected record: a packet of the rejects' stream.

    ``data``: its bytes. ``record``: its number in its packet, from 0. ``error``: its first error, at an offset from the
    record's start; None if it is well-formed. ``long``: it has more than ``longest`` bytes.
    """

    data: bytes
    record: int
    error: FirstError | None
    long: bool

    def tuser(self, sidebands: Sidebands) -> int:
        """The value of `Sidebands.reject_end` on its last beat. A number that does not fit is all ones."""
        values = (0, 0) if self.error is None else (self.error.kind, self.error.offset)
        return sum(min(value, (1 << field.width) - 1) << field.lsb for field, value in zip(
            sidebands.reject_end, (*values, self.record, self.long), strict=True))


def filtered(packet: bytes, sidebands: Sidebands) -> tuple[bytes, list[Reject]]:
    """The packet without its rejected records, and these, in order."""
    assert sidebands.filter is not None, "only a filter rejects records"
    assert sidebands.longest is not None, "a filter has a buffer"
    output = []
    rejects = []
    for number, record in enumerate(split_records(packet, sidebands.filter)):
        error, long = TEXT.first_error(record), len(record) > sidebands.longest
        if error is None and not long:
            output.append(record)
        else:
            rejects.append(Reject(record, number, error, long))
    return b"".join(output), rejects
