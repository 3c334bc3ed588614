"""How many bytes per cycle a core takes, from the cycle model, and what that is at an entry's clock."""

from collections.abc import Sequence

from runewire_model.timeline import beats
from runewire_model.transcoder import TranscoderParameters

from .datasheet import Entry


def bytes_per_cycle(parameters: TranscoderParameters, packets: Sequence[int]) -> float:
    """Bytes of input a cycle for packets of these lengths, one straight after the other.

    Lengths are in bytes of the core's input. The constant latency of the
    first packet is left out, as it is the same for a byte and for a gigabyte. A mark that
    is added takes a cycle per packet.
    """
    marks = len(packets) if parameters.mark else 0
    return sum(packets) / (beats(parameters, packets) + marks) if packets else 0.0


def utf8_gigabytes_per_second(entry: Entry, utf8: Sequence[int], scalars: Sequence[int]) -> float:
    """UTF-8 that `entry`'s core moves, in 10^9 bytes a second, for packets of these many bytes and scalars.

    UTF-8 is what the validator and the decoder take in, and what the encoder gives out.
    """
    if entry.parameters.source != "utf-8":
        cycles = 4 * sum(scalars) / bytes_per_cycle(entry.parameters, [4 * count for count in scalars])
        return sum(utf8) / cycles * entry.clock_mhz / 1000
    return bytes_per_cycle(entry.parameters, utf8) * entry.clock_mhz / 1000
