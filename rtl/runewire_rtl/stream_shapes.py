"""Shapes of what travels on the cores' streams: beats of lanes, and the report of a packet's first error."""

from __future__ import annotations

from amaranth.hdl import ShapeLike
from amaranth.lib import data, enum, stream
from runewire_model import ErrorKind
from runewire_model.report import KIND_WIDTH, MARKS, Sidebands

__all__ = ["KIND_WIDTH", "OFFSET_WIDTH", "Kind", "end_layout", "input_beat", "output_beat", "report_beat"]

OFFSET_WIDTH = Sidebands().offset_bits
"""Width of the first error's offset where nothing else is asked for. What does not fit reads as all ones."""

_DEFAULT = Sidebands()


class Kind(enum.Enum, shape=KIND_WIDTH):
    """The kind of a packet's first error as hardware reports it: the model's numbers, and 0 for none."""

    NONE = 0
    HEADER_BITS = ErrorKind.HEADER_BITS.value
    TOO_SHORT = ErrorKind.TOO_SHORT.value
    TOO_LONG = ErrorKind.TOO_LONG.value
    OVERLONG = ErrorKind.OVERLONG.value
    TOO_LARGE = ErrorKind.TOO_LARGE.value
    SURROGATE = ErrorKind.SURROGATE.value


def end_layout(sidebands: Sidebands) -> data.StructLayout:
    """What is told of a packet at its end, on its last beat and zero on every other: the fields of its report, the
    first error's and the counters, and the ``user`` bits that came in."""
    user = {"user": sidebands.user} if sidebands.user else {}
    return data.StructLayout({field.name: field.width for field in sidebands.told} | user)


def report_beat(sidebands: Sidebands) -> stream.Signature:
    """A stream of reports, one for each packet."""
    return stream.Signature(data.StructLayout({field.name: field.width for field in sidebands.told}))


def input_beat(
    lanes: int, unit_bytes: int, sidebands: Sidebands = _DEFAULT, *, marks: bool = False
) -> stream.Signature:
    """A stream of beats of ``lanes`` units; ``keep`` has a bit per byte, those of lane 0 first, and of each unit
    that of the byte that comes first lowest. With ``user``, ``id`` and ``dest`` where they have a width. ``marks``: a
    beat with ``mark`` set is that of a mark before a packet, and keeps nothing."""
    return stream.Signature(data.StructLayout(
        {"data": data.ArrayLayout(8 * unit_bytes, lanes), "keep": unit_bytes * lanes, "last": 1}
        | sidebands.carried | ({"mark": 1} if marks else {})
    ))


def output_beat(lanes: int, lane: ShapeLike, sidebands: Sidebands = _DEFAULT,
                end: data.StructLayout | None = None) -> stream.Signature:
    """A stream of beats of ``lanes`` items of shape ``lane``; ``keep`` has a bit per lane, lane 0 first. With the
    packet's ``end``, by default :func:`end_layout`; a lane that is not kept is zero. With ``id`` and ``dest`` where
    they have a width, and with two bits a lane, ``marks``, where there are records: the lane ends one, that one is
    ill-formed."""
    return stream.Signature(data.StructLayout(
        {"data": data.ArrayLayout(lane, lanes), "keep": lanes, "last": 1,
         "report": end_layout(sidebands) if end is None else end}
        | sidebands.tags
        | ({"marks": MARKS * lanes} if sidebands.records is not None else {})
    ))
