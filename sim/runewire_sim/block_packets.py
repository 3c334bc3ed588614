"""Packets of a few blocks of text that come again and again in other orders, and so in other lanes.

The golden model takes longer for a byte than the simulator, but need answer each block only once.
"""

from collections.abc import Iterator, Sequence
from random import Random

from runewire_model import Encoding

__all__ = ["Woven", "blocks", "weave"]


class Woven(bytes):
    """A packet that may be cut in parts which are decoded apart, each in the byte order of the whole.

    No sequence and no ill-formed subpart lies across a cut.
    """

    cuts: Sequence[int] = ()
    """Where, in bytes, ascending; neither its start nor its end."""


def blocks(encoding: Encoding, content: bytes, random: Random, longest: int) -> list[bytes]:
    """The content cut in blocks of 1 to ``longest`` units, anywhere, each after an ASCII character: no block goes on
    with what is before it."""
    found, start = [], 0
    while start < len(content):
        stop = start + encoding.unit_bytes * random.randint(1, longest)
        found.append(encoding.encode([random.randrange(0x80)]) + content[start:stop])
        start = stop
    return found


def weave(encoding: Encoding, found: Sequence[bytes], random: Random, size: int, longest: int,
          always: bool) -> Iterator[Woven]:
    """Packets of 0 to ``longest`` units, together ``size`` bytes at most, of blocks drawn at random.

    A packet begins and ends amid a block. It begins with the byte order mark of the encoding, where that has one:
    ``always``, or now and then.
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
        packet = Woven(b"".join(parts)[:wanted])
        packet.cuts = [cut for cut in cuts if cut < wanted]
        yield packet
        # An empty packet takes a beat too.
        size -= max(len(packet), unit)
