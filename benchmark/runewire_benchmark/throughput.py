"""Throughput of a core: bytes per cycle from the cycle model, and bytes a second at an entry's clock."""

from collections.abc import Iterable, Sequence

from runewire_model.packet_beats import beats_on_the_way
from runewire_model.timeline import beats, most_waits
from runewire_model.transcoder import TranscoderParameters

from .datasheet import Entry


def bytes_per_cycle(parameters: TranscoderParameters, packets: Sequence[int]) -> float:
    """Input bytes per cycle for packets of these lengths, without pauses between them.

    Lengths are in bytes of the core's input. The constant latency of the first packet is left out: it is the same for a
    byte and for a gigabyte. An added mark takes one cycle per packet. A packet that may stall a compact core counts as
    one that does.
    """
    marks = (len(packets) if parameters.mark else 0) + most_waits(parameters, packets)
    return sum(packets) / (beats(parameters, packets) + marks) if packets else 0.0


def bytes_per_cycle_of(parameters: TranscoderParameters, packet: bytes) -> float:
    """Input bytes per cycle for a long packet, in a core whose beats depend on the bytes, for example a filter."""
    return len(packet) / cycles_of(parameters, [packet])


def cycles_of(parameters: TranscoderParameters, packets: Iterable[bytes]) -> int:
    """Cycles of packets in a core whose beats depend on the bytes.

    The part of the core with the most beats decides, as each takes one per cycle. Its latency is left out.
    """
    parts = [[len(beats) for beats in beats_on_the_way(parameters, packet)] for packet in packets]
    return max(map(sum, zip(*parts, strict=True)))


def counted_in(parameters: TranscoderParameters) -> str:
    """The encoding whose bytes a core's rates count: UTF-8 if it is on either side, otherwise the source."""
    return "utf-8" if "utf-8" in (parameters.source, parameters.target) else parameters.source


def gigabytes_per_second(entry: Entry, read: Sequence[int], counted: Sequence[int]) -> float:
    """10^9 bytes a second of `entry`'s core. ``read``: lengths of its input packets. ``counted``: their counted
    bytes."""
    cycles = beats(entry.parameters, read) + most_waits(entry.parameters, read)
    return sum(counted) / cycles * entry.clock_mhz / 1000
