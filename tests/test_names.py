"""Signals have the same names in every Python: Amaranth reads them from the bytecode of the assignment."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path.relative_to(ROOT) for room in ("model", "rtl", "proofs", "sim", "fpga", "app", "tests", "docs")
                 for path in (ROOT / room).rglob("*.py"))
NAMED = {"Signal", "Signal.like", "Memory", "MemoryData", "ClockDomain", "create"}
"""Calls that take the name of the variable that they are assigned to."""


def named_by_chance(source: str) -> list[str]:
    """Calls of `NAMED` without a name in an assignment of any form but ``name = Signal()``.

    From such an assignment some versions of Python give the name, others none, or that of another variable.
    """
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Assign | ast.NamedExpr) or node.value is None:
            continue
        plain = isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(
            node.targets[0], ast.Name | ast.Attribute)
        found += [ast.unparse(value) for value in stored(node.value)
                  if takes_name(value) and not (plain and value is node.value)]
    return found


def stored(value: ast.expr) -> Iterator[ast.expr]:
    """A value that is assigned, its elements, and the choices of a conditional expression."""
    yield value
    if isinstance(value, ast.Tuple | ast.List):
        for element in value.elts:
            yield from stored(element)
    elif isinstance(value, ast.IfExp):
        yield from stored(value.body)
        yield from stored(value.orelse)


def takes_name(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    function = ast.unparse(value.func).removeprefix("hdl.")
    if function.endswith(".create"):
        function = "create"
    has_name = (function == "ClockDomain" and value.args) or any(
        keyword.arg in {"name", "path"} for keyword in value.keywords)
    return function in NAMED and not has_name


@pytest.mark.parametrize("path", SOURCES, ids=str)
def test_every_name_is_the_same_in_every_python(path: Path) -> None:
    assert named_by_chance((ROOT / path).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("source", [
    "m, load = Module(), Signal()", "self.filled, self.ends = 1, Signal(4)", "a, (b, c) = 1, (2, Signal())",
    "both = [1, Signal()]", "first = second = Signal()", "m.submodules[name] = memory = Memory(shape=1)",
    "row = stream.Signature(8).create() if apart else other", "wires['x'] = hdl.Signal()", "f(a := Signal())",
    "copy, other = Signal.like(copy), 1", "m.domains.sync = domain = ClockDomain()",
])
def test_a_name_by_chance_is_found(source: str) -> None:
    assert len(named_by_chance(source)) == 1


@pytest.mark.parametrize("source", [
    "load = Signal()", "self.load = Signal(4)", "a, b = Signal(name='a'), Signal(4, name='b')",
    "a, b = (Signal() for _ in range(2))", "m.domains.sync = domain = ClockDomain('sync')", "f(Signal())",
    "row = beat.create(path=('row',)) if apart else other",
])
def test_a_name_that_is_sure_passes(source: str) -> None:
    assert named_by_chance(source) == []
