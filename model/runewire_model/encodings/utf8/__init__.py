"""UTF-8 (RFC 3629). Read `grammar` first, next to the RFC; the other modules build on it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import ClassVar

from ...byte_order_mark import UTF8_MARK
from ...errors import ErrorKind, FirstError
from ..base import Encoding, Rule, check_text
from .decoder import decode
from .encoder import encode
from .grammar import RUN
from .incremental import structure_open
from .navigation import count_code_points
from .validator import announced_length, is_continuation, validate

__all__ = ["Utf8"]

WELL_FORMED = (
    "00..7F", "C2..DF 80..BF", "E0 A0..BF 80..BF", "E1..EC 80..BF 80..BF", "ED 80..9F 80..BF", "EE..EF 80..BF 80..BF",
    "F0 90..BF 80..BF 80..BF", "F1..F3 80..BF 80..BF 80..BF", "F4 80..8F 80..BF 80..BF")
"""The rows of RFC 3629, section 4."""
WRONG_VALUE = {
    "C0..C1 80..BF": "overlong", "E0 80..9F 80..BF": "overlong", "F0 80..8F 80..BF 80..BF": "overlong",
    "ED A0..BF 80..BF": "surrogate", "F4 90..BF 80..BF 80..BF": "too large",
    "F5..F7 80..BF 80..BF 80..BF": "too large"}
WRONG_BYTE = {"F8..FF": "header bits", "80..BF": "too long"}


def _row(text: str) -> tuple[range, ...]:
    """The byte ranges of a row, for example "E0 A0..BF"."""
    ends = ([int(end, 16) for end in word.split("..")] for word in text.split())
    return tuple(range(end[0], end[-1] + 1) for end in ends)


def _rules() -> Iterator[Rule]:
    rows = [*WELL_FORMED, *WRONG_VALUE]
    for text in WELL_FORMED:
        yield Rule(text, _row(text))
    for text, kind in {**WRONG_VALUE, **WRONG_BYTE}.items():
        yield Rule(f"{text} ({kind})", _row(text), kind)
    begun = dict.fromkeys(" ".join(text.split()[:size]) for size in (1, 2, 3) for text in rows
                          if len(text.split()) > size)
    for text, ended in product(begun, ("unit", "end")):
        said = f"too short, then {'a byte' if ended == 'unit' else 'the end'}"
        yield Rule(f"{text} ({said})", _row(text), "too short", ended)


class Utf8(Encoding):
    """UTF-8: one to four bytes a scalar."""

    name: ClassVar[str] = "utf-8"
    title: ClassVar[str] = "UTF-8"
    unit_bytes: ClassVar[int] = 1
    unit: ClassVar[str] = "byte"
    most_units: ClassVar[int] = 4
    byte_order_marks: ClassVar[tuple[bytes, ...]] = (UTF8_MARK,)
    rules: ClassVar[tuple[Rule, ...]] = tuple(_rules())
    goes_on: ClassVar[range] = range(0x80, 0xC0)
    edges: ClassVar[tuple[int, ...]] = tuple(bytes.fromhex(
        "00 41 7F 80 8F 90 9F A0 BB BF C0 C1 C2 DF E0 E1 EC ED EE EF F0 F1 F3 F4 F5 F7 F8 FF"))
    wrong: ClassVar[tuple[bytes, ...]] = (
        b"\xFF", b"\xED\xA0\x80", b"\xE2\x82", b"\xF0\x90\x80", b"\xF4\x90\x80\x80",
        b"\x80", b"\xBF", b"\xC0\x80", b"\xC1\xBF", b"\xC2", b"\xE0\x80\x80", b"\xE0\x9F\xBF", b"\xED\xBF\xBF",
        b"\xF0\x80\x80\x80", b"\xF0\x8F\xBF\xBF", b"\xF4\xBF\xBF\xBF", b"\xF5\x80\x80\x80", b"\xF7\xBF\xBF\xBF",
        b"\xF8",
    )
    troublemakers: ClassVar[Mapping[str, bytes]] = MappingProxyType({
        "emoji_before_euro": bytes.fromhex("F0 9F 98 80 E2 82 AC"),
        "byte_after_truncated_sequence": bytes.fromhex("C3 41 42"),
        "surrogate": bytes.fromhex("ED A0 80"),
        "overlong_e0": bytes.fromhex("E0 80"),
        "f5_lead": bytes.fromhex("F5 80"),
        "above_10ffff": bytes.fromhex("F4 90 80 80"),
        "lowest_of_e0": bytes.fromhex("E0 A0 80"),
        "emoji_after_cjk": bytes.fromhex("E6 BC A2 E5 AD 97 F0 9F 98 80"),
        "two_bytes_cut_at_the_end": bytes.fromhex("41 C3"),
        "three_bytes_cut_at_the_end": bytes.fromhex("41 E2 82"),
        "four_bytes_cut_at_the_end": bytes.fromhex("41 F0 9F 98"),
        "byte_order_mark": UTF8_MARK + b"A",
        "half_a_byte_order_mark": b"\xEF\xBB",
        "two_byte_order_marks": 2 * UTF8_MARK,
        "empty": b"",
    })

    def decode(self, data: bytes, errors: str = "replace", bom: str = "keep") -> list[int]:
        return decode(data, errors, bom)

    def encode(self, scalars: Sequence[int]) -> bytes:
        return encode(scalars)

    def first_error(self, data: bytes) -> FirstError | None:
        return validate(data)

    def error_end(self, data: bytes, error: FirstError) -> int:
        start = error.offset
        if error.kind in (ErrorKind.HEADER_BITS, ErrorKind.TOO_LONG):
            return start
        stop = start + announced_length(data[start])
        return next((at for at in range(start + 1, stop) if at == len(data) or not is_continuation(data[at])), stop) - 1

    def ends(self, data: bytes, errors: str = "replace", bom: str = "keep") -> bytes:
        check_text(data, errors, bom)
        marks = bytearray(len(data))
        start = len(self.mark(data)) if bom == "strip" else 0
        for run in RUN.finditer(data, start):
            size = run.lastindex or 0
            if size <= 4:
                marks[run.start() + size - 1 : run.end() : size] = bytes((1,)) * (len(run[0]) // size)
            elif errors == "replace":
                marks[run.end() - 1] = 1
        return bytes(marks)

    def count(self, data: bytes) -> int:
        return count_code_points(data)

    def unfinished(self, data: bytes) -> int:
        return next((size for size in range(1, min(len(data), 3) + 1) if structure_open(data[-size:])), 0)

    def cut(self, data: bytes | bytearray | memoryview, near: int) -> int:
        # A sequence has at most three continuation bytes: after three, no sequence crosses the cut.
        return near - next((back for back in range(min(4, near + 1)) if not is_continuation(data[near - back])), 0)
