"""Every encoding to every other, in order: what a soak by pairs sends through which core.

Each core gets packets biased to the edges of its source, and then every scalar that both encodings have. The scalars
are cut into packets alike for all pairs: so what one core sends is what the core of the opposite direction takes in,
and where both agree with CPython's codecs, each scalar goes through and back.
"""

from collections.abc import Iterator
from itertools import product
from random import Random

from runewire_model import (
    ENCODINGS,
    DecoderParameters,
    EncoderParameters,
    Encoding,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
)

from .stalls import Stalls
from .stimuli import random_packets, troublemakers

__all__ = ["LANES", "WIDE", "pair_packets", "pair_stalls", "pairs", "scalar_packets"]

LANES = (1, 2, 4, 8)
"""Widths of the cores, in units."""
WIDE = (
    *(TranscoderParameters("utf-8", "utf-16le", lanes) for lanes in (16, 32, 64)),
    *(TranscoderParameters("utf-16le", "utf-8", lanes) for lanes in (16, 32)),
    TranscoderParameters("utf-16le", "utf-32le", 16),
    TranscoderParameters("latin-1", "utf-8", 32),
    TranscoderParameters("utf-16le", None, 32),
    TranscoderParameters("utf-32le", None, 16),
    *(SanitizerParameters(lanes, errors="drop") for lanes in (16, 64)),
    EncoderParameters(16),
    *(DecoderParameters(lanes) for lanes in (16, 32, 64)),
    *(ValidatorParameters(lanes) for lanes in (16, 32, 64, 128, 256)),
)
"""The wider cores that the datasheet has clocks of."""
PACKETS = 20_000
"""Random packets of each core."""
TOGETHER = 4096
"""Scalars in a packet."""
SCALARS = (range(0xD800), range(0xE000, 0x110000))


def pairs() -> list[TranscoderParameters]:
    """A core of each pair of encodings and each of the `LANES`, for each encoding one that only checks it, and the
    `WIDE` ones."""
    return [*(TranscoderParameters(source, target, lanes)
              for lanes, source, target in product(LANES, ENCODINGS, (*ENCODINGS, None))), *WIDE]


def scalar_packets(source: Encoding, target: Encoding) -> Iterator[bytes]:
    """Every scalar that both encodings have, once, in packets of the source."""
    last = min(source.greatest, target.greatest)
    for scalars in SCALARS:
        for start in range(scalars.start, min(scalars.stop, last + 1), TOGETHER):
            stop = min(start + TOGETHER, scalars.stop, last + 1)
            yield "".join(map(chr, range(start, stop))).encode(source.name)


def pair_packets(
    parameters: TranscoderParameters, seed: int, count: int = PACKETS, scalars: bool = True,
) -> list[bytes]:
    """What goes through a core: packets that broke other decoders, ``count`` random ones and, with ``scalars``, every
    scalar."""
    reads = parameters.reads
    return [*troublemakers(reads).values(), *reads.wrong, *random_packets(parameters, count, seed),
            *(scalar_packets(reads, parameters.writes) if scalars else ())]


def pair_stalls(parameters: TranscoderParameters, seed: int) -> Stalls:
    """The stalls of that, by ``seed``: the same on both sides, as `runewire simulate` has them."""
    random = Random(f"pair {seed} {parameters!r}")
    probability = random.choice((0.05, 0.2, 0.3))
    return Stalls(probability, probability, random.getrandbits(32))
