"""Latin-1 (ISO 8859-1): a byte is the scalar of the same number; nothing is ill-formed."""

from collections.abc import Sequence
from typing import ClassVar

from ..errors import FirstError, check_bytes
from .base import Encoding, Rule, check_text


class Latin1(Encoding):
    """Latin-1."""

    name: ClassVar[str] = "latin-1"
    title: ClassVar[str] = "Latin-1"
    unit_bytes: ClassVar[int] = 1
    unit: ClassVar[str] = "byte"
    most_units: ClassVar[int] = 1
    greatest: ClassVar[int] = 0xFF
    rules: ClassVar[tuple[Rule, ...]] = (Rule("00..7F", (range(0x80),)), Rule("80..FF", (range(0x80, 0x100),)))
    edges: ClassVar[tuple[int, ...]] = (0x00, 0x41, 0x7F, 0x80, 0x9F, 0xA0, 0xBF, 0xC0, 0xC3, 0xFE, 0xFF)
    wrong: ClassVar[tuple[bytes, ...]] = ()

    def decode(self, data: bytes, errors: str = "replace", bom: str = "keep") -> list[int]:
        check_text(data, errors, bom)
        return list(data)

    def encode(self, scalars: Sequence[int]) -> bytes:
        return bytes(scalars)

    def first_error(self, data: bytes) -> FirstError | None:
        check_bytes("data", data)
        return None

    def ends(self, data: bytes, errors: str = "replace", bom: str = "keep") -> bytes:
        check_text(data, errors, bom)
        return b"\1" * len(data)

    def cut(self, data: bytes | bytearray | memoryview, near: int) -> int:
        return near
