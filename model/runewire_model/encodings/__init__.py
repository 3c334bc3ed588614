"""The encodings. `SOURCES` and `TARGETS` list them: an encoding is a module here, and a line in each that it is."""

from ..errors import ParameterError
from .base import Encoding
from .latin1 import Latin1
from .utf8 import Utf8
from .utf32 import Utf32Be, Utf32Le

__all__ = ["ENCODINGS", "SOURCES", "TARGETS", "Encoding", "encoding"]

UTF8, UTF32LE, UTF32BE = Utf8(), Utf32Le(), Utf32Be()
SOURCES: dict[str, Encoding] = {each.name: each for each in (UTF8, UTF32LE, UTF32BE, Latin1())}
"""What cores read, by the names on the command line."""
TARGETS: dict[str, Encoding] = {each.name: each for each in (UTF8, UTF32LE, UTF32BE)}
"""What cores write, likewise."""
ENCODINGS: dict[str, Encoding] = {**SOURCES, **TARGETS}
"""All of them."""


def encoding(name: str) -> Encoding:
    """The encoding of that name; raises `ParameterError` where there is none."""
    if name not in ENCODINGS:
        raise ParameterError(f"encoding must be one of {', '.join(ENCODINGS)}, got {name!r}")
    return ENCODINGS[name]
