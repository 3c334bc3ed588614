"""How many bytes per cycle a core takes, from the cycle model, and what that is at an entry's clock."""

from collections.abc import Sequence

from runewire_model.timeline import beats, most_waits
from runewire_model.transcoder import TranscoderParameters

from .datasheet import Entry


def bytes_per_cycle(parameters: TranscoderParameters, packets: Sequence[int]) -> float:
    """Bytes of input a cycle for packets of these lengths, one straight after the other.

    Lengths are in bytes of the core's input. The constant latency of the
    first packet is left out, as it is the same for a byte and for a gigabyte. A mark that
    is added takes a cycle per packet. Packets for which a compact core may wait are taken for such.
    """
    marks = (len(packets) if parameters.mark else 0) + most_waits(parameters, packets)
    return sum(packets) / (beats(parameters, packets) + marks) if packets else 0.0


def counted_in(parameters: TranscoderParameters) -> str:
    """The encoding whose bytes rates of a core are counted in: UTF-8 where it is on either side, else what is read."""
    return "utf-8" if "utf-8" in (parameters.source, parameters.target) else parameters.source


def gigabytes_per_second(entry: Entry, read: Sequence[int], counted: Sequence[int]) -> float:
    """10^9 bytes a second of `entry`'s core: of packets of these many bytes ``read``, those that are ``counted``."""
    cycles = beats(entry.parameters, read) + most_waits(entry.parameters, read)
    return sum(counted) / cycles * entry.clock_mhz / 1000
