"""The traps of UTF-16, in either byte order."""

from collections.abc import Iterator

from ..encodings import Encoding
from .trap import PACKET_BORDER, Trap, offsets

PAIRS = "Unicode, D91"
WHATWG = "WHATWG Encoding, shared UTF-16 decoder"
BOUNDS = (0x00, 0x7F, 0x80, 0xFF, 0x100, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x103FF,
          0x10400, 0xFFFFF, 0x100000, 0x10FFFF)
"""Scalars at the ends of the ranges of units, and of bytes of units."""


def utf16_traps(encoding: Encoding) -> Iterator[Trap]:
    """All traps of UTF-16 in the byte order of ``encoding``, the simple ones first."""
    def packets(*units: str, rest: str = "") -> dict[str, bytes]:
        """Packets of units in hex, named after them. ``rest``: the first byte of one more unit, in hex."""
        return {"-".join([*each.split(), *rest.split()]):
                encoding.pack([int(unit, 16) for unit in each.split()]) + bytes.fromhex(rest) for each in units}

    yield Trap("bounds", "code points at the ends of ranges", "A range in the decoder is one too small.", PAIRS,
               {f"{scalar:04X}": encoding.encode([scalar]) for scalar in BOUNDS})
    yield Trap("null", "U+0000 in the text", "U+0000 ends the text, or is refused.", PAIRS,
               packets("0000", "0041 0000 0042"))
    yield Trap("byte-order-mark", "U+FEFF and U+FFFE at the start and in the middle",
               "The mark disappears where it is text, or swaps the bytes although the encoding's name fixes the order.",
               "Unicode, D96 to D98", packets("FEFF 0041", "0041 FEFF 0042", "FFFE 4100", "FEFF FEFF"))
    yield Trap("lone-high", "a high surrogate without a low one", "It passes, or swallows the next unit.",
               f"{PAIRS}; {WHATWG}",
               packets("D800 0041", "DBFF 0041", "0041 D83D 0042", "D83D 20AC", "D800 E000", "DBFF D7FF"))
    yield Trap("lone-low", "a low surrogate without a high one before it", "It passes.", f"{PAIRS}; {WHATWG}",
               packets("DC00", "DFFF 0041", "0041 DE00 0042", "D83D DE00 DE00"))
    yield Trap("swapped-pair", "a low surrogate, then a high one", "The pair is put right or passes.",
               f"{PAIRS}; {WHATWG}", packets("DE00 D83D 0041", "DC00 D800 DC00"))
    yield Trap("two-highs", "a high surrogate before a pair", "The pair is torn: its high surrogate is lost too.",
               WHATWG, packets("D83D D83D DE00", "D800 D800 0041", "D83D D83D D83D DE00 0041"))
    cut = packets("D83D", "0041 D800", "DBFF")
    yield Trap("truncated-at-end", "a pair that the end of the text cuts short", "The rest is forgotten.", WHATWG, cut)
    inside = {**packets("", "0041", "D83D", "0041 D83D", rest="41"), **packets("0041", rest="D8")}
    yield Trap("truncated-unit", "a text that ends inside a unit",
               "The odd byte is forgotten, or read as a unit with a byte from elsewhere.", WHATWG, inside)
    yield Trap("empty", "a packet without bytes", "It hangs, or merges with its neighbour.", "AXI4-Stream, null bytes",
               {"empty": b""})
    yield Trap(PACKET_BORDER, "a text after one that was cut short or ill-formed",
               "State outlives its packet: a cut pair is completed by the next packet.", WHATWG,
               {"bad": encoding.pack([0xDC00]), "good-after": encoding.pack([0x41])})
    errors = {"low": [0xDC00], "high": [0xD800, 0x41], "cut": [0xD83D]}
    yield Trap("lane-borders", "errors in each lane, and across each border of beats",
               "A lane lacks a check, or the offset is wrong there.", PAIRS,
               {f"{name}-at-{offset}": encoding.pack([0x61] * offset + error)
                for name, error in errors.items() for offset in offsets(2)})
    yield Trap("character-borders", "pairs that begin in each lane and cross each border of beats",
               "A pair that two beats share is torn.", PAIRS,
               {f"after-{before}": encoding.encode([0x61] * before + [0x1F600] * 70) for before in range(2)})
