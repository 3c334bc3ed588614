"""Records of a packet that becomes another text: the flags of a record travel with what its delimiter becomes.

UTF-8 to UTF-16LE with the delimiter 0A, and the packet ``41 0A E2 82 0A 42``:

    record    output                flags
    41 0A     41 00 0A 00           on the last byte: it ends a record
    E2 82 0A  FD FF 0A 00           on the last byte: it ends a record, which is ill-formed
    42        42 00                 none on a byte: the last beat has the flags of a record without delimiter
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .records import BadRecord, ends_with, split_records

if TYPE_CHECKING:
    from .errors import FirstError
    from .transcoder import TranscoderParameters

ENDS, ILL_FORMED = 1, 2
"""Bits of a record flag: a record ends; it is ill-formed."""


class MovedRecord(NamedTuple):
    """A record's bytes, its output, its first error with the offset from the record's start, and whether its delimiter
    ends it."""

    text: bytes
    output: bytes
    error: FirstError | None
    complete: bool

    @property
    def flags(self) -> int:
        """Its record flags."""
        return ENDS | (0 if self.error is None else ILL_FORMED)


def moved_records(core: TranscoderParameters, packet: bytes, *, in_run: bool = False) -> Iterator[MovedRecord]:
    """The records of a packet. Each is a text of its own, in the packet's byte order; only the first may have a byte
    order mark.

    A record is ill-formed if an ill-formed subpart begins in it, or a scalar that the target lacks. ``in_run``: a run
    of ill-formed subparts may continue in the first one.
    """
    delimiter = core.sidebands.records
    assert delimiter is not None
    order = core.reads.order_of(packet)
    alone = _alone(core, core.source, first=True)
    for text in split_records(packet, delimiter, core.reads):
        result = alone.compute(text, in_run=in_run)
        yield MovedRecord(text, result.output, result.error, ends_with(order, text, delimiter))
        in_run = False  # a delimiter is well-formed
        alone = _alone(core, order.name, first=False)


def bad_moved_records(core: TranscoderParameters, packet: bytes) -> Iterator[BadRecord]:
    """The ill-formed records of a packet."""
    for number, record in enumerate(moved_records(core, packet)):
        if record.error is not None:
            yield BadRecord(number, record.error.kind, record.error.offset)


def record_flags(core: TranscoderParameters, packet: bytes, *, in_run: bool = False) -> tuple[bytes, int]:
    """The record flags of each byte of a packet's output; and the flags of a last record without delimiter, 0 if there
    is none. ``in_run`` as for `moved_records`."""
    found, tail = bytearray(len(core.mark)), 0
    for record in moved_records(core, packet, in_run=in_run):
        found += bytes(len(record.output))
        if record.complete:
            found[-1] = record.flags
        else:
            tail = record.flags
    return bytes(found), tail


@lru_cache
def _alone(core: TranscoderParameters, source: str, *, first: bool) -> TranscoderParameters:
    """The core for a record alone, which adds no byte order mark."""
    bom = core.bom if core.bom != "add" else "strip" if core.reads.byte_order_marks else "keep"
    return replace(core, source=source, bom=bom if first else "keep", lanes=1, packing="dense",
                   sidebands=type(core.sidebands)())
