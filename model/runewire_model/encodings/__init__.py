"""The encodings. `ENCODINGS` lists them: each encoding is a module here and an entry in the list.

`PAIRS` lists the fused pairs: a source and a target with hardware of their own.
"""

from typing import Any

from ..errors import check_choice
from .ascii import Ascii
from .base import Encoding, Pair
from .latin1 import Latin1
from .octets import Octets, OctetsToOctets
from .utf8 import Utf8
from .utf8_to_utf8 import Utf8ToUtf8
from .utf8_to_utf16 import Utf8ToUtf16
from .utf16 import Utf16, Utf16Be, Utf16Le
from .utf16_to_utf8 import Utf16ToUtf8
from .utf32 import Utf32, Utf32Be, Utf32Le
from .without_nul import without_nul

__all__ = ["BYTES", "ENCODINGS", "NUL_REJECTING", "PAIRS", "Encoding", "Pair", "canonical", "encoding"]

ENCODINGS: dict[str, Encoding] = {
    each.name: each for each in (
        Utf8(), Utf16Le(), Utf16Be(), Utf16(), Utf32Le(), Utf32Be(), Utf32(), Latin1(), Ascii())}
"""The encodings that cores read and write, by their names on the command line."""

NUL_REJECTING: dict[str, Encoding] = {name: without_nul(each) for name, each in ENCODINGS.items()}
"""The same encodings for cores that reject U+0000: it is ill-formed there."""

BYTES = Octets()
"""Input and output of the packer. Other cores do not have it: it is no encoding of text."""

PAIRS: dict[tuple[str, str], Pair] = {
    **{("utf-8", target): Utf8ToUtf16() for target in ("utf-16le", "utf-16be", "utf-16")},
    **{(source, "utf-8"): Utf16ToUtf8() for source in ("utf-16le", "utf-16be", "utf-16")},
    ("utf-8", "utf-8"): Utf8ToUtf8(), (BYTES.name, BYTES.name): OctetsToOctets(),
}
"""The fused pairs, by source and target."""


def encoding(name: str) -> Encoding:
    """The encoding called ``name``, in any spelling that `canonical` accepts. Raises `ParameterError` for an unknown
    name."""
    known = canonical(name)
    check_choice("encoding", known, tuple(ENCODINGS))
    return ENCODINGS[known]


def canonical(name: Any) -> Any:
    """The name in `ENCODINGS` for another spelling: ``utf-8`` for ``UTF-8``, ``utf8`` or ``Utf_8``.

    Case, hyphens and underscores do not matter. An unknown name is returned unchanged.
    """
    return _SPELLED.get(_letters(name), name) if isinstance(name, str) else name


def _letters(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


_SPELLED = {_letters(name): name for name in ENCODINGS}
