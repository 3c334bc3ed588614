"""A part replaces the lines between its comments, and no others."""

from pathlib import Path

import pytest
from runewire_pages.part import GeneratedFile, Part

PAGE = "before\n<!-- sum: runewire pages --write sum -->\n{}\n<!-- end of sum -->\nafter\n"


def test_a_part_is_written_between_its_comments(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.format("2"))
    part = Part("sum", page, lambda: "3")
    assert not part.is_current()
    part.write()
    assert page.read_text() == PAGE.format("3")
    assert part.is_current()


@pytest.mark.parametrize("missing", ["<!-- sum: runewire pages --write sum -->", "<!-- end of sum -->"])
def test_a_page_without_a_comment_is_named(missing: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.format("2").replace(missing, ""))
    with pytest.raises(ValueError, match=f"page.md must have a line '{missing}'"):
        Part("sum", page, lambda: "3").write()


def test_a_picture_is_a_whole_file(tmp_path: Path) -> None:
    picture = GeneratedFile("wave", tmp_path / "wave.svg", lambda: "<svg/>")
    assert not picture.is_current()
    picture.write()
    assert picture.is_current()
    assert picture.file.read_text() == "<svg/>"
