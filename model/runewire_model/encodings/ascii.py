"""ASCII (ANSI X3.4, RFC 20): a byte below 80 is the scalar of the same number; every other byte is ill-formed."""

import re
from collections.abc import Sequence
from typing import ClassVar

from ..errors import ErrorKind, FirstError, check_bytes
from ..scalars import REPLACEMENT
from .base import Encoding, Rule, check_text

BEYOND = re.compile(b"[\\x80-\\xFF]")


class Ascii(Encoding):
    """ASCII. A byte of 80 or above is TOO_LARGE, as in simdutf's ``validate_ascii_with_errors``."""

    name: ClassVar[str] = "ascii"
    title: ClassVar[str] = "ASCII"
    unit_bytes: ClassVar[int] = 1
    unit: ClassVar[str] = "byte"
    most_units: ClassVar[int] = 1
    greatest: ClassVar[int] = 0x7F
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("00..7F", (range(0x80),)), Rule("80..FF (too large)", (range(0x80, 0x100),), "too large"))
    edges: ClassVar[tuple[int, ...]] = (0x00, 0x41, 0x7F, 0x80, 0xBF, 0xC3, 0xFF)
    wrong: ClassVar[tuple[bytes, ...]] = (b"\x80", b"\xA9", b"\xC3", b"\xFF")

    def decode(self, data: bytes, errors: str = "replace", bom: str = "keep") -> list[int]:
        check_text(data, errors, bom)
        if errors == "drop":
            return list(BEYOND.sub(b"", data))
        return [byte if byte < 0x80 else REPLACEMENT for byte in data]

    def encode(self, scalars: Sequence[int]) -> bytes:
        return bytes(scalars)

    def first_error(self, data: bytes) -> FirstError | None:
        check_bytes("data", data)
        found = BEYOND.search(data)
        return found and FirstError(ErrorKind.TOO_LARGE, found.start())

    def ends(self, data: bytes, errors: str = "replace", bom: str = "keep") -> bytes:
        check_text(data, errors, bom)
        return bytes(byte < 0x80 for byte in data) if errors == "drop" else b"\1" * len(data)

    def cut(self, data: bytes | bytearray | memoryview, near: int) -> int:
        return near
