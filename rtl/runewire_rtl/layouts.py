"""Shapes of what travels on the cores' streams: beats of lanes, and the report of a packet's first error."""

from __future__ import annotations

from amaranth.hdl import ShapeLike
from amaranth.lib import data, enum, stream
from runewire_model import ErrorKind

__all__ = ["KIND_WIDTH", "OFFSET_WIDTH", "REPORT", "Kind", "input_beat", "output_beat"]

OFFSET_WIDTH = 32
"""Width of the first error's offset: offsets count modulo 2**32."""

KIND_WIDTH = 3


class Kind(enum.Enum, shape=KIND_WIDTH):
    """The kind of a packet's first error as hardware reports it: the model's numbers, and 0 for none."""

    NONE = 0
    HEADER_BITS = ErrorKind.HEADER_BITS.value
    TOO_SHORT = ErrorKind.TOO_SHORT.value
    TOO_LONG = ErrorKind.TOO_LONG.value
    OVERLONG = ErrorKind.OVERLONG.value
    TOO_LARGE = ErrorKind.TOO_LARGE.value
    SURROGATE = ErrorKind.SURROGATE.value


REPORT = data.StructLayout({"offset": OFFSET_WIDTH, "kind": KIND_WIDTH, "error": 1})
"""The report of a packet, on its last beat: where its first error begins, of which kind, and whether there
is one. All zero without an error, and on every other beat. As bits it is the AXI port's ``tuser``."""


def input_beat(lanes: int, unit_bytes: int) -> stream.Signature:
    """A stream of beats of ``lanes`` units; ``keep`` has a bit per byte, those of lane 0 first, and of each unit
    that of the byte that comes first lowest."""
    return stream.Signature(
        data.StructLayout({"data": data.ArrayLayout(8 * unit_bytes, lanes), "keep": unit_bytes * lanes, "last": 1})
    )


def output_beat(lanes: int, lane: ShapeLike) -> stream.Signature:
    """A stream of beats of ``lanes`` items of shape ``lane``; ``keep`` has a bit per lane, lane 0 first. With the
    packet's :data:`REPORT`; a lane that is not kept is zero."""
    return stream.Signature(
        data.StructLayout(
            {"data": data.ArrayLayout(lane, lanes), "keep": lanes, "last": 1, "report": REPORT}
        )
    )
