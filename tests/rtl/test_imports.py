"""Modules of the cores import each other one way, imports for types included."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
import runewire_rtl

ROOT = Path(runewire_rtl.__path__[0])
NAMES = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix("__init__").rstrip("."): path
         for path in ROOT.rglob("*.py")}


def imported(source: str, name: str, *, package: bool) -> set[str]:
    """The modules of `NAMES` that the module ``name`` imports."""
    found = set()
    parts = name.split(".") if name else []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = parts[: len(parts) - node.level + package]
            module = ".".join([*base, *([node.module] if node.module else [])])
            inside = {f"{module}.{alias.name}".lstrip(".") for alias in node.names} & NAMES.keys()
            found |= inside or {module}
    return found


def cycle(imports: dict[str, set[str]]) -> list[str]:
    """Modules of which each imports the one before it, the first and the last the same; none where there are none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other() -> None:
    imports = {name: imported(path.read_text(encoding="utf-8"), name, package=path.name == "__init__.py")
               for name, path in NAMES.items() if name}
    # Not at the start of a module: the core itself is imported when parameters create it.
    imports["parameters"] -= {"compact", "filtering", "splitting.splitter", "transcoder"}
    assert cycle(imports) == []


@pytest.mark.parametrize(("source", "name", "package", "found"), [
    ("from .gates import cleared", "pipeline.lanes", False, {"pipeline.gates"}),
    ("from ..pipeline import Lanes", "input.input_stage", False, {"pipeline"}),
    ("from ..pipeline import Lanes, gates", "packing.rows", False, {"pipeline.gates"}),
    ("from .lanes import Lanes", "pipeline", True, {"pipeline.lanes"}),
    ("if TYPE_CHECKING:\n    from ...pipeline import Plan", "encodings.utf8.faults", False, {"pipeline"}),
])
def test_imports_are_found(source: str, name: str, package: bool, found: set[str]) -> None:
    assert imported(source, name, package=package) == found


def test_a_circle_is_found() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) in (
        ["a", "c", "b", "a"], ["b", "a", "c", "b"], ["c", "b", "a", "c"])
