"""UTF-8 to UTF-16, fused: one slot a byte. A high surrogate is in the lane of its sequence's third byte."""

from typing import ClassVar

from .base import Encoding, Pair


class Utf8ToUtf16(Pair):
    """The sequence ``F0 9F 98 80`` becomes the pair ``D83D DE00``, in the lanes of ``98`` and ``80``."""

    slots: ClassVar[int] = 1

    def made(self, source: Encoding, data: bytes, errors: str, bom: str) -> bytes:
        marks = bytearray(source.ends(data, errors, bom))
        scalars = iter(source.decode(data, errors, bom))
        for at, end in enumerate(bytes(marks)):
            if end and next(scalars) > 0xFFFF:
                marks[at - 1] = 1
        return bytes(marks)
