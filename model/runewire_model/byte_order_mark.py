"""Byte order marks: U+FEFF as the first character of a text (Unicode chapter 2.13; chapter 3, D98 and D101).

    UTF-8     EF BB BF, a signature: there is no order to say
    UTF-16    FE FF big-endian, FF FE little-endian
    UTF-32    00 00 FE FF big-endian, FF FE 00 00 little-endian
"""

from collections.abc import Iterable
from typing import Literal

BYTE_ORDER_MARK = 0xFEFF
"""The mark as a scalar."""
UTF8_MARK = b"\xEF\xBB\xBF"
"""The mark in UTF-8 (RFC 3629, section 6)."""


def mark_of_units(unit_bytes: int, byte_order: Literal["little", "big"]) -> bytes:
    """The mark as one unit of 2 or 4 bytes, in a byte order."""
    return BYTE_ORDER_MARK.to_bytes(unit_bytes, byte_order)


def swapped_mark(unit_bytes: int) -> int:
    """The mark as a number where it is read in the other byte order: FFFE, or FFFE0000 of 4 bytes."""
    return int.from_bytes(mark_of_units(unit_bytes, "big"), "little")


def leading_mark(data: bytes, marks: Iterable[bytes]) -> bytes:
    """The one of the ``marks`` that ``data`` begins with, or no bytes."""
    return next(filter(data.startswith, marks), b"")
