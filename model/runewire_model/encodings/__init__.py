"""The encodings. `ENCODINGS` lists them: an encoding is a module here, and a name in the list.

`PAIRS` lists those that have hardware of their own between them, likewise.
"""

from typing import Any

from ..errors import check_choice
from .ascii import Ascii
from .base import Encoding, Pair
from .latin1 import Latin1
from .utf8 import Utf8
from .utf8_to_utf8 import Utf8ToUtf8
from .utf8_to_utf16 import Utf8ToUtf16
from .utf16 import Utf16, Utf16Be, Utf16Le
from .utf16_to_utf8 import Utf16ToUtf8
from .utf32 import Utf32, Utf32Be, Utf32Le

__all__ = ["ENCODINGS", "PAIRS", "Encoding", "Pair", "canonical", "encoding"]

ENCODINGS: dict[str, Encoding] = {
    each.name: each for each in (
        Utf8(), Utf16Le(), Utf16Be(), Utf16(), Utf32Le(), Utf32Be(), Utf32(), Latin1(), Ascii())}
"""What cores read and write, by the names on the command line."""

PAIRS: dict[tuple[str, str], Pair] = {
    **{("utf-8", target): Utf8ToUtf16() for target in ("utf-16le", "utf-16be", "utf-16")},
    **{(source, "utf-8"): Utf16ToUtf8() for source in ("utf-16le", "utf-16be", "utf-16")},
    ("utf-8", "utf-8"): Utf8ToUtf8(),
}
"""Sources and targets that are fused."""


def encoding(name: str) -> Encoding:
    """The encoding of that name, in any spelling that `canonical` knows; raises `ParameterError` where there is
    none."""
    known = canonical(name)
    check_choice("encoding", known, tuple(ENCODINGS))
    return ENCODINGS[known]


def canonical(name: Any) -> Any:
    """The name in `ENCODINGS` of an encoding in another spelling: ``utf-8`` of ``UTF-8``, ``utf8`` or ``Utf_8``.

    Case, hyphens and underscores do not matter. What names no encoding is returned as it is.
    """
    return _SPELLED.get(_letters(name), name) if isinstance(name, str) else name


def _letters(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


_SPELLED = {_letters(name): name for name in ENCODINGS}
