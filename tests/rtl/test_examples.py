"""Examples in docstrings of the cores' packages give what they show."""

import doctest
import importlib
from pathlib import Path

import pytest
import runewire_rtl

PACKAGE = Path(runewire_rtl.__file__).parent
EXAMPLES = [path for path in sorted(PACKAGE.rglob("*.py")) if ">>>" in path.read_text(encoding="utf-8")]


def module(path: Path) -> str:
    return ".".join((PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


@pytest.mark.parametrize("name", [module(path) for path in EXAMPLES])
def test_examples_give_what_they_show(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried > 0
    assert failed == 0


def test_the_package_of_pipelines_begins_with_an_example() -> None:
    assert "runewire_rtl.pipeline" in map(module, EXAMPLES)
