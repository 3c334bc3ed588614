"""Errors of packets and of parameters, and the checks that raise them."""

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self


class ErrorKind(enum.IntEnum):
    """Kind of a packet's first error, with simdutf's names and numbers; 0 in hardware means no error.

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
    NUL = 7
    """U+0000, in a core that rejects it."""


@dataclass(frozen=True)
class FirstError:
    """The first error of a packet.

    ``offset`` counts source units from the packet's start: bytes of UTF-8, scalars of UTF-32. It points to the first
    unit of the first faulty sequence: an ill-formed one, or one whose scalar the target's encoding lacks.
    """

    kind: ErrorKind
    offset: int


class DecodeError(ValueError):
    """Ill-formed UTF-8, raised with ``errors="strict"``.

    ``kind`` and ``offset`` (bytes) are the packet's `FirstError`. ``octets`` is the maximal subpart at that offset: the
    bytes that ``errors="replace"`` turns into one U+FFFD.
    """

    def __init__(self, kind: ErrorKind, offset: int, octets: bytes) -> None:
        super().__init__(kind, offset, octets)
        self.kind = kind
        self.offset = offset
        self.octets = octets

    def __str__(self) -> str:
        return f"ill-formed UTF-8 at byte {self.offset}: {self.octets.hex(' ').upper()} ({self.kind.name})"


class EncodeError(ValueError):
    """``scalar``, at index ``offset``, is not a Unicode scalar value. Raised with ``errors="strict"``."""

    def __init__(self, kind: ErrorKind, offset: int, scalar: int) -> None:
        super().__init__(kind, offset, scalar)
        self.kind = kind
        self.offset = offset
        self.scalar = scalar

    def __str__(self) -> str:
        return f"no Unicode scalar value at index {self.offset}: 0x{self.scalar:04X} ({self.kind.name})"


@dataclass(frozen=True)
class Named:
    """A parameter in a message, by its Python name: ``offset_bits``, or with a value ``records=0x0A``.

    ``quoted``: the Python message has the name in quotes. The command shows its own name for it
    (`ParameterError.shown`).
    """

    name: str
    value: Any = None
    quoted: bool = False

    def __str__(self) -> str:
        if self.value is not None:
            return f"{self.name}={f'0x{self.value:02X}' if self.name in OCTETS else repr(self.value)}"
        return repr(self.name) if self.quoted else self.name


OCTETS = ("records", "split", "filter", "replacement")
"""The parameters that are bytes; messages show their values in hex."""


class ParameterError(ValueError):
    """A parameter or option outside its contract; the message says which values are valid.

    The message consists of ``parts``: text, and the parameters that it names.
    """

    def __init__(self, *parts: str | Named) -> None:
        super().__init__(*parts)
        self.parts = parts

    def __str__(self) -> str:
        return self.shown(str)

    @property
    def parameter(self) -> str | None:
        """The parameter that the message names first; None if it names none."""
        return next((part.name for part in self.parts if isinstance(part, Named)), None)

    def shown(self, show: Callable[[Named], str]) -> str:
        """The message, with each parameter written by ``show``."""
        return "".join(show(part) if isinstance(part, Named) else part for part in self.parts)

    def renamed(self, names: Mapping[str, str]) -> Self:
        """The same error with the parameters renamed."""
        return type(self)(*(replace(part, name=names.get(part.name, part.name)) if isinstance(part, Named) else part
                            for part in self.parts))


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise `ParameterError` unless ``value`` is one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(Named(name), f" must be one of {', '.join(choices)}, got {value!r}", meant(value, choices))


def meant(value: object, choices: Iterable[str]) -> str:
    """The end of a message: a question whether the most similar choice was meant. Empty if none is similar."""
    import difflib  # only errors need it

    near = difflib.get_close_matches(value.strip().lower(), [*choices], 1) if isinstance(value, str) else []
    return f": did you mean {near[0]!r}?" if near else ""


def check_octet(name: str, value: Any) -> None:
    """Raise `ParameterError` unless ``value`` is an ASCII byte, 00 to 7F."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 0x7F:
        got = f"{value:02X}" if type(value) is int else repr(value)
        raise ParameterError(Named(name), f" must be a byte from 00 to 7F in hex, got {got}")


def check_flag(name: str, value: Any) -> None:
    """Raise `ParameterError` unless ``value`` is True or False."""
    if not isinstance(value, bool):
        raise ParameterError(Named(name), f" must be True or False, got {value!r}")


def check_bytes(name: str, value: object) -> None:
    """Raise TypeError unless ``value`` is bytes or another buffer."""
    try:
        memoryview(value)  # type: ignore[arg-type]  # what is no buffer is what it is for
    except TypeError:
        raise TypeError(f"{name} must be bytes, got {of_type(value)}") from None


def of_type(value: object) -> str:
    """A value and its type, for messages: ``str 'abc'``."""
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= LONGEST else f'{text[:LONGEST]}…'}"


LONGEST = 40
"""Characters of a value that an error message shows at most."""
