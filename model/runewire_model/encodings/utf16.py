"""UTF-16 (Unicode chapter 3, D91; RFC 2781): a scalar is one unit of two bytes, or a pair of surrogates."""

import re
from collections.abc import Mapping, Sequence
from struct import pack, unpack_from
from types import MappingProxyType
from typing import ClassVar, Literal

from ..byte_order_mark import mark_of_units
from ..errors import ErrorKind, FirstError, check_bytes
from ..scalars import REPLACEMENT
from .base import Encoding, Rule, check_text
from .bom_order import BomOrdered

HIGHS, LOWS = range(0xD800, 0xDC00), range(0xDC00, 0xE000)
KINDS = b"s" * (HIGHS.start >> 10) + b"hl" + b"s" * (0x10000 - LOWS.stop >> 10)
"""Kind of a unit by its upper six bits: ``h`` high surrogate, ``l`` low surrogate, ``s`` a scalar."""
WELL_FORMED = re.compile(b"(?:s++|(?:hl)++)*+")
"""The longest well-formed beginning of a packet, as a pattern over the kinds of its units."""
RUN = re.compile(b"(s+)|((?:hl)+)|[hl]")
"""One step over the kinds of units: group 1 a run of scalars, group 2 a run of pairs; without a group one unpaired
surrogate."""
UNPAIRED = ((0xD800,), (0xDBFF,), (0xDC00,), (0xDFFF,), (0xDC00, 0xD800), (0xDBFF, 0xE000))
"""Sequences of units with an unpaired surrogate."""


