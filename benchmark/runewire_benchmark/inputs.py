"""What is measured: texts, clean and damaged, whole and in packets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runewire_model import ParameterError, validate
from runewire_model.texts import SCRIPTS, damage, generate, length_shares

PACKET_BYTES = 1500
"""An Ethernet frame's worth."""

LARGE_BYTES = 1 << 26
"""Bytes of a long text: more than the caches of a core hold."""

SPACINGS: tuple[int | None, ...] = (None, 1024, 64)
"""Bytes of text for each error that is put into it; None for the text as it is."""


@dataclass(frozen=True)
class Text:
    """A text to measure with. `well_formed` is false for a user's file that is not UTF-8 throughout."""

    name: str
    data: bytes
    well_formed: bool

    @property
    def shares(self) -> tuple[float, float, float, float]:
        """Shares of its characters that are one to four bytes long."""
        return length_shares(self.data)


@dataclass(frozen=True)
class Case:
    """One input: a text with an error every `spacing` bytes or as it is, whole or cut to `packet_bytes`."""

    text: str
    spacing: int | None
    packet_bytes: int | None


def cut(data: bytes, length: int) -> list[bytes]:
    """`data` in pieces of at most `length` bytes (4 or more), none of which ends inside a character."""
    pieces = []
    start = 0
    while start < len(data):
        end = min(start + length, len(data))
        while end < len(data) and end > start + length - 3 and 0x80 <= data[end] < 0xC0:
            end -= 1
        pieces.append(data[start:end])
        start = end
    return pieces


def cases(text: Text) -> Iterator[tuple[Case, list[bytes]]]:
    """Every case of `text` with its packets. Damage never moves the cuts, and needs room for one error."""
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


def builtin(size: int) -> list[Text]:
    """The built-in texts, `size` bytes of each."""
    return [Text(script, generate(script, size), True) for script in SCRIPTS]


def from_files(paths: Sequence[Path], size: int) -> list[Text]:
    """The texts in `paths`, each cut to its first `size` bytes or a little less, at the end of a character.

    Raises `ParameterError` for an empty file, OSError for one that cannot be read.
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
        found.append(Text(name, data, validate(data) is None))
    return found


def lengthened(text: Text, size: int) -> Text:
    """``text``, repeated to ``size`` bytes or a little less where it is shorter."""
    data = text.data * -(-size // len(text.data))
    return Text(text.name, cut(data, size)[0], text.well_formed)
