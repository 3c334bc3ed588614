"""UTF-16 (Unicode chapter 3, D91; RFC 2781): a scalar is one unit of two bytes, or a pair of surrogates."""

import re
from collections.abc import Sequence
from struct import pack, unpack_from
from typing import ClassVar, Literal

from ..errors import ErrorKind, FirstError, check_choice
from ..scalars import REPLACEMENT
from .base import Encoding, Rule

__all__ = ["Utf16Be", "Utf16Le"]

HIGH, LOW, OTHER = "[\uD800-\uDBFF]", "[\uDC00-\uDFFF]", "[^\uD800-\uDFFF]"
"""Units, as characters of a text that stands for them: high and low surrogates, and those that are a scalar."""
WELL_FORMED = re.compile(f"(?:{OTHER}++|(?:{HIGH}{LOW})++)*+")
"""The longest well-formed beginning."""
RUN = re.compile(f"({OTHER}+)|((?:{HIGH}{LOW})+)|[\uD800-\uDFFF]")
"""One step over any units: group 1 holds a run of units that are scalars, group 2 one of pairs; else it is an unpaired
surrogate."""
HIGHS, LOWS = range(0xD800, 0xDC00), range(0xDC00, 0xE000)
UNPAIRED = ((0xD800,), (0xDBFF,), (0xDC00,), (0xDFFF,), (0xDC00, 0xD800), (0xDBFF, 0xE000))
"""Sequences of units with an unpaired surrogate."""


class Utf16Le(Encoding):
    """UTF-16, least significant byte first.

    An unpaired surrogate is one ill-formed subpart, SURROGATE. A unit that is not whole is one, TOO_SHORT, together
    with a high surrogate right before it, whose offset it then has.
    """

    name: ClassVar[str] = "utf-16le"
    title: ClassVar[str] = "UTF-16LE"
    unit_bytes: ClassVar[int] = 2
    unit: ClassVar[str] = "unit"
    most_units: ClassVar[int] = 2
    byte_order_mark: ClassVar[bytes | None] = b"\xFF\xFE"
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

    def _text(self, data: bytes) -> str:
        """The packet's whole units, each as the character of its number."""
        count = len(data) // 2
        return "".join(map(chr, unpack_from(f"{self._order}{count}H", data)))

    @staticmethod
    def _goes_on(data: bytes, units: str) -> bool:
        """Whether an ill-formed subpart of more than one unit is at the end: a high surrogate and half of a unit."""
        return len(data) % 2 == 1 and units[-1:] != "" and ord(units[-1]) in HIGHS

    def decode(self, data: bytes, errors: str = "replace", bom: str = "keep") -> list[int]:
        check_choice("errors", errors, ("replace", "drop"))
        check_choice("bom", bom, ("keep", "strip"))
        units = self._text(data)
        scalars: list[int] = []
        for run in RUN.finditer(units, self._begin(data, bom)):
            if run.lastindex == 1:
                scalars += map(ord, run[0])
            elif run.lastindex == 2:
                scalars += [0x10000 + (ord(high) - HIGHS.start << 10) + ord(low) - LOWS.start
                            for high, low in zip(run[0][::2], run[0][1::2], strict=True)]
            elif errors == "replace":
                scalars.append(REPLACEMENT)
        if len(data) % 2 and not self._goes_on(data, units) and errors == "replace":
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
        units = self._text(data)
        found = WELL_FORMED.match(units)
        assert found is not None
        offset = found.end()
        if offset + self._goes_on(data, units) < len(units):
            return FirstError(ErrorKind.SURROGATE, offset)
        return FirstError(ErrorKind.TOO_SHORT, offset) if len(data) % 2 else None

    def ends(self, data: bytes, errors: str = "replace", bom: str = "keep") -> bytes:
        check_choice("errors", errors, ("replace", "drop"))
        check_choice("bom", bom, ("keep", "strip"))
        units = self._text(data)
        marks = bytearray(self.units(len(data)))
        for run in RUN.finditer(units, self._begin(data, bom)):
            size = run.lastindex
            if size is not None:
                marks[run.start() + size - 1 : run.end() : size] = bytes((1,)) * (len(run[0]) // size)
            elif errors == "replace":
                marks[run.start()] = 1
        if len(data) % 2:
            marks[-1] = errors == "replace"
        if self._goes_on(data, units):
            marks[-2] = 0
        return bytes(marks)

    def _begin(self, data: bytes, bom: str) -> int:
        """The first unit that counts."""
        return int(bom == "strip" and self.byte_order_mark is not None and data.startswith(self.byte_order_mark))

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
    byte_order_mark: ClassVar[bytes | None] = b"\xFE\xFF"
    wrong: ClassVar[tuple[bytes, ...]] = tuple(pack(f">{len(units)}H", *units) for units in UNPAIRED)
    _order: ClassVar[str] = ">"
