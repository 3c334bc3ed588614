"""Bytes that are not read as text: the packer's input and output."""

from collections.abc import Sequence
from typing import ClassVar

from .base import Encoding, Pair, Rule
from .latin1 import Latin1


class Octets(Latin1):
    """Bytes: each is a unit, and none is ill-formed."""

    name: ClassVar[str] = "bytes"
    title: ClassVar[str] = "bytes"
    rules: ClassVar[tuple[Rule, ...]] = (Rule("00..FF", (range(0x100),)),)

    @property
    def oracle(self) -> str:
        return Latin1.name


class OctetsToOctets(Pair):
    """Bytes to bytes: each stays as it is."""

    slots: ClassVar[int] = 1

    def made(self, source: Encoding, data: bytes, errors: str, bom: str) -> Sequence[int]:
        return b"\1" * len(data)
