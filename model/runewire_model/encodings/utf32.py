"""UTF-32 (Unicode chapter 3, D99 to D101): a scalar is one unit of four bytes; most 32-bit numbers are not scalars."""

from collections.abc import Mapping, Sequence
from struct import pack, unpack_from
from types import MappingProxyType
from typing import ClassVar, Literal

from ..byte_order_mark import mark_of_units
from ..errors import ErrorKind, FirstError, check_bytes
from ..scalars import REPLACEMENT, scalar_error, validate_scalars
from .base import Encoding, Rule, check_text
from .bom_order import BomOrdered

NO_SCALARS = (0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0x110000, 0x10FFFF00, 0x00D80000, 0x80000041, 2**32 - 1)
"""Numbers that are not scalars, some with low bits like a scalar's."""


class Utf32Le(Encoding):
    """UTF-32, least significant byte first."""

    name: ClassVar[str] = "utf-32le"
    title: ClassVar[str] = "UTF-32LE"
    unit_bytes: ClassVar[int] = 4
    unit: ClassVar[str] = "scalar"
    most_units: ClassVar[int] = 1
    byte_order_marks: ClassVar[tuple[bytes, ...]] = (mark_of_units(4, "little"),)
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("0..7F", (range(0x80),)), Rule("80..7FF", (range(0x80, 0x800),)),
        Rule("800..D7FF", (range(0x800, 0xD800),)), Rule("E000..FFFF", (range(0xE000, 0x10000),)),
        Rule("10000..10FFFF", (range(0x10000, 0x110000),)),
        Rule("D800..DFFF (surrogate)", (range(0xD800, 0xE000),), "surrogate"),
        Rule("110000..1FFFFF (too large)", (range(0x110000, 0x200000),), "too large"),
        Rule("200000..FFFFFFFF (too large)", (range(0x200000, 2**32),), "too large"),
        Rule("1 to 3 bytes (too short)", (), "too short", "inside"),
    )
    edges: ClassVar[tuple[int, ...]] = (
        0x0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFE,
        0xFFFF, 0x10000, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF, *NO_SCALARS)
    _order: ClassVar[str] = "<"

    wrong: ClassVar[tuple[bytes, ...]] = tuple(number.to_bytes(4, "little") for number in NO_SCALARS)

    def _numbers(self, data: bytes) -> tuple[int, ...]:
        """The packet's complete units."""
        count = len(data) // 4
        return unpack_from(f"{self._order}{count}I", data)

    def decode(self, data: bytes, errors: str = "replace", bom: str = "keep") -> list[int]:
        check_text(data, errors, bom)
        numbers = self._numbers(data.removeprefix(self.mark(data)) if bom == "strip" else data)
        if errors == "drop":
            return [number for number in numbers if scalar_error(number) is None]
        scalars = [number if scalar_error(number) is None else REPLACEMENT for number in numbers]
        return [*scalars, REPLACEMENT] if len(data) % 4 else scalars

    def encode(self, scalars: Sequence[int]) -> bytes:
        return pack(f"{self._order}{len(scalars)}I", *scalars)

    def first_error(self, data: bytes) -> FirstError | None:
        check_bytes("data", data)
        error = validate_scalars(self._numbers(data))
        if error is None and len(data) % 4:
            return FirstError(ErrorKind.TOO_SHORT, len(data) // 4)
        return error

    def ends(self, data: bytes, errors: str = "replace", bom: str = "keep") -> bytes:
        check_text(data, errors, bom)
        dropped = errors == "drop"
        marks = bytearray(not dropped or scalar_error(number) is None for number in self._numbers(data))
        if len(data) % 4:
            marks.append(not dropped)
        if bom == "strip" and self.mark(data):
            marks[0] = 0
        return bytes(marks)

    def count(self, data: bytes) -> int:
        return self.units(len(data))

    def cut(self, data: bytes | bytearray | memoryview, near: int) -> int:
        return near - near % 4


class Utf32Be(Utf32Le):
    """UTF-32, most significant byte first."""

    name: ClassVar[str] = "utf-32be"
    title: ClassVar[str] = "UTF-32BE"
    byte_order: ClassVar[Literal["little", "big"]] = "big"
    byte_order_marks: ClassVar[tuple[bytes, ...]] = (mark_of_units(4, "big"),)
    _order: ClassVar[str] = ">"
    wrong: ClassVar[tuple[bytes, ...]] = tuple(number.to_bytes(4, "big") for number in NO_SCALARS)


class Utf32(BomOrdered, Utf32Be):
    """BOM-ordered UTF-32 (Unicode chapter 3, D101)."""

    name: ClassVar[str] = "utf-32"
    title: ClassVar[str] = "UTF-32"
    byte_order_marks: ClassVar[tuple[bytes, ...]] = (mark_of_units(4, "big"), mark_of_units(4, "little"))
    known: ClassVar[tuple[Encoding, ...]] = (Utf32Be(), Utf32Le())
    edges: ClassVar[tuple[int, ...]] = (*Utf32Be.edges, 0xFFFE0000)
    troublemakers: ClassVar[Mapping[str, bytes]] = MappingProxyType({
        "little_endian_32": b"\xFF\xFE\0\0A\0\0\0",
        "big_endian_32": b"\0\0\xFE\xFF\0\0\0A",
        "little_endian_32_without_a_mark": b"A\0\0\0",
        "a_mark_of_32_bits_alone": b"\xFF\xFE\0\0",
        "three_bytes_of_a_mark": b"\xFF\xFE\0",
        "marks_of_32_bits_of_both_byte_orders": b"\xFF\xFE\0\0\0\0\xFE\xFF\xFF\xFE\0\0",
        "a_mark_of_32_bits_that_is_not_first": b"\0\0\0A\xFF\xFE\0\0\0\0\0A",
        "a_part_of_a_unit_behind_a_mark": b"\xFF\xFE\0\0A\0\0",
    })
