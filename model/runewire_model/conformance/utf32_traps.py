"""The traps of UTF-32, in either byte order."""

from collections.abc import Iterator

from ..encodings import Encoding
from .trap import PACKET_BORDER, Trap, offsets

VALUES = "Unicode, D90"
BOUNDS = (0x00, 0x7F, 0x80, 0xFFFF, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFE, 0x10000, 0xFFFFF, 0x100000, 0x10FFFF)


def utf32_traps(encoding: Encoding) -> Iterator[Trap]:
    """All traps of UTF-32 in the byte order of ``encoding``, the simple ones first."""
    def packets(*texts: tuple[int, ...]) -> dict[str, bytes]:
        return {"-".join(f"{unit:X}" for unit in text): encoding.pack(text) for text in texts}

    yield Trap("bounds", "code points at the ends of ranges", "A range in the decoder is one too small.", VALUES,
               packets(*((scalar,) for scalar in BOUNDS)))
    yield Trap("null", "U+0000 in the text", "U+0000 ends the text, or is refused.", VALUES,
               packets((0x41, 0, 0x42)))
    yield Trap("surrogates", "numbers from D800 to DFFF, alone and in pairs", "They pass, or pairs are joined.", VALUES,
               packets((0xD800,), (0xDBFF, 0x41), (0xDC00,), (0xDFFF,), (0xD83D, 0xDE00), (0x41, 0xD800, 0x42)))
    yield Trap("above-10FFFF", "numbers above 10FFFF", "The upper bits are not checked.", VALUES,
               packets((0x110000,), (0x1FFFFF, 0x41), (0x200000,), (0x1000041,), (0x80000041,), (0xFFFFFFFF,)))
    yield Trap("truncated-unit", "a text that ends inside a unit",
               "The last bytes are forgotten, or read as a unit with bytes from elsewhere.", VALUES,
               {f"{size}-bytes": encoding.pack([0x41, 0x20AC])[:size] for size in (1, 2, 3, 5, 6, 7)})
    yield Trap("empty", "a packet without bytes", "It hangs, or merges with its neighbour.", "AXI4-Stream, null bytes",
               {"empty": b""})
    yield Trap(PACKET_BORDER, "a text after one that was cut short or ill-formed", "State outlives its packet.", VALUES,
               {"bad": encoding.pack([0xDC00]), "good-after": encoding.pack([0x41])})
    errors = {"surrogate": [0xD800], "large": [0x110000]}
    yield Trap("lane-borders", "errors in each lane", "A lane lacks a check, or the offset is wrong there.", VALUES,
               {f"{name}-at-{offset}": encoding.pack([0x61] * offset + error)
                for name, error in errors.items() for offset in offsets(4)})
