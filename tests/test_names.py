"""Signals have the same names in every Python: Amaranth reads them from the bytecode of the assignment."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from amaranth import tracer
from runewire_model import (
    DecoderParameters,
    EncoderParameters,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
)
from runewire_rtl.verilog import verilog_text

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path.relative_to(ROOT) for room in ("rtl", "proofs", "sim", "fpga", "app", "tests")
                 for path in (ROOT / room).rglob("*.py") if "amaranth" in path.read_text(encoding="utf-8"))
NAMED = {"Signal", "Signal.like", "Memory", "MemoryData", "ClockDomain", "create"}
"""Calls that take the name of the variable that they are assigned to."""


def named_by_chance(source: str) -> list[str]:
    """Calls of `NAMED` without a name in an assignment of any form but ``name = Signal()``.

    In such an assignment some versions of Python find the name, others none, or the name of another variable.
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


CORES = [
    ValidatorParameters(2), DecoderParameters(2), EncoderParameters(1), SanitizerParameters(2, pipeline="compact"),
    TranscoderParameters("utf-16", "utf-8", 1, bom="add"), ValidatorParameters(1, null_bytes="anywhere"),
]


@cache
def assigned(file: str) -> dict[tuple[int | None, int | None], str]:
    """The names of calls, by line and column, that are the whole value of an assignment to one name or attribute."""
    found = {}
    for node in ast.walk(ast.parse(Path(file).read_bytes())):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(node.targets) == 1:
            [target] = node.targets
            if isinstance(target, ast.Name | ast.Attribute):
                name = target.id if isinstance(target, ast.Name) else target.attr
                found[node.value.lineno, node.value.col_offset] = name
    return found


def in_source(frame: FrameType) -> str | None:
    """The name that the call under way in ``frame`` is assigned to in the source, if its assignment is plain."""
    line, _, column, _ = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    return assigned(frame.f_code.co_filename).get((line, column))


@pytest.mark.parametrize("parameters", CORES, ids=repr)
def test_the_text_of_a_core_has_the_names_of_its_source(
    parameters: TranscoderParameters, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it is the same in every Python, without a record of it."""
    found: list[tuple[str, int, Any, Any]] = []
    read = tracer.get_var_name

    def traced(depth: int = 2, default: Any = None) -> Any:
        frame = sys._getframe(depth)
        name = read(depth + 1, default)
        found.append((frame.f_code.co_filename, frame.f_lineno, name, in_source(frame) or default))
        return name

    monkeypatch.setattr(tracer, "get_var_name", traced)
    verilog_text(parameters)
    assert found
    assert [each for each in found if each[2] != each[3]] == []
