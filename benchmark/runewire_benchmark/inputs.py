"""Inputs of a comparison: texts, clean and damaged, in one piece and in packets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runewire_model import ParameterError, validate
from runewire_model.texts import SCRIPTS, damage, generate, length_shares

PACKET_BYTES = 1500
"""Packet size: the payload of an Ethernet frame."""

LARGE_BYTES = 1 << 26
"""Bytes of a long text: more than the caches of a core hold."""

SPACINGS: tuple[int | None, ...] = (None, 1024, 64)
"""Bytes of text per inserted error; None for undamaged text."""


@dataclass(frozen=True)
class SampleText:
    """A text to measure with. `well_formed` is false for a user's file that contains ill-formed UTF-8."""

    name: str
    data: bytes
    well_formed: bool

    @property
    def shares(self) -> tuple[float, float, float, float]:
        """Shares of its characters that are one to four bytes long."""
        return length_shares(self.data)


@dataclass(frozen=True)
class Case:
    """One input: a text with an error every `spacing` bytes or undamaged, in one piece or cut to `packet_bytes`."""

    text: str
    spacing: int | None
    packet_bytes: int | None


def cut(data: bytes, length: int) -> list[bytes]:
    """`data` in pieces of at most `length` bytes (4 or more); no cut is inside a character."""
    pieces = []
    start = 0
    while start < len(data):
        end = min(start + length, len(data))
        while end < len(data) and end > start + length - 3 and 0x80 <= data[end] < 0xC0:
            end -= 1
        pieces.append(data[start:end])
        start = end
    return pieces


def cases(text: SampleText) -> Iterator[tuple[Case, list[bytes]]]:
    """Every case of `text` with its packets. Damage never moves the cuts, and needs a text with room for one error."""
    lengths = [len(piece) for piece in cut(text.data, PACKET_BYTES)]
    for spacing in SPACINGS:
        if spacing is not None and len(text.data) < spacing:
            continue
        data = text.data if spacing is None else damage(text.data, 1 / spacing)
        yield Case(text.name, spacing, None), [data]
        starts = [0]
        for length in lengths:
            starts.append(starts[-1] + length)
        pieces = [data[start : start + length] for start, length in zip(starts, lengths, strict=False)]
        yield Case(text.name, spacing, PACKET_BYTES), pieces


def builtin(size: int) -> list[SampleText]:
    """The built-in texts, `size` bytes of each."""
    return [SampleText(script, generate(script, size), True) for script in SCRIPTS]


def from_files(paths: Sequence[Path], size: int) -> list[SampleText]:
    """The texts in `paths`, each cut to at most its first `size` bytes, at the end of a character.

    Raises `ParameterError` for an empty file, OSError for an unreadable one.
    """
    different = list(dict.fromkeys(paths))
    names = [path.name for path in different]
    found = []
    for path in different:
        with path.open("rb") as file:
            data = file.read(size + 4)
        if not data:
            raise ParameterError(f"{path} is empty: there is nothing to measure")
        data = cut(data, size)[0]
        name = path.name if names.count(path.name) == 1 else str(path)
        found.append(SampleText(name, data, validate(data) is None))
    return found


def lengthened(text: SampleText, size: int) -> SampleText:
    """``text``; if it is shorter than ``size`` bytes, it is repeated up to that size or slightly less."""
    data = text.data * -(-size // len(text.data))
    return SampleText(text.name, cut(data, size)[0], text.well_formed)
