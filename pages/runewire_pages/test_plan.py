"""The test plan, docs/test-plan.md: each value of each option, and a test that names it.

Options come from `runewire generate`, tests from their sources: a test names a value as a keyword argument, in a dict
or as words of a command line, or uses a constant, function or fixture of its module that does.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise, product
from pathlib import Path

from runewire.commands.configure import command_fields
from runewire_model import report, transcoder
from runewire_model.encodings import ENCODINGS

from .part import DOCS, ROOT, Part

TESTS = ROOT / "tests"
ROOMS: Mapping[str, Sequence[str]] = {
    "model": ("model",), "Verilog": ("rtl",), "simulated": ("sim",), "command": ("app", "configurator"),
}
"""The columns of the table, and folders of tests."""
REGISTRIES: Mapping[str, tuple[str, Sequence[str]]] = {
    "ERRORS": ("errors", transcoder.ERRORS), "BOMS": ("bom", transcoder.BOMS),
    "PACKINGS": ("packing", transcoder.PACKINGS), "PIPELINES": ("pipeline", transcoder.PIPELINES),
    "FAMILIES": ("family", transcoder.FAMILIES), "REPORTS": ("report", report.REPORTS),
    "REPORT_PORTS": ("report-port", report.REPORT_PORTS), "COUNTERS": ("count", tuple(report.COUNTERS)),
}
"""Constants with all values of an option: a test that uses one names all of them."""
ANY = ""
"""Any value of an option that takes a number."""

EVERY_VALUE = ("core", "encoding")
"""Options whose default has a row too."""
PAIRS = ("from", "to", "encoding")

Named = set[tuple[str, str]]
"""Options and values."""


def features() -> list[tuple[str, str]]:
    """Each option of ``runewire generate`` with each of its values but the default, which every other test has; `ANY`
    for options without a list of values."""
    return [(field.name, value) for field in command_fields()
            for value in (field.values if field.values and field.name != "lanes" else (ANY,))
            if value in (ANY, *sorted({*field.values} - {field.default})) or field.name in EVERY_VALUE]


def named(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The options and values that a piece of source names."""
    if {"ENCODINGS", "TranscoderParameters"} <= {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}:
        yield from product(PAIRS, ENCODINGS)
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and each.id in REGISTRIES:
            option, values = REGISTRIES[each.id]
            yield from ((option, value) for value in values)
        elif isinstance(each, ast.Call):
            for keyword in each.keywords:
                yield from _values(keyword.arg or "", keyword.value)
            yield from _positional(each)
        elif isinstance(each, ast.Dict):
            for key, value in zip(each.keys, each.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield from _values(key.value, value)
        if isinstance(each, ast.Call | ast.List | ast.Tuple):
            words = each.args if isinstance(each, ast.Call) else each.elts
            for word, value in pairwise(words):
                if isinstance(word, ast.Constant) and str(word.value).startswith("--"):
                    yield from _values(str(word.value)[2:], value)
        elif isinstance(each, ast.Constant) and isinstance(each.value, str) and " --" in f" {each.value}":
            given = each.value.split()
            yield from ((option[2:], value) for option, value in pairwise(given)
                        if option.startswith("--"))


def _positional(call: ast.Call) -> Iterator[tuple[str, str]]:
    """Values without a keyword: the core of ``parameters``, the encodings of ``TranscoderParameters``, packages."""
    function = ast.unparse(call.func).rpartition(".")[2]
    if function in ("parameters", "model_parameters", "core", "runewire"):
        for word in call.args[:2]:
            yield from _values("core", word)
    elif function == "pairs":
        yield from product(PAIRS, ENCODINGS)
    elif function == "TranscoderParameters":
        for option, value in zip(("from", "to"), call.args, strict=False):
            yield from _values(option, value)
        if len(call.args) > 1 and isinstance(call.args[1], ast.Constant) and call.args[1].value is None:
            yield from _values("encoding", call.args[0])
    elif function.removesuffix("Parameters").lower() in (*transcoder.CORES, transcoder.TRANSCODER):
        yield "core", function.removesuffix("Parameters").lower()
    elif function in ("packaged", "chosen", "calls"):
        for each in ast.walk(call):
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                yield "package", each.value


def _values(option: str, node: ast.expr) -> Iterator[tuple[str, str]]:
    """The values in an expression, and `ANY`."""
    name = option.strip("_").replace("_", "-")
    yield name, ANY
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and each.id == "ENCODINGS":
            yield from ((name, encoding) for encoding in ENCODINGS)
        if isinstance(each, ast.Constant):
            words = {"True": "yes", "False": "no"}.get(str(each.value), str(each.value))
            yield from ((name, word) for word in words.split(","))


@cache
def names_by_test(file: Path) -> dict[str, Named]:
    """What each test of a file names, also by the constants, functions and fixtures of its module and conftest that it
    uses."""
    pieces: dict[str, list[ast.stmt]] = defaultdict(list)
    for source in (file.with_name("conftest.py"), file):
        if source.exists():
            for statement in ast.parse(source.read_text(encoding="utf-8")).body:
                for name in _defined(statement):
                    pieces[name].append(statement)
    return {name: {each for statement in _used(name, pieces) for each in named(statement)}
            for name in pieces if name.startswith("test_")}


def _defined(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else (
        [statement.target] if isinstance(statement, ast.AnnAssign) else [])
    return [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]


def _used(name: str, pieces: Mapping[str, list[ast.stmt]]) -> list[ast.stmt]:
    """The statements that define ``name`` and all names that these use; arguments are names of fixtures."""
    seen, waiting, found = {name}, [name], list[ast.stmt]()
    while waiting:
        for statement in pieces[waiting.pop()]:
            found.append(statement)
            uses = {each.id if isinstance(each, ast.Name) else each.arg for each in ast.walk(statement)
                    if isinstance(each, ast.Name | ast.arg)}
            waiting += uses & pieces.keys() - seen
            seen |= uses
    return found


@cache
def plan() -> dict[tuple[str, str], dict[str, str]]:
    """By option and value, and by column, the first test that names it."""
    found: dict[tuple[str, str], dict[str, str]] = {feature: {} for feature in features()}
    for column, folders in ROOMS.items():
        for file in sorted(file for folder in folders for file in (TESTS / folder).rglob("test_*.py")):
            for test, names in names_by_test(file).items():
                for each in names & found.keys():
                    found[each].setdefault(column, f"{file.relative_to(TESTS).as_posix()}::{test}")
    return found


def table() -> str:
    """The table in Markdown."""
    lines = [f"| option | {' | '.join(ROOMS)} |", "|---|" + "---|" * len(ROOMS)]
    for (option, value), tests in plan().items():
        cells = (f"`{tests[column].partition('::')[0]}`" if column in tests else "–" for column in ROOMS)
        name = value if option == "core" else f"--{option} {value}".rstrip()
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(lines)


GENERATED = (Part("test-plan", DOCS / "test-plan.md", table),)
