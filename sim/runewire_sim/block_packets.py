"""Packets made of blocks of text that are repeated in random orders, and so in other lanes.

The golden model is slower per byte than the simulator, but computes each block only once.
"""

from collections.abc import Iterator, Sequence
from random import Random

from runewire_model import Encoding


class BlockPacket(bytes):
    """A packet with places where it may be cut: the parts decode separately, in the packet's byte order.

    No sequence and no ill-formed subpart lies across a cut.
    """

    cuts: Sequence[int] = ()
    """Offsets of the cuts in bytes, ascending, without the packet's start and end."""


def blocks(encoding: Encoding, content: bytes, random: Random, longest: int) -> list[bytes]:
    """The content cut anywhere into blocks of 1 to ``longest`` units.

    Each block begins with an added ASCII character, so that it does not continue a sequence of the block before it.
    """
    found, start = [], 0
    while start < len(content):
        stop = start + encoding.unit_bytes * random.randint(1, longest)
        found.append(encoding.encode([random.randrange(0x80)]) + content[start:stop])
        start = stop
    return found


def weave(encoding: Encoding, found: Sequence[bytes], random: Random, size: int, longest: int,
          always: bool) -> Iterator[BlockPacket]:
    """Packets of 0 to ``longest`` units made of random blocks, together ``size`` bytes at most.

    A packet begins and ends inside a block. The encoding's byte order mark, if there is one, comes first ``always``, or
    in a tenth of the packets.
    """
    unit = encoding.unit_bytes
    mark = b"".join(encoding.byte_order_marks[:1])
    usual = sum(map(len, found)) // len(found)
    while size >= unit:
        wanted = unit * min(random.randint(0, longest), size // unit)
        first = random.choice(found)
        parts = [mark if always or random.random() < 0.1 else b"", first[unit * random.randrange(len(first) // unit) :]]
        length = sum(map(len, parts))
        cuts = []
        while length < wanted:
            for block in random.choices(found, k=1 + (wanted - length) // usual):
                cuts.append(length)
                parts.append(block)
                length += len(block)
        packet = BlockPacket(b"".join(parts)[:wanted])
        packet.cuts = [cut for cut in cuts if cut < wanted]
        yield packet
        # An empty packet takes a beat too.
        size -= max(len(packet), unit)
