"""Each generated part of the pages is up to date, and each of the pages' comments names one."""

import re

import pytest
from runewire_pages.part import DOCS, README, GeneratedFile, Part
from runewire_pages.registry import MEASUREMENTS, NAMES, PARTS
from runewire_pages.verification import MINUTES

PAGES = [README, *sorted(DOCS.rglob("*.md"))]


def marks(part: GeneratedFile) -> list[pytest.MarkDecorator]:
    """What builds every core with a proof is among the records; what simulates or builds wide cores is slow."""
    if part.duration == MINUTES:
        return [pytest.mark.records, pytest.mark.slow]
    return [pytest.mark.slow] if part.duration else []


@pytest.mark.parametrize("part", [pytest.param(part, marks=marks(part), id=str(part)) for part in PARTS])
def test_a_part_is_up_to_date(part: GeneratedFile) -> None:
    assert part.is_current(), f"run runewire pages --write {part.name}"


def test_comments_of_the_pages_and_parts_are_the_same() -> None:
    begun = [(page, name, command) for page in PAGES for name, command in re.findall(
        r"^<!-- ([^:\n]+): (.+) -->$", page.read_text(encoding="utf-8"), re.MULTILINE)]
    assert sorted(begun) == sorted((part.file, part.name, f"runewire pages --write {part.name}")
                                   for part in PARTS if isinstance(part, Part))


def test_a_measurement_ends_in_parts_that_there_are() -> None:
    assert {name for each in MEASUREMENTS.values() for name in each.parts} <= set(NAMES)


def test_a_name_is_a_word_of_the_command_line() -> None:
    for name in (*NAMES, *MEASUREMENTS):
        assert re.fullmatch(r"[a-z-]+", name)
