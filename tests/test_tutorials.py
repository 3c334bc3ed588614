"""Tutorials: the commands and files of each page are run in the order of the page, and print what it shows."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

TUTORIALS = Path(__file__).parents[1] / "docs" / "tutorials"
STAND_INS = Path(__file__).parent / "stand_ins"
"""Programs that are not to be had, as far as the pages need them."""
PAGES = sorted(TUTORIALS.glob("*.md"))
NEEDS = {"vivado": ("tcl",), "conformance": ("iverilog",), "ndjson": ("iverilog",)}
"""Debian's packages that a page needs."""
NOT_RUN = "console"
"""Language of a block that needs the network, a board or a password."""


class Block(NamedTuple):
    """A fenced block: its language, the file that it is the text of, and its lines."""

    language: str
    file: str
    text: str


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page that are followed."""
    text = page.read_text(encoding="utf-8")
    for found in re.findall(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', text, re.DOTALL | re.MULTILINE):
        block = Block(*found)
        if block.language != NOT_RUN:
            yield block


def lacking(shown: str, printed: str) -> list[str]:
    """Lines that are shown and were not printed in this order."""
    rest = printed
    missing = []
    for line in filter(None, map(str.strip, shown.splitlines())):
        _, found, after = rest.partition(line)
        if found:
            rest = after
        else:
            missing.append(line)
    return missing


def follow(page: Path, folder: Path) -> None:
    """Write the files of a page, run its commands, and compare what they print."""
    path = os.pathsep.join([str(Path(sys.executable).parent), str(STAND_INS), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path}
    printed = ""
    for block in blocks(page):
        if block.file:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "sh":
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block.text], cwd=folder, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            printed = done.stdout
            assert done.returncode == 0, f"{block.text}\n{printed}"
        elif block.language == "text":
            assert lacking(block.text, printed) == [], printed
        else:
            raise AssertionError(f"a block of {block.language} without a file")


@pytest.mark.slow
@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem, marks=[
    pytest.mark.needs(*packages)] if (packages := NEEDS.get(page.stem, ())) else []) for page in PAGES])
def test_a_tutorial_does_what_it_shows(page: Path, tmp_path: Path) -> None:
    follow(page, tmp_path)


PAGE = '# A page\n\n```console\n$ false\n```\n\n```c title="a/b.c"\nint x;\n```\n\n```sh\ncat a/b.c; {}\n```\n\n' \
       "```text\nint x;\n{}\n```\n"


@pytest.mark.parametrize(("command", "shown", "message"), [
    ("echo two", "two", ""), ("echo two", "three", "three"), ("false", "", "cat a/b.c; false")])
def test_a_page_whose_command_fails_or_prints_something_else_is_found(
        command: str, shown: str, message: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(command, shown), encoding="utf-8")
    if message:
        with pytest.raises(AssertionError, match=message):
            follow(page, tmp_path)
    else:
        follow(page, tmp_path)
        assert (tmp_path / "a" / "b.c").read_text() == "int x;\n"
