"""The encodings' hardware. `FRONT_ENDS` and `BACK_ENDS` list them: an encoding is a module here, and a line in each."""

from __future__ import annotations

from .base import BackEnd, FrontEnd
from .latin1 import Latin1Front
from .utf8 import Utf8Back, Utf8Front
from .utf32 import Utf32Back, Utf32Front

__all__ = ["BACK_ENDS", "FRONT_ENDS"]

FRONT_ENDS: dict[str, type[FrontEnd]] = {
    "utf-8": Utf8Front, "utf-32le": Utf32Front, "utf-32be": Utf32Front, "latin-1": Latin1Front,
}
BACK_ENDS: dict[str, type[BackEnd]] = {"utf-8": Utf8Back, "utf-32le": Utf32Back, "utf-32be": Utf32Back}
