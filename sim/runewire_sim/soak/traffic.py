"""Random packets for one round: runs of the grammar's edges, text, or noise."""

from random import Random

from runewire_model import Encoding, TranscoderParameters
from runewire_model.texts import SCRIPTS, generate

from ..block_packets import blocks, weave
from ..stimuli import damaged, random_packets

CYCLES = 20_000_000
"""Cycles of a round, at most."""
BYTES = 512_000_000
"""Bytes of a round, at most; all are in memory."""
LONGEST = 16_000_000
"""Bytes of a packet, at most: a decoder's packet is in memory several times, as code points."""
PACKETS = 4_000
"""Packets of a round, about, at most: a short one takes Python longer than the simulator."""
FAULTS = 400_000
"""Ill-formed subparts of a round, about, at most: one costs CPython as much time as a beat or more the simulator."""
EARLY = 4_000_000
"""Bytes of a round with the early error bit, at most: the golden model decodes them in Python, a few times."""
CONTENT = 1 << 19
"""Bytes of different text: a longer round repeats its blocks in other places."""
BLOCK = 4096
"""Units of a block, at most."""


def traffic(parameters: TranscoderParameters, random: Random, probability: float) -> list[bytes]:
    """Packets for about `CYCLES` cycles, if a stall has this ``probability``; text and noise are cut at random."""
    kind = random.choice(("edges", "text", "text", "text", "noise"))
    seed = random.getrandbits(32)
    if kind == "edges":
        longest = random.choice((8, 40, 4 * parameters.lanes))
        return list(random_packets(parameters, PACKETS, seed, longest))
    beat, unit = parameters.input_bytes, parameters.reads.unit_bytes
    rate = 0.5 if kind == "noise" else random.choice((0.0, 1 / 4096, 1 / 256, 1 / 24))
    size = min(int(CYCLES * (1 - probability)) * beat, BYTES)
    if parameters.sidebands.early:
        size = min(size, EARLY)
    if rate:
        size = min(size, int(FAULTS / rate) * unit)
    most = min(size, LONGEST)
    longest = min(random.choice((2 * beat, 20 * beat, 1500, 1500, 1 << 16, most, most, most)), most)
    # A packet is half of the longest on average.
    size = min(size, PACKETS * longest // 2)
    # In another byte order than the usual one a packet has to begin with the mark.
    usual, order = parameters.reads.orders[0], random.choice(parameters.reads.orders)
    content = min(size, CONTENT)
    text = random.randbytes(content) if kind == "noise" else _text(order, random, rate, content)
    longest //= unit
    found = blocks(order, text, random, min(max(longest // 4, 64), BLOCK))
    return list(weave(order, found, random, size, longest, order is not usual))


def _text(encoding: Encoding, random: Random, rate: float, size: int) -> bytes:
    """About so many bytes of text in one of the scripts, or all, damaged at that rate."""
    script, seed = random.choice(SCRIPTS), random.getrandbits(32)
    text = generate(script, size, seed).decode().encode(encoding.oracle, "ignore")
    return damaged(encoding, text, rate, random)
