"""The encodings. `ENCODINGS` is the list: an encoding is a module here, and a line in it."""

from ..errors import ParameterError
from .base import Encoding
from .utf8 import Utf8
from .utf32 import Utf32Le

__all__ = ["ENCODINGS", "Encoding", "encoding"]

ENCODINGS: dict[str, Encoding] = {each.name: each for each in (Utf8(), Utf32Le())}
"""The encodings by their names on the command line."""


def encoding(name: str) -> Encoding:
    """The encoding of that name; raises `ParameterError` where there is none."""
    if name not in ENCODINGS:
        raise ParameterError(f"encoding must be one of {', '.join(ENCODINGS)}, got {name!r}")
    return ENCODINGS[name]