class Utf16Le(Encoding):
    """UTF-16, least significant byte first.

    An unpaired surrogate is one ill-formed subpart, SURROGATE. An incomplete unit is one ill-formed subpart, TOO_SHORT.
    A high surrogate right before it belongs to that subpart, which then begins at the surrogate.
    """

    name: ClassVar[str] = "utf-16le"
    title: ClassVar[str] = "UTF-16LE"
    unit_bytes: ClassVar[int] = 2
    unit: ClassVar[str] = "unit"
    most_units: ClassVar[int] = 2
    byte_order_marks: ClassVar[tuple[bytes, ...]] = (mark_of_units(2, "little"),)
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("0..7F", (range(0x80),)), Rule("80..7FF", (range(0x80, 0x800),)),
        Rule("800..D7FF", (range(0x800, 0xD800),)), Rule("E000..FFFF", (range(0xE000, 0x10000),)),
        Rule("D800..DBFF DC00..DFFF", (HIGHS, LOWS)),
        Rule("D800..DBFF (surrogate, then a unit)", (HIGHS,), "surrogate", "unit"),
        Rule("D800..DBFF (surrogate, then the end)", (HIGHS,), "surrogate", "end"),
        Rule("DC00..DFFF (surrogate)", (LOWS,), "surrogate"),
        Rule("1 byte (too short)", (), "too short", "inside"),
        Rule("D800..DBFF and 1 byte (too short)", (HIGHS,), "too short", "inside"),
    )
    goes_on: ClassVar[range] = LOWS
    edges: ClassVar[tuple[int, ...]] = (
        0x0, 0x41, 0xD800, 0x7F, 0xDC00, 0x80, 0xDBFF, 0x7FF, 0xDFFF, 0x800, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFE,
        0xFFFF, 0x00D8, 0x00DC)
    wrong: ClassVar[tuple[bytes, ...]] = tuple(pack(f"<{len(units)}H", *units) for units in UNPAIRED)
    _order: ClassVar[str] = "<"

    def _units(self, data: bytes) -> tuple[tuple[int, ...], bytes]:
        """The packet's complete units, and the kind of each."""
        units = unpack_from(f"{self._order}{len(data) // 2}H", data)
        return units, bytes([KINDS[unit >> 10] for unit in units])

    @staticmethod
    def _goes_on(data: bytes, kinds: bytes) -> bool:
        """Whether the packet ends with an ill-formed subpart of two units: a high surrogate and an incomplete unit."""
        return len(data) % 2 == 1 and kinds.endswith(b"h")

    def decode(self, data: bytes, errors: str = "replace", bom: str = "keep") -> list[int]:
        check_text(data, errors, bom)
        units, kinds = self._units(data)
        scalars: list[int] = []
        for run in RUN.finditer(kinds, self._begin(data, bom)):
            found = units[run.start() : run.end()]
            if run.lastindex == 1:
                scalars += found
            elif run.lastindex == 2:
                scalars += [0x10000 + (high - HIGHS.start << 10) + low - LOWS.start
                            for high, low in zip(found[::2], found[1::2], strict=True)]
            elif errors == "replace":
                scalars.append(REPLACEMENT)
        if len(data) % 2 and not self._goes_on(data, kinds) and errors == "replace":
            scalars.append(REPLACEMENT)
        return scalars

    def encode(self, scalars: Sequence[int]) -> bytes:
        units: list[int] = []
        for scalar in scalars:
            if scalar < 0x10000:
                units.append(scalar)
            else:
                units += (HIGHS.start + (scalar - 0x10000 >> 10), LOWS.start + (scalar & 0x3FF))
        return pack(f"{self._order}{len(units)}H", *units)

    def first_error(self, data: bytes) -> FirstError | None:
        check_bytes("data", data)
        _, kinds = self._units(data)
        found = WELL_FORMED.match(kinds)
        assert found is not None
        offset = found.end()
        if offset + self._goes_on(data, kinds) < len(kinds):
            return FirstError(ErrorKind.SURROGATE, offset)
        return FirstError(ErrorKind.TOO_SHORT, offset) if len(data) % 2 else None

    def error_end(self, data: bytes, error: FirstError) -> int:
        return error.offset if error.kind is ErrorKind.SURROGATE else self.units(len(data)) - 1

    def ends(self, data: bytes, errors: str = "replace", bom: str = "keep") -> bytes:
        check_text(data, errors, bom)
        _, kinds = self._units(data)
        marks = bytearray(self.units(len(data)))
        for run in RUN.finditer(kinds, self._begin(data, bom)):
            size = run.lastindex
            if size is not None:
                marks[run.start() + size - 1 : run.end() : size] = bytes((1,)) * (len(run[0]) // size)
            elif errors == "replace":
                marks[run.start()] = 1
        if len(data) % 2:
            marks[-1] = errors == "replace"
        if self._goes_on(data, kinds):
            marks[-2] = 0
        return bytes(marks)

    def _begin(self, data: bytes, bom: str) -> int:
        """Index of the first unit of the text, after a byte order mark that is stripped."""
        return int(bom == "strip" and self.mark(data) != b"")

    def unfinished(self, data: bytes) -> int:
        part = len(data) % 2
        before = self.unpack(data[len(data) - part - 2 : len(data) - part]) if len(data) > 1 else []
        return part + 2 * any(unit in HIGHS for unit in before)

    def cut(self, data: bytes | bytearray | memoryview, near: int) -> int:
        at = near - near % 2
        before, after = self.unpack(bytes(data[max(at - 2, 0) : at])), self.unpack(bytes(data[at : at + 2]))
        joined = any(unit in HIGHS for unit in before) and all(unit in LOWS for unit in after)
        return at - 2 * joined


class Utf16Be(Utf16Le):
    """UTF-16, most significant byte first."""

    name: ClassVar[str] = "utf-16be"
    title: ClassVar[str] = "UTF-16BE"
    byte_order: ClassVar[Literal["little", "big"]] = "big"
    byte_order_marks: ClassVar[tuple[bytes, ...]] = (mark_of_units(2, "big"),)
    wrong: ClassVar[tuple[bytes, ...]] = tuple(pack(f">{len(units)}H", *units) for units in UNPAIRED)
    _order: ClassVar[str] = ">"


class Utf16(BomOrdered, Utf16Be):
    """BOM-ordered UTF-16 (Unicode chapter 3, D98; RFC 2781, section 4.3)."""

    name: ClassVar[str] = "utf-16"
    title: ClassVar[str] = "UTF-16"
    byte_order_marks: ClassVar[tuple[bytes, ...]] = (mark_of_units(2, "big"), mark_of_units(2, "little"))
    known: ClassVar[tuple[Encoding, ...]] = (Utf16Be(), Utf16Le())
    troublemakers: ClassVar[Mapping[str, bytes]] = MappingProxyType({
        "little_endian": b"\xFF\xFEA\0\x3D\xD8\x00\xDE",
        "big_endian": b"\xFE\xFF\0A\xD8\x3D\xDE\x00",
        "little_endian_without_a_mark": b"A\0\x3D\xD8\x00\xDE",
        "a_mark_alone": b"\xFF\xFE",
        "half_a_mark": b"\xFF",
        "marks_of_both_byte_orders": b"\xFF\xFE\xFE\xFF\xFF\xFE",
        "a_mark_that_is_not_first": b"\0A\xFF\xFE\0A",
        "half_a_unit_behind_a_mark": b"\xFF\xFEA",
        "half_a_pair_behind_a_mark": b"\xFF\xFE\x3D\xD8\x3D",
    })
