"""Shapes of the cores' streams: beats of lanes, and the report of a packet."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from amaranth.hdl import ShapeLike
from amaranth.lib import data, enum, stream
from runewire_model import ErrorKind
from runewire_model.report import KIND_WIDTH, MARKS, Sidebands

__all__ = ["KIND_WIDTH", "OFFSET_WIDTH", "Kind", "end_layout", "input_beat", "output_beat", "report_beat"]

OFFSET_WIDTH = Sidebands().offset_bits
"""Default width of the first error's offset. An offset that does not fit is all ones."""

_DEFAULT = Sidebands()


class Kind(enum.Enum, shape=KIND_WIDTH):
    """Kind of a packet's first error in hardware: the model's numbers, and 0 for none."""

    NONE = 0
    HEADER_BITS = ErrorKind.HEADER_BITS.value
    TOO_SHORT = ErrorKind.TOO_SHORT.value
    TOO_LONG = ErrorKind.TOO_LONG.value
    OVERLONG = ErrorKind.OVERLONG.value
    TOO_LARGE = ErrorKind.TOO_LARGE.value
    SURROGATE = ErrorKind.SURROGATE.value
    NUL = ErrorKind.NUL.value


def end_layout(sidebands: Sidebands) -> data.StructLayout:
    """Fields that a packet's last beat carries, zero on every other beat: the first error, the counters, the input's
    ``user`` bits, the flag ``more`` of a segment or ``cut`` of a record, and the flags of a last record without
    delimiter."""
    user = {"user": sidebands.user} if sidebands.user else {}
    user |= {"more": 1} if sidebands.flows is not None else {}
    user |= {"cut": 1} if sidebands.cut_bits else {}
    user |= {"tail": 1, "tail_bad": 1} if sidebands.tail else {}
    return data.StructLayout({field.name: field.width for field in sidebands.told} | user)


def report_beat(sidebands: Sidebands) -> stream.Signature:
    """A stream of reports, one per packet."""
    return stream.Signature(data.StructLayout({field.name: field.width for field in sidebands.told}))


def record_row(size: int) -> stream.Signature:
    """A stream of ill-formed records as rows of a buffer: ``size`` bytes of numbers; the kind without its highest bit,
    and that bit."""
    return stream.Signature(data.StructLayout({
        "data": data.ArrayLayout(8, size), "keep": size, "last": 1,
        "report": data.StructLayout({"kind": KIND_WIDTH - 1})}))

def reject_beat(lanes: int, sidebands: Sidebands) -> stream.Signature:
    """A stream of rejected records, as rows of ``lanes`` bytes. ``report`` has the fields of `Sidebands.reject_end`, on
    a record's last row."""
    return output_beat(lanes, 8, sidebands, data.StructLayout(
        {field.name: field.width for field in sidebands.reject_end}))


def input_beat(
    lanes: int, unit_bytes: int, sidebands: Sidebands = _DEFAULT, *, marks: bool = False,
    flags: Mapping[str, int] = MappingProxyType({}),
) -> stream.Signature:
    """A stream of beats of ``lanes`` units. ``keep`` has one bit per byte: lane 0 is lowest, and inside a unit the
    first byte of its byte order. ``user``, ``id`` and ``dest`` exist if they have a width. ``marks``: a flag ``mark``
    marks the beat of an added byte order mark, which keeps no byte. ``flags``: widths of further flags, by
    name."""
    return stream.Signature(data.StructLayout(
        {"data": data.ArrayLayout(8 * unit_bytes, lanes), "keep": unit_bytes * lanes, "last": 1}
        | sidebands.carried | ({"mark": 1} if marks else {}) | {**flags}
    ))


def output_beat(lanes: int, lane: ShapeLike, sidebands: Sidebands = _DEFAULT,
                end: data.StructLayout | None = None) -> stream.Signature:
    """A stream of beats of ``lanes`` items of shape ``lane``. ``keep`` has one bit per lane, lane 0 lowest; a lane that
    is not kept is zero. ``end``: the fields of a packet's last beat, by default :func:`end_layout`. ``id`` and ``dest``
    exist if they have a width. With records, ``marks`` has two record flags per lane: it ends a record, that record is
    ill-formed. Where the flags leave with the items, `flagged`, they are part of each."""
    return stream.Signature(data.StructLayout(
        {"data": data.ArrayLayout(lane, lanes), "keep": lanes, "last": 1,
         "report": end_layout(sidebands) if end is None else end}
        | sidebands.tags
        | ({} if sidebands.records is None or isinstance(lane, data.StructLayout) else {"marks": MARKS * lanes})
    ))


def flagged(width: int) -> data.StructLayout:
    """An item of ``width`` bits with its record flags: ``ends``: it is a record's delimiter; ``bad``: that record is
    ill-formed."""
    return data.StructLayout({"item": width, "ends": 1, "bad": 1})
