"""Packets that say which flow's text they belong to, and whether that continues."""

from __future__ import annotations

from typing import Self


class Segment(bytes):
    """The bytes of a packet of a core with flows: ``flow`` is its ``tid``, ``more`` its bit of ``tuser``.

    A packet of plain bytes has random values of both, by its number.
    """

    flow: int
    more: bool

    def __new__(cls, data: bytes, flow: int = 0, more: bool = False) -> Self:
        made = super().__new__(cls, data)
        made.flow, made.more = flow, more
        return made

    @property
    def word(self) -> int:
        """Flow and ``more`` as the simulators get them; 0 is a packet of plain bytes."""
        return self.flow << 2 | self.more << 1 | 1

    @classmethod
    def of(cls, data: bytes, word: int) -> bytes:
        """The packet with that `word`."""
        return cls(data, word >> 2, bool(word >> 1 & 1)) if word else data


def like(packet: bytes, data: bytes) -> bytes:
    """The ``data`` as a packet of the same flow and ``more`` as the ``packet``, if that is a segment."""
    return Segment(data, packet.flow, packet.more) if isinstance(packet, Segment) else data


def hex_packet(packet: bytes) -> str:
    """The packet as `runewire simulate` reads it: in hex, a segment as ``FLOW:HEX`` or ``FLOW:HEX+``."""
    if not isinstance(packet, Segment):
        return packet.hex()
    return f"{packet.flow}:{packet.hex()}{'+' * packet.more}"
