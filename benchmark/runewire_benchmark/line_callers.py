"""Calls that validate each line in this process; lines are cut beforehand, and where they begin is known.

Each takes lines and returns the call that is timed: its answer is the sum of the numbers, from 1, of ill-formed lines.
"""

import codecs
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from . import callers


def one_by_one(lines: Sequence[bytes]) -> Callable[[], int]:
    """`bytes.decode` of every line."""
    def call() -> int:
        total = 0
        for number, line in enumerate(lines, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                total += number
        return total

    return call


def onwards(lines: Sequence[bytes]) -> Callable[[], int]:
    """The codec on the complete text; it reports the first error's position. It then continues after that line."""
    begin = [0, *accumulate(map(len, lines))]
    whole = memoryview(b"".join(lines))
    decode = codecs.utf_8_decode

    def call() -> int:
        total = at = 0
        while at < len(whole):
            try:
                decode(whole[at:], "strict", True)
            except UnicodeDecodeError as error:
                number = bisect_right(begin, at + error.start)
                total += number
                at = begin[number]
            else:
                break
        return total

    return call


def escapes(lines: Sequence[bytes]) -> Callable[[], int]:
    """The codec on the complete text, with a lone surrogate for each ill-formed byte: valid text contains none."""
    whole = b"".join(lines)
    search = re.compile("[\udc80-\udcff]").search

    def call() -> int:
        text = whole.decode("utf-8", "surrogateescape")
        total = at = number = 0
        while found := search(text, at):
            number += text.count("\n", at, found.start()) + 1
            total += number
            at = text.index("\n", found.start()) + 1
        return total

    return call


def arrow(lines: Sequence[bytes]) -> Callable[[], int]:
    """pyarrow's check of a column of strings, a loop in C++ that names the first ill-formed one."""
    import pyarrow

    raw = pyarrow.array(lines, type=pyarrow.binary())
    column = pyarrow.StringArray.from_buffers(len(raw), *raw.buffers()[1:])

    def call() -> int:
        total = at = 0
        while at < len(lines):
            try:
                column.slice(at).validate(full=True)
            except pyarrow.ArrowInvalid as error:
                found = re.search(r"string index (\d+)", str(error))
                if found is None:
                    raise
                at += int(found[1]) + 1
                total += at
            else:
                break
        return total

    return call


def polars_whole(lines: Sequence[bytes]) -> Callable[[], int]:
    """polars' check of the complete text, which does not report an error's position."""
    check = callers.polars([b"".join(lines)])

    def call() -> int:
        if not check():
            raise ValueError("polars does not report where ill-formed text is")
        return 0

    return call
