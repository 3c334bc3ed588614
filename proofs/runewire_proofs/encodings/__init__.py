"""Serial specifications of the encodings. An encoding is a module here, and a line in `SPECIFICATIONS`."""

from runewire_model import TranscoderParameters

from .ascii import ASCII
from .base import Fused, Specification
from .latin1 import LATIN1
from .octets import OCTETS, OCTETS_TO_OCTETS
from .utf8 import UTF8
from .utf8_to_utf8 import UTF8_TO_UTF8
from .utf8_to_utf16 import UTF8_TO_UTF16
from .utf16 import UTF16, UTF16_TOLD
from .utf16_to_utf8 import UTF16_TO_UTF8
from .utf32 import UTF32, UTF32_TOLD

__all__ = ["SPECIFICATIONS", "Fused", "Specification", "fused"]

SPECIFICATIONS: dict[str, Specification] = {
    "utf-8": UTF8, "utf-16le": UTF16, "utf-16be": UTF16, "utf-16": UTF16_TOLD, "utf-32le": UTF32, "utf-32be": UTF32,
    "utf-32": UTF32_TOLD, "latin-1": LATIN1, "ascii": ASCII,
    "bytes": OCTETS,
}
PAIRS: dict[tuple[str, str | None], Fused] = {
    ("utf-8", "utf-16le"): UTF8_TO_UTF16, ("utf-8", "utf-16be"): UTF8_TO_UTF16, ("utf-8", "utf-16"): UTF8_TO_UTF16,
    ("utf-16le", "utf-8"): UTF16_TO_UTF8, ("utf-16be", "utf-8"): UTF16_TO_UTF8, ("utf-16", "utf-8"): UTF16_TO_UTF8,
    ("utf-8", "utf-8"): UTF8_TO_UTF8, ("bytes", "bytes"): OCTETS_TO_OCTETS,
}
"""Specifications of fused pairs, by source and target."""


def fused(parameters: TranscoderParameters) -> Fused | None:
    """The specification of a core's fused pair; None if it is none, or if the core's options do not permit fusing."""
    return PAIRS[parameters.source, parameters.target] if parameters.fused is not None else None
