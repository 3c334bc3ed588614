"""Files of code have at most 500 lines, and functions outside tests at most seven parameters."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from runewire.commands import COMMANDS

ROOT = Path(__file__).parents[1]
ROOMS = sorted({path.parts[len(ROOT.parts)] for path in ROOT.glob("*/*/__init__.py")} - {"tests"})
SOURCES = sorted(path.relative_to(ROOT).as_posix() for room in ROOMS for path in (ROOT / room).rglob("*.py"))
COMMAND_FUNCTIONS = {(f"app/{entry.full_module.replace('.', '/')}.py", name) for name, entry in COMMANDS.items()}
"""Functions of commands: their parameters are the command's arguments and options."""


CODE = sorted(path for room in (*ROOMS, "integration", "tests") for path in (ROOT / room).rglob("*")
              if path.suffix in {".py", ".v", ".sv", ".vhd", ".c", ".cpp", ".h", ".js", ".css", ".html"})
MOST_LINES = 500


def long_signatures(file: str, source: str) -> Iterator[tuple[str, int]]:
    """The functions of a module with more than seven parameters (``self`` not counted), and the number of these."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (file, node.name) not in COMMAND_FUNCTIONS:
            given = node.args
            each = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
            names = [parameter.arg for parameter in each if parameter is not None]
            if len(names) - (names[:1] in (["self"], ["cls"])) > 7:
                yield node.name, len(names)


def test_functions_have_at_most_seven_parameters() -> None:
    assert len(SOURCES) > 300
    assert [(file, *found) for file in SOURCES
            for found in long_signatures(file, (ROOT / file).read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(("source", "found"), [
    ("def f(a, b, c, d, e, *f, g): ...", []), ("def f(a, b, c, d, e, *f, g, **h): ...", [("f", 8)]),
    ("class C:\n def f(self, a, b, c, d, e, f, g): ...", []),
    ("def f():\n def g(a, b, c, d, /, e, f, g, h): ...", [("g", 8)]),
])
def test_a_long_signature_is_found(source: str, found: list[tuple[str, int]]) -> None:
    assert list(long_signatures("", source)) == found


def test_files_of_code_have_at_most_500_lines() -> None:
    assert len(CODE) > len(SOURCES)
    lines = {path.relative_to(ROOT).as_posix(): path.read_bytes().count(b"\n") for path in CODE}
    assert [f"{file}: {count} lines" for file, count in lines.items() if count > MOST_LINES] == []
