"""The encodings' hardware. `FRONT_ENDS` and `BACK_ENDS` list it: each encoding is a module here and a line in each
list.

`PAIRS` lists the fused pairs: one module that replaces a front end's scalars and a back end's units.
"""

from __future__ import annotations

from .ascii import AsciiBack, AsciiFront
from .base import BackEnd, FrontEnd, Fused
from .latin1 import Latin1Back, Latin1Front
from .octets import OctetsBack, OctetsFront, octets_to_octets
from .utf8 import Utf8Back, Utf8Front
from .utf8_to_utf8 import utf8_to_utf8
from .utf8_to_utf16 import utf8_to_utf16
from .utf16 import Utf16Back, Utf16Front, Utf16ToldFront
from .utf16_to_utf8 import utf16_to_utf8
from .utf32 import Utf32Back, Utf32Front, Utf32ToldFront

__all__ = ["BACK_ENDS", "FRONT_ENDS", "PAIRS"]

FRONT_ENDS: dict[str, type[FrontEnd]] = {
    "utf-8": Utf8Front, "utf-16le": Utf16Front, "utf-16be": Utf16Front, "utf-16": Utf16ToldFront,
    "utf-32le": Utf32Front, "utf-32be": Utf32Front, "utf-32": Utf32ToldFront, "latin-1": Latin1Front,
    "ascii": AsciiFront, "bytes": OctetsFront,
}
BACK_ENDS: dict[str, type[BackEnd]] = {
    "utf-8": Utf8Back, "utf-16le": Utf16Back, "utf-16be": Utf16Back, "utf-16": Utf16Back,
    "utf-32le": Utf32Back, "utf-32be": Utf32Back, "utf-32": Utf32Back, "latin-1": Latin1Back, "ascii": AsciiBack,
    "bytes": OctetsBack,
}
PAIRS: dict[tuple[str, str | None], Fused] = {
    **{("utf-8", target): Fused(utf8_to_utf16, lookahead=1) for target in ("utf-16le", "utf-16be", "utf-16")},
    **{(source, "utf-8"): Fused(utf16_to_utf8, lookahead=1) for source in ("utf-16le", "utf-16be", "utf-16")},
    ("utf-8", "utf-8"): Fused(utf8_to_utf8, lookahead=3), ("bytes", "bytes"): Fused(octets_to_octets, lookahead=0),
}
