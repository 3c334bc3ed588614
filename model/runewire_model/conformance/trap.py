"""A trap: a mistake that decoders make, and the packets that show it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Trap:
    """``name``: short, for files and tables. ``title``: what the packets have in common. ``mistake``: what a decoder
    that fails does, as a rule. ``source``: the paragraph of a standard, or the report, that the trap is from.
    ``packets``: the packets by their names, in order."""

    name: str
    title: str
    mistake: str
    source: str
    packets: Mapping[str, bytes]


PACKET_BORDER = "packet-border"
"""The trap of state that outlives its packet. Its packets follow those that end inside a character."""


def by_bytes(*packets: str | bytes) -> dict[str, bytes]:
    """The packets, in hex or as bytes, each named after its bytes: ``E2-82``."""
    made = [bytes.fromhex(packet) if isinstance(packet, str) else packet for packet in packets]
    return {packet.hex("-").upper() or "empty": packet for packet in made}


def offsets(unit_bytes: int = 1) -> Iterable[int]:
    """Numbers of units before an error, so that it meets each lane, and the border of beats, of cores up to 256 bytes
    wide."""
    borders = [beat // unit_bytes for beat in (64, 128, 192, 256)]
    return sorted({*range(borders[0] + 1),
                   *(max(0, border + step) for border in borders for step in range(-3, 3))})
