"""Calls that drop the ill-formed lines of a text in this process: they find the lines, and make one text of the others.

Each takes lines and returns the call that is timed. The call's result has the bytes of the well-formed lines.
"""

import codecs
import re
from collections.abc import Callable, Sequence
from typing import Any

LF = b"\n"

WELL_FORMED = (
    r"\A(?:[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
    r"|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})*\z"
)
"""Well-formed UTF-8 as a regular expression on bytes: table 3-7 of the Unicode Standard."""


def one_by_one(lines: Sequence[bytes]) -> Callable[[], bytes]:
    """`bytes.split`, and `bytes.decode` of every line."""
    text = b"".join(lines)

    def call() -> bytes:
        good = []
        for line in text.split(LF):
            try:
                line.decode()
            except UnicodeDecodeError:
                pass
            else:
                good.append(line)
        return LF.join(good)

    return call


def onwards(lines: Sequence[bytes]) -> Callable[[], bytes]:
    """The codec on the complete text; it reports the first error's position. It then continues after that line."""
    text = b"".join(lines)
    whole = memoryview(text)
    decode = codecs.utf_8_decode

    def call() -> bytes:
        good = []
        at = 0
        while at < len(text):
            try:
                decode(whole[at:], "strict", True)
            except UnicodeDecodeError as error:
                wrong = at + error.start
                good.append(whole[at:text.rfind(LF, at, wrong) + 1 or at])
                at = text.index(LF, wrong) + 1
            else:
                good.append(whole[at:])
                break
        return b"".join(good)

    return call


def _column(text: bytes) -> Any:
    """pyarrow's column of the lines, without LF."""
    import pyarrow
    import pyarrow.compute

    found = pyarrow.compute.split_pattern(pyarrow.array([text], pyarrow.binary()), LF).values
    return found.slice(0, len(found) - 1)


def arrow_column(lines: Sequence[bytes]) -> Callable[[], bytes]:
    """pyarrow's check of a column of strings, a loop in C++ that names the first ill-formed one."""
    import pyarrow

    text = b"".join(lines)
    whole = memoryview(text)

    def call() -> bytes:
        raw = _column(text)
        column = pyarrow.StringArray.from_buffers(len(raw), *raw.buffers()[1:])
        # The first byte of each line in the column, which lacks the LF of those before.
        begin = memoryview(raw.buffers()[1]).cast("i")
        good = []
        at = 0
        while at < len(column):
            try:
                column.slice(at).validate(full=True)
            except pyarrow.ArrowInvalid as error:
                found = re.search(r"string index (\d+)", str(error))
                if found is None:
                    raise
                number = at + int(found[1])
                good.append(whole[begin[at] + at:begin[number] + number])
                at = number + 1
            else:
                good.append(whole[begin[at] + at:])
                break
        return b"".join(good)

    return call


def arrow_pattern(lines: Sequence[bytes]) -> Callable[[], bytes]:
    """pyarrow's filter of a column by a regular expression, all in C++."""
    import pyarrow
    import pyarrow.compute

    text = b"".join(lines)

    def call() -> bytes:
        column = _column(text)
        good = column.filter(pyarrow.compute.match_substring_regex(column, WELL_FORMED))
        one = pyarrow.ListArray.from_arrays([0, len(good)], good)
        joined: bytes = pyarrow.compute.binary_join(one, LF)[0].as_py()
        return joined + LF if len(good) else b""

    return call
