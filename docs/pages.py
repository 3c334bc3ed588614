"""Generated parts of the pages. Each is between two comments with its name and its command."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType


@dataclass(frozen=True)
class Part:
    """The part ``name`` of the file ``page``, which ``python docs/<command>`` makes."""

    page: Path
    name: str
    command: str

    def within(self, page: str, text: str) -> str:
        """The page with this text as the part."""
        begin, end = f"<!-- {self.name}: python docs/{self.command} -->", f"<!-- end of {self.name} -->"
        before, rest = page.split(begin)
        return f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}"

    def has(self, text: str) -> bool:
        """Whether the page has the text there."""
        page = self.page.read_text(encoding="utf-8")
        return self.within(page, text) == page

    def write(self, text: str) -> None:
        """Put the text into the page."""
        self.page.write_text(self.within(self.page.read_text(encoding="utf-8"), text), encoding="utf-8")


def main(
    show: Callable[[], str], write: Callable[[], object],
    measures: Mapping[tuple[str, ...], Callable[[], None]] = MappingProxyType({}),
) -> None:
    """Do what the command line asks for: print, ``--write``, or where there is something to measure ``--measure``, and
    after that what of it."""
    match sys.argv[1:]:
        case ["--measure", *what] if tuple(what) in measures:
            measures[tuple(what)]()
            write()
        case ["--write"]:
            write()
        case _:
            print(show())
