"""A generated part of the pages: a table between two comments of a page, or a picture."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The checkout."""
DOCS = ROOT / "docs"
README = ROOT / "README.md"
RECORDS = ROOT / "records"
"""Results of measurements and proofs."""


@dataclass(frozen=True)
class GeneratedFile:
    """A generated file of the pages.

    Attributes
    ----------
    name : what ``runewire pages`` calls it; parts made together share a name
    file : the file
    text : makes the text
    duration : how long that takes, in words; empty for seconds
    """

    name: str
    file: Path
    text: Callable[[], str]
    duration: str = ""

    def content(self) -> str:
        """The whole file, as it should be."""
        return self.text()

    def is_current(self) -> bool:
        """Whether the file is as it should be."""
        return self.file.exists() and self.file.read_text(encoding="utf-8") == self.content()

    def write(self) -> None:
        """Write the file."""
        self.file.write_text(self.content(), encoding="utf-8")

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}: {self.name}"


@dataclass(frozen=True)
class Part(GeneratedFile):
    """The lines of a page between ``<!-- NAME: runewire pages --write NAME -->`` and ``<!-- end of NAME -->``."""

    def content(self) -> str:
        """The page with the text between the two comments. Raises ValueError for a page that lacks one of them."""
        begin, end = f"<!-- {self.name}: runewire pages --write {self.name} -->\n", f"\n<!-- end of {self.name} -->"
        page = self.file.read_text(encoding="utf-8")
        before, begins, rest = page.partition(begin)
        _, ends, after = rest.partition(end)
        if not begins or not ends:
            missing = (end if begins else begin).strip()
            raise ValueError(f"{self.file} must have a line {missing!r}, and has none")
        return f"{before}{begin}{self.text()}{end}{after}"


@dataclass(frozen=True)
class Measurement:
    """A measurement that parts of the pages are made from.

    Attributes
    ----------
    name : what ``runewire pages --measure`` calls it
    run : measures, and writes the record
    parts : names of the parts that are made from the record
    duration : how long it takes, in words
    """

    name: str
    run: Callable[[], None]
    parts: tuple[str, ...]
    duration: str
