"""Packets that find faults: random ones biased to edges of the grammar, and some that broke other decoders."""

from collections.abc import Iterable, Iterator
from random import Random

from runewire_model import ENCODINGS, Encoding, TranscoderParameters

EDGE_SCALARS = (
    0x0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFE,
    0xFFFF, 0x10000, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF,
)
"""The first and last scalar of every row of the grammar, and U+FEFF, U+FFFD, U+FFFE."""


def coded(encoding: Encoding, scalars: Iterable[int]) -> bytes:
    """The scalars that the encoding has."""
    return encoding.encode([scalar for scalar in scalars if scalar <= encoding.greatest])


def troublemakers(encoding: Encoding) -> dict[str, bytes]:
    """Packets that some decoder got wrong, by name; packets of other encodings are transcoded."""
    return {
        name: packet if each.name == encoding.name else coded(encoding, each.decode(packet))
        for each in ENCODINGS.values() for name, packet in each.troublemakers.items()
    }


def damaged(encoding: Encoding, text: bytes, rate: float, random: Random) -> bytes:
    """Text with ``rate`` of its units, at random, replaced by edge units of the encoding."""
    units = encoding.unpack(text)
    for _ in range(round(len(units) * rate)):
        units[random.randrange(len(units))] = random.choice(encoding.edges)
    return encoding.pack(units)


def random_packets(parameters: TranscoderParameters, count: int, seed: int, longest: int = 100) -> Iterator[bytes]:
    """``count`` packets of up to ``longest`` units or characters, by ``seed``.

    Well-formed text, damaged text, runs of edge units and noise; many are empty, or end at a beat's boundary. Where
    units are wider than a byte, some end inside a unit. BOM-ordered ones are in any byte order, with the right mark,
    the wrong one, or none. Packets for a core that splits or filters have delimiters.
    """
    random = Random(f"{seed} {parameters.core}")
    encoding, lanes = parameters.reads, parameters.lanes
    sizes = [0, 1, 2, 3, lanes - 1, lanes, lanes + 1, 2 * lanes, 3 * lanes]
    for _ in range(count):
        size = min(random.choice([*sizes, random.randrange(longest + 1)]), longest)
        packet = _packet(random, random.choice(encoding.orders), size) if encoding.orders[1:] \
            else _packet(random, encoding, size)
        if encoding.orders[1:] and random.random() < 0.7:
            packet = random.choice(encoding.byte_order_marks) + packet
        if encoding.unit_bytes > 1 and packet and random.random() < 0.1:
            packet = packet[: -random.randrange(1, encoding.unit_bytes)]
        side = parameters.sidebands
        delimiter = side.filter if side.split is None else side.split
        yield packet if delimiter is None else with_records(random, packet, parameters.input_bytes, bytes([delimiter]))


def with_records(random: Random, packet: bytes, lanes: int, delimiter: bytes) -> bytes:
    """The packet with delimiters: none, few, or many, and some at the borders of beats."""
    rate = random.choice((0.0, 0.03, 0.3, 0.7))
    edge = random.choice((0, lanes - 1, None))
    return b"".join(delimiter if random.random() < rate or (at % lanes == edge and random.random() < 0.3)
                    else packet[at : at + 1] for at in range(len(packet)))


def _packet(random: Random, encoding: Encoding, size: int) -> bytes:
    kind = random.randrange(10)
    if kind < 3:
        return encoding.pack(random.choices(encoding.edges, k=size))
    if kind < 4:
        return random.randbytes(encoding.unit_bytes * size)
    scalars = random.choices(EDGE_SCALARS, k=size) if kind < 7 else [_scalar(random) for _ in range(size)]
    text = encoding.unpack(coded(encoding, scalars))
    if kind in (5, 6, 8, 9):
        return encoding.pack(text)
    for _ in range(random.randrange(4)):
        if text:
            text[random.randrange(len(text))] = random.choice(encoding.edges)
    return encoding.pack(text[: random.randrange(len(text) + 1)])


def _scalar(random: Random) -> int:
    """A scalar whose length in UTF-8 is one to four with even chances."""
    low, high = random.choice(((0x0, 0x7F), (0x80, 0x7FF), (0x800, 0xFFFF), (0x10000, 0x10FFFF)))
    scalar = random.randint(low, high)
    return scalar if not 0xD800 <= scalar <= 0xDFFF else 0xD7FF
