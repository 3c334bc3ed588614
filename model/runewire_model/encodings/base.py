"""What model, hardware and tests know of an encoding: how it is cut into units, and what its text means."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

from ..byte_order_mark import leading_mark
from ..errors import FirstError, check_bytes, check_choice
from ..scalars import NARROW_REPLACEMENT, REPLACEMENT

__all__ = ["Encoding", "Pair", "Rule", "check_text"]


def check_text(data: object, errors: object, bom: object) -> None:
    """Raise TypeError unless ``data`` is bytes, `ParameterError` unless the options are those of `Encoding.decode`."""
    check_bytes("data", data)
    check_choice("errors", errors, ("replace", "drop"))
    check_choice("bom", bom, ("keep", "strip"))


@dataclass(frozen=True, eq=False)
class Rule:
    """A way for a sequence of units to be, such as ``E0 A0..BF 80..BF``.

    ``classes``: the values that each of its units has. ``fault``: what is wrong with it, "" for nothing.
    ``ended``: what cuts it short, "unit" (one that does not go on with it), "end" (the packet's), or "inside" for the
    packet's end within its last unit, which is then not among ``classes``; "" if it is whole.
    """

    name: str
    classes: tuple[range, ...]
    fault: str = ""
    ended: str = ""

    @property
    def units(self) -> int:
        """Its units, an incomplete one counted."""
        return len(self.classes) + (self.ended == "inside")


class Encoding(ABC):
    """An encoding of Unicode text (Unicode chapter 3, "encoding scheme"): scalars to units, units to bytes.

    A *unit* is what text is counted in: 1, 2 or 4 bytes. A packet's last unit may be incomplete: then it belongs to an
    ill-formed subpart that is TOO_SHORT at its first unit. That is the incomplete one, unless the units before it begin
    a sequence that it cuts short.
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
    """U+FEFF, as it may stand at a packet's start to be stripped: in each byte order that a packet may have, and none
    where no byte sequence means it."""
    rules: ClassVar[tuple[Rule, ...]]
    """The ways in which sequences are well formed or ill-formed. They leave nothing out, and are written apart from
    what decodes: tests count which of them were seen."""
    goes_on: ClassVar[range] = range(0)
    """Units that only ever go on with a sequence: of 1, 2 or 3 of them, the next unit that is none begins anew."""
    edges: ClassVar[tuple[int, ...]]
    """Units at the first and last place of every class that the encoding tells apart, for tests."""
    wrong: ClassVar[tuple[bytes, ...]]
    """One ill-formed sequence of each kind and more, the first and last of their ranges, for tests."""
    troublemakers: ClassVar[Mapping[str, bytes]] = MappingProxyType({})
    """Packets that some decoder got wrong, by what they are, for tests."""

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
        """The first error of a packet, its offset in units; None when it is well-formed."""

    @abstractmethod
    def ends(self, data: bytes, errors: str = "replace", bom: str = "keep") -> bytes:
        """For each unit of a packet, 1 where a scalar of `decode` comes to its end, else 0.

        A scalar ends with its sequence's last unit, and so does the U+FFFD of an ill-formed subpart.
        """

    @abstractmethod
    def cut(self, data: bytes | bytearray | memoryview, near: int) -> int:
        """The last offset in bytes, at most ``near``, at which a packet may be cut in two that are decoded apart, each
        in the byte order of the whole (`order_of`).

        ``near`` is inside the packet. No sequence and no ill-formed subpart lies across the cut.
        """

    def __str__(self) -> str:
        return self.title

    @property
    def oracle(self) -> str:
        """The name of an independent codec of this encoding, as Python's `codecs` has it; cross-checks and packets of
        tests are made by it. CPython's codec of the same name, unless the encoding says otherwise."""
        return self.name

    @property
    def replacement(self) -> int:
        """What stands for what is ill-formed in the source, and for scalars that the encoding lacks: U+FFFD, or ``?``
        where it lacks that too."""
        return REPLACEMENT if self.greatest >= REPLACEMENT else NARROW_REPLACEMENT

    @property
    def orders(self) -> tuple["Encoding", ...]:
        """The encodings of a known byte order that a packet may be in, first the one that it is in without a mark."""
        return (self,)

    def order_of(self, data: bytes | bytearray | memoryview) -> "Encoding":
        """The one of `orders` that a packet is in."""
        return self

    def mark(self, data: bytes) -> bytes:
        """The byte order mark that a packet begins with, empty where it has none."""
        return leading_mark(data, self.byte_order_marks)

    def count(self, data: bytes) -> int:
        """Code points in a packet of well-formed text."""
        return sum(self.ends(data))

    def units(self, size: int) -> int:
        """Units that ``size`` bytes take, an incomplete one counted."""
        return -(-size // self.unit_bytes)

    def pack(self, units: Sequence[int]) -> bytes:
        """The bytes of units, which are numbers below ``256 ** unit_bytes``."""
        return b"".join([unit.to_bytes(self.unit_bytes, self.byte_order) for unit in units])

    def unpack(self, data: bytes) -> list[int]:
        """The whole units of a packet."""
        size = self.unit_bytes
        return [int.from_bytes(data[at : at + size], self.byte_order) for at in range(0, len(data) - size + 1, size)]


class Pair(ABC):
    """Two encodings between which units do not all wait for their scalar's end, and so take fewer slots."""

    slots: ClassVar[int]
    """Units of the target that one lane has at most."""
    takes_a_byte: ClassVar[bool] = False
    """Whether a byte of choice may stand for what is ill-formed."""

    def serves(self, errors: str, replacement: int | None) -> bool:
        """Whether they are fused with these options; else each serves by itself."""
        return True

    @abstractmethod
    def made(self, source: Encoding, data: bytes, errors: str, bom: str) -> Sequence[int]:
        """For each unit of a packet, how many units of the target stand in its lane."""
