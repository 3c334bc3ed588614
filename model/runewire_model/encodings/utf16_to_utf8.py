"""UTF-16 to UTF-8, fused: three bytes a unit. Each surrogate of a pair has two of the pair's four bytes in its lane."""

from typing import ClassVar

from .base import Encoding, Pair


class Utf16ToUtf8(Pair):
    """The pair ``D83D DE00`` becomes ``F0 9F 98 80``: ``F0 9F`` depend on the high surrogate alone and are in its
    lane."""

    slots: ClassVar[int] = 3

    def made(self, source: Encoding, data: bytes, errors: str, bom: str) -> bytes:
        sizes = bytearray(source.ends(data, errors, bom))
        scalars = iter(source.decode(data, errors, bom))
        for at, end in enumerate(bytes(sizes)):
            if end:
                scalar = next(scalars)
                sizes[at] = 1 + (scalar > 0x7F) + (scalar > 0x7FF)
                if scalar > 0xFFFF:
                    sizes[at - 1] = sizes[at] = 2
        return bytes(sizes)
