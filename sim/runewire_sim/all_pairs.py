"""The cores of a soak by pairs, one for each pair of encodings and each width, and their packets.

Each core gets packets biased to the edges of its source, and then every scalar that both encodings have. All pairs cut
the scalars into the same packets, so the output of one core is the input of the core in the opposite direction. If both
agree with the encodings' oracles, each scalar goes through and back.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from random import Random

from runewire_model import ENCODINGS, Encoding, SanitizerParameters, TranscoderParameters

from .stalls import Stalls
from .stimuli import random_packets, troublemakers

DROPPING = tuple(SanitizerParameters(lanes, errors="drop") for lanes in (16, 64))
"""The datasheet's wide sanitizers: with U+FFFD there are none of more than 16 lanes."""
SOON_RUN = 16
"""Lanes from which a core takes longer to compile than its packets take to run."""
PACKETS = 20_000
"""Random packets of each core."""
TOGETHER = 4096
"""Scalars in a packet."""
SCALARS = (range(0xD800), range(0xE000, 0x110000))


@cache
def pairs() -> Sequence[TranscoderParameters]:
    """The cores: each pair of encodings and the validator of each, in every width that it has, then `DROPPING`.

    Narrow cores come first.
    """
    narrow = [TranscoderParameters(source, target, 1) for source, target in product(ENCODINGS, (*ENCODINGS, None))]
    lanes = [1 << n for n in range(max(core.most_lanes for core in narrow).bit_length())]
    return *(replace(core, lanes=width) for width in lanes for core in narrow if width <= core.most_lanes), *DROPPING


def scalar_packets(source: Encoding, target: Encoding) -> Iterator[bytes]:
    """Every scalar that both encodings have, once, in packets of the source."""
    last = min(source.greatest, target.greatest)
    for scalars in SCALARS:
        for start in range(scalars.start, min(scalars.stop, last + 1), TOGETHER):
            stop = min(start + TOGETHER, scalars.stop, last + 1)
            yield "".join(map(chr, range(start, stop))).encode(source.oracle)


def pair_packets(
    parameters: TranscoderParameters, seed: int, count: int = PACKETS, scalars: bool = True,
) -> list[bytes]:
    """The packets for a core: known troublemakers, ``count`` random ones and, with ``scalars``, every scalar."""
    reads = parameters.reads
    return [*troublemakers(reads).values(), *reads.wrong, *random_packets(parameters, count, seed),
            *(scalar_packets(reads, parameters.writes) if scalars else ())]


def pair_stalls(parameters: TranscoderParameters, seed: int) -> Stalls:
    """The stalls for a core, by ``seed``: one probability for both sides, as in `runewire simulate`."""
    random = Random(f"pair {seed} {parameters!r}")
    probability = random.choice((0.05, 0.2, 0.3))
    return Stalls(probability, probability, random.getrandbits(32))
