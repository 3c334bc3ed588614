"""UTF-8 to well-formed UTF-8, fused: one slot a byte. Each byte of a well-formed sequence stays in its own lane."""

from typing import ClassVar

from .base import Encoding, Pair


class Utf8ToUtf8(Pair):
    """The bytes ``E2 82 41`` become ``3F 41`` with the replacement ``?``, in the lanes of ``82`` and ``41``.

    The pair is fused if ill-formed input is dropped or becomes one byte. U+FFFD takes three.
    """

    slots: ClassVar[int] = 1
    takes_a_byte: ClassVar[bool] = True

    def serves(self, errors: str, replacement: int | None) -> bool:
        return errors == "drop" or replacement is not None

    def made(self, source: Encoding, data: bytes, errors: str, bom: str) -> bytes:
        marks = bytearray(source.ends(data, errors, bom))
        scalars = iter(source.decode(data, "drop", bom))
        for at, whole in enumerate(source.ends(data, "drop", bom)):
            if whole:
                before = len(source.encode([next(scalars)])) - 1
                marks[at - before : at] = b"\1" * before
        return bytes(marks)
