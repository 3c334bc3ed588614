"""The rounds of a soak: which core each has, and its packets and stalls.

Many rounds go through one core, because a wide one takes long to build. Some cores take turns, so that several
processes build one each.
"""

from dataclasses import dataclass, replace
from random import Random

from runewire_model import TranscoderParameters

from ..all_pairs import pair_packets, pair_stalls, pairs
from ..stalls import Stalls
from .random_cores import random_core
from .traffic import traffic

LEG = 16
"""Rounds with one core: together they take longer than it takes to build."""
ABREAST = 4
"""Cores that take turns."""


@dataclass(frozen=True)
class Round:
    """A round: the packets and stalls of one core."""

    parameters: TranscoderParameters
    packets: list[bytes]
    stalls: Stalls


def round_of(seed: int, number: int) -> Round:
    """Round ``number`` of the soak with that seed: the same on every machine."""
    parameters = core_of(seed, number)
    random = Random(f"round {seed} {number}")
    # `runewire simulate` has one probability for both sides, and must be able to replay this.
    probability = random.choice((0.0, 0.0, 0.05, 0.3, 0.6, round(random.uniform(0.0, 0.95), 3)))
    stalls = Stalls(probability, probability, random.getrandbits(32))
    if parameters.holes:
        stalls = replace(stalls, holes=random.choice((0.0, 0.05, 0.3, 0.8)))
    return Round(parameters, traffic(parameters, random, probability), stalls)


def core_of(seed: int, number: int) -> TranscoderParameters:
    """The core of round ``number`` of the soak with that seed."""
    return random_core(Random(f"core {seed} {core_number(number)}"))


def core_number(number: int) -> int:
    """The number, from 0, of the core of round ``number``."""
    return number // (LEG * ABREAST) * ABREAST + number % ABREAST


def pair_round(seed: int, number: int) -> Round:
    """Round ``number`` of the soak by pairs with that seed: the same on every machine."""
    parameters = pairs()[number]
    return Round(parameters, pair_packets(parameters, seed), pair_stalls(parameters, seed))
