"""The interface of an encoding, for model, hardware and tests: its units, and the meaning of its text."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

from ..byte_order_mark import leading_mark
from ..errors import FirstError, check_bytes, check_choice
from ..scalars import NARROW_REPLACEMENT, REPLACEMENT


def check_text(data: object, errors: object, bom: object) -> None:
    """Raise TypeError unless ``data`` is bytes, `ParameterError` for values that `Encoding.decode` does not accept."""
    check_bytes("data", data)
    check_choice("errors", errors, ("replace", "drop"))
    check_choice("bom", bom, ("keep", "strip"))


@dataclass(frozen=True, eq=False)
class Rule:
    """One pattern of units that a sequence may have, for example ``E0 A0..BF 80..BF``.

    ``classes``: the permitted values of each unit.
    ``fault``: the name of the fault, "" for a well-formed sequence.
    ``ended``: what cuts the sequence short: "unit" (a unit that does not continue it), "end" (the packet's end), or
    "inside" (the packet ends within a unit; ``classes`` leaves out that unit). "" for a complete sequence.
    """

    name: str
    classes: tuple[range, ...]
    fault: str = ""
    ended: str = ""

    @property
    def units(self) -> int:
        """Number of units, an incomplete one included."""
        return len(self.classes) + (self.ended == "inside")


class Encoding(ABC):
    """An encoding of Unicode text (Unicode chapter 3, "encoding scheme"): scalars to units, units to bytes.

    Text is counted in *units* of 1, 2 or 4 bytes. A packet's last unit may be incomplete. It then belongs to an
    ill-formed subpart, TOO_SHORT at the subpart's first unit. The subpart is the incomplete unit alone, or the sequence
    that it cuts short together with it.
    """

    name: ClassVar[str]
    """Its name on the command line: "utf-8", "utf-32le"."""
    title: ClassVar[str]
    """Its name for people: "UTF-8", "UTF-32LE"."""
    unit_bytes: ClassVar[int]
    """Bytes of a unit: 1, 2 or 4."""
    unit: ClassVar[str]
    """What a unit is called in messages: "byte", "unit" or "scalar"."""
    byte_order: ClassVar[Literal["little", "big"]] = "little"
    """Which byte of a unit comes first: its least or its most significant one."""
    most_units: ClassVar[int]
    """Units of the longest sequence of one scalar."""
    greatest: ClassVar[int] = 0x10FFFF
    """The greatest scalar that it holds."""
    byte_order_marks: ClassVar[tuple[bytes, ...]] = ()
    """The byte sequences that ``bom="strip"`` removes at a packet's start: U+FEFF in each byte order that a packet may
    have. Empty for an encoding without a byte order mark."""
    rules: ClassVar[tuple[Rule, ...]]
    """All patterns of sequences, well-formed and ill-formed; every input matches some. They are written independently
    of the decoder: tests count which of them occurred."""
    goes_on: ClassVar[range] = range(0)
    """Units that only ever continue a sequence. After 1, 2 or 3 of them, any other unit starts a new sequence."""
    edges: ClassVar[tuple[int, ...]]
    """The first and last unit of each class that the encoding distinguishes, for tests."""
    wrong: ClassVar[tuple[bytes, ...]]
    """Ill-formed sequences, at least one of each kind, from both ends of their ranges, for tests."""
    troublemakers: ClassVar[Mapping[str, bytes]] = MappingProxyType({})
    """Packets that some decoder got wrong, by their description, for tests."""

    @abstractmethod
    def decode(self, data: bytes, errors: str = "replace", bom: str = "keep") -> list[int]:
        """The scalars of a packet.

        ``errors``: "replace" gives one U+FFFD for each ill-formed subpart, "drop" nothing.
        ``bom``: "strip" leaves out one byte order mark at the packet's start, "keep" does not.
        Raises `ParameterError` for another ``errors`` or ``bom``, TypeError for what is not bytes.
        """

    @abstractmethod
    def encode(self, scalars: Sequence[int]) -> bytes:
        """The bytes of Unicode scalar values, none above `greatest`."""

    @abstractmethod
    def first_error(self, data: bytes) -> FirstError | None:
        """The first error of a packet, its offset in units; None for a well-formed packet."""

    def error_end(self, data: bytes, error: FirstError) -> int:
        """Index of the last unit of the sequence at a packet's first error: with it the error is known."""
        return error.offset

    @abstractmethod
    def ends(self, data: bytes, errors: str = "replace", bom: str = "keep") -> bytes:
        """For each unit of a packet, 1 if a scalar of `decode` ends there, else 0.

        A scalar ends at its sequence's last unit. The U+FFFD of an ill-formed subpart ends at the subpart's last unit.
        """

    @abstractmethod
    def cut(self, data: bytes | bytearray | memoryview, near: int) -> int:
        """The last offset in bytes, at most ``near``, at which a packet can be cut in two.

        The parts can be decoded separately, each in the packet's byte order (`order_of`): no sequence and no ill-formed
        subpart crosses the cut. ``near`` is inside the packet.
        """

    def unfinished(self, data: bytes) -> int:
        """Bytes at the end of ``data`` whose meaning depends on the bytes that follow in the text."""
        return len(data) % self.unit_bytes

    def __str__(self) -> str:
        return self.title

    @property
    def oracle(self) -> str:
        """Name of an independent codec of this encoding in Python's `codecs`, for cross-checks and packets of tests:
        CPython's codec of the same name, unless the encoding names another."""
        return self.name

    @property
    def replacement(self) -> int:
        """The replacement for ill-formed input and for scalars that the encoding lacks: U+FFFD, or ``?`` if it lacks
        U+FFFD."""
        return REPLACEMENT if self.greatest >= REPLACEMENT else NARROW_REPLACEMENT

    @property
    def orders(self) -> tuple["Encoding", ...]:
        """The encodings of fixed byte order that a packet may be in. The first one is used without a byte order
        mark."""
        return (self,)

    def order_of(self, data: bytes | bytearray | memoryview) -> "Encoding":
        """The encoding among `orders` that a packet is in."""
        return self

    def mark(self, data: bytes) -> bytes:
        """The byte order mark that a packet begins with; empty without one."""
        return leading_mark(data, self.byte_order_marks)

    def count(self, data: bytes) -> int:
        """Number of code points in a well-formed packet."""
        return sum(self.ends(data))

    def units(self, size: int) -> int:
        """Number of units in ``size`` bytes, an incomplete one included."""
        return -(-size // self.unit_bytes)

    def pack(self, units: Sequence[int]) -> bytes:
        """The bytes of ``units``, numbers below ``256 ** unit_bytes``."""
        return b"".join([unit.to_bytes(self.unit_bytes, self.byte_order) for unit in units])

    def unpack(self, data: bytes) -> list[int]:
        """The complete units of a packet."""
        size = self.unit_bytes
        return [int.from_bytes(data[at : at + size], self.byte_order) for at in range(0, len(data) - size + 1, size)]


class Pair(ABC):
    """A fused pair of encodings: some target units are output before their scalar ends, which takes fewer slots."""

    slots: ClassVar[int]
    """Target units in one lane, at most."""
    takes_a_byte: ClassVar[bool] = False
    """Whether the replacement may be one byte that the user chose."""

    def serves(self, errors: str, replacement: int | None) -> bool:
        """Whether the pair is fused with these options. Otherwise front end and back end are used separately."""
        return True

    @abstractmethod
    def made(self, source: Encoding, data: bytes, errors: str, bom: str) -> Sequence[int]:
        """For each unit of a packet, the number of target units in its lane."""
