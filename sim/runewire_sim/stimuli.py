"""Packets that find faults: random ones biased to the edges of the grammar, and those that broke others."""

from collections.abc import Iterator
from random import Random
from struct import pack

from runewire_model import EncoderParameters, Parameters

EDGE_BYTES = bytes.fromhex(
    "00 41 7F 80 8F 90 9F A0 BB BF C0 C1 C2 DF E0 E1 EC ED EE EF F0 F1 F3 F4 F5 F7 F8 FF")
"""The first and last byte of every class that the grammar tells apart."""
EDGE_SCALARS = (
    0x0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFE,
    0xFFFF, 0x10000, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF,
)
"""The first and last scalar of every row of the grammar, and U+FEFF, U+FFFD, U+FFFE."""
EDGE_WORDS = (
    *EDGE_SCALARS, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0x110000, 0x10FFFF00, 0x00D80000, 0x80000041, 2**32 - 1)
"""Input of the encoder: those, and numbers that are no scalars or look like one in their low bits."""

REGRESSIONS: dict[str, bytes] = {
    "emoji_before_euro": "😀€".encode(),
    "byte_after_truncated_sequence": bytes.fromhex("C3 41 42"),
    "surrogate": bytes.fromhex("ED A0 80"),
    "overlong_e0": bytes.fromhex("E0 80"),
    "f5_lead": bytes.fromhex("F5 80"),
    "above_10ffff": bytes.fromhex("F4 90 80 80"),
    "lowest_of_e0": bytes.fromhex("E0 A0 80"),
    "emoji_after_cjk": "漢字😀".encode(),
    "two_bytes_cut_at_the_end": bytes.fromhex("41 C3"),
    "three_bytes_cut_at_the_end": bytes.fromhex("41 E2 82"),
    "four_bytes_cut_at_the_end": bytes.fromhex("41 F0 9F 98"),
    "byte_order_mark": b"\xEF\xBB\xBFA",
    "half_a_byte_order_mark": b"\xEF\xBB",
    "two_byte_order_marks": b"\xEF\xBB\xBF\xEF\xBB\xBF",
    "empty": b"",
}
"""UTF-8 that some decoder got wrong, by what it is."""


def random_packets(parameters: Parameters, count: int, seed: int, longest: int = 100) -> Iterator[bytes]:
    """``count`` packets of up to ``longest`` bytes or characters (encoder: scalars), by ``seed``.

    Well-formed text, damaged text, runs of edge bytes and noise; many are empty, or end at a beat's boundary.
    """
    random = Random(f"{seed} {parameters.core}")
    lanes = parameters.lanes
    sizes = [0, 1, 2, 3, lanes - 1, lanes, lanes + 1, 2 * lanes, 3 * lanes]
    for _ in range(count):
        size = min(random.choice([*sizes, random.randrange(longest + 1)]), longest)
        if isinstance(parameters, EncoderParameters):
            yield _words(random, size)
        else:
            yield _octets(random, size)


def _words(random: Random, size: int) -> bytes:
    edge = random.random()
    words = (
        random.choice(EDGE_WORDS) if random.random() < edge
        else random.choice((_scalar(random), random.getrandbits(32)))
        for _ in range(size)
    )
    return pack(f"<{size}I", *words)


def _octets(random: Random, size: int) -> bytes:
    kind = random.randrange(10)
    if kind < 3:
        return bytes(random.choices(EDGE_BYTES, k=size))
    if kind < 4:
        return random.randbytes(size)
    scalars = random.choices(EDGE_SCALARS, k=size) if kind < 7 else [_scalar(random) for _ in range(size)]
    text = bytearray("".join(map(chr, scalars)).encode())
    if kind in (5, 6, 8, 9):
        return bytes(text)
    for _ in range(random.randrange(4)):
        if text:
            text[random.randrange(len(text))] = random.choice(EDGE_BYTES)
    return bytes(text[: random.randrange(len(text) + 1)])


def _scalar(random: Random) -> int:
    """A scalar whose length in UTF-8 is one to four with even chances."""
    low, high = random.choice(((0x0, 0x7F), (0x80, 0x7FF), (0x800, 0xFFFF), (0x10000, 0x10FFFF)))
    scalar = random.randint(low, high)
    return scalar if not 0xD800 <= scalar <= 0xDFFF else 0xD7FF
