"""What can be wrong with a packet, and how it is reported."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass


class ErrorKind(enum.IntEnum):
    """Kind of a packet's first error: simdutf's names and numbers; 0 in hardware means no error.

    Structure is judged before value: ``C0`` alone is TOO_SHORT, ``C0 80`` is OVERLONG.
    """

    HEADER_BITS = 1
    """A byte F8..FF: its header bits start no sequence."""
    TOO_SHORT = 2
    """A lead byte with fewer continuation bytes after it than its header bits announce."""
    TOO_LONG = 3
    """A continuation byte where a character should start."""
    OVERLONG = 4
    """A complete sequence whose code point fits in fewer bytes."""
    TOO_LARGE = 5
    """A complete sequence, or a number in UTF-32, above U+10FFFF; a byte above 7F in ASCII; a scalar that the target's
    encoding lacks."""
    SURROGATE = 6
    """A complete sequence, or a number in UTF-32, in U+D800..U+DFFF; an unpaired surrogate in UTF-16."""


@dataclass(frozen=True)
class FirstError:
    """The first error of a packet.

    ``offset`` counts the source's units from the packet's start: bytes of UTF-8, scalars of UTF-32. It is that of the
    first unit of the first sequence that is ill-formed, or whose scalar the target's encoding lacks.
    """

    kind: ErrorKind
    offset: int


class DecodeError(ValueError):
    """Raised by ``errors="strict"``: ill-formed UTF-8.

    ``kind`` and ``offset`` (bytes) are those of the packet's `FirstError`; ``octets`` is the maximal subpart
    at that offset, the bytes that ``errors="replace"`` turns into one U+FFFD.
    """

    def __init__(self, kind: ErrorKind, offset: int, octets: bytes) -> None:
        super().__init__(kind, offset, octets)
        self.kind = kind
        self.offset = offset
        self.octets = octets

    def __str__(self) -> str:
        return f"ill-formed UTF-8 at byte {self.offset}: {self.octets.hex(' ').upper()} ({self.kind.name})"


class EncodeError(ValueError):
    """Raised by ``errors="strict"``: ``scalar``, at index ``offset``, is not a Unicode scalar value."""

    def __init__(self, kind: ErrorKind, offset: int, scalar: int) -> None:
        super().__init__(kind, offset, scalar)
        self.kind = kind
        self.offset = offset
        self.scalar = scalar

    def __str__(self) -> str:
        return f"no Unicode scalar value at index {self.offset}: 0x{self.scalar:04X} ({self.kind.name})"


class ParameterError(ValueError):
    """A parameter or option has a value outside its contract; the message says which would do."""


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise `ParameterError` unless ``value`` is one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
