"""Imports point one way: {model, jobs} <- rtl <- {fpga <- benchmark <- configurator, proofs <- sim} <- app <- pages.

Drawing is below fpga, benchmark, configurator, app and pages. The golden model and drawing import the standard library
alone; jobs that and Dask.
"""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = {
    "runewire_model": "model",
    "runewire_jobs": "jobs",
    "runewire_rtl": "rtl",
    "runewire_proofs": "proofs",
    "runewire_sim": "sim",
    "runewire_drawing": "drawing",
    "runewire_fpga": "fpga",
    "runewire_benchmark": "benchmark",
    "runewire_configurator": "configurator",
    "runewire": "app",
    "runewire_pages": "pages",
}
USES = {
    "runewire_model": set(),
    "runewire_jobs": set(),
    "runewire_rtl": {"runewire_model", "runewire_jobs"},
    "runewire_proofs": {"runewire_model", "runewire_jobs", "runewire_rtl"},
    "runewire_sim": {"runewire_model", "runewire_jobs", "runewire_rtl", "runewire_proofs"},
    "runewire_drawing": set(),
    "runewire_fpga": {"runewire_model", "runewire_jobs", "runewire_rtl", "runewire_drawing"},
    "runewire_benchmark": {"runewire_model", "runewire_drawing", "runewire_fpga"},
    "runewire_configurator": {"runewire_model", "runewire_jobs", "runewire_rtl", "runewire_drawing",
                              "runewire_benchmark"},
    "runewire": {*ROOMS} - {"runewire", "runewire_pages"},
    "runewire_pages": {*ROOMS} - {"runewire_pages"},
}
"""The rooms that each may import."""
FOREIGN = {"runewire_model": set[str](), "runewire_drawing": set[str](), "runewire_jobs": {"distributed"}}
"""Where the standard library has to do: the distributions that are allowed besides."""
SOURCES = [(package, path) for package, room in ROOMS.items()
           for path in sorted((ROOT / room / package).rglob("*.py"))]


def imported(source: str) -> set[str]:
    """Top-level names of the packages that a module imports, its own package left out."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert node.module is not None
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


def forbidden(package: str, source: str) -> set[str]:
    """What a module of ``package`` imports and must not."""
    names = imported(source)
    wrong = names & (ROOMS.keys() - USES[package] - {package})
    if package in FOREIGN:
        wrong |= names - sys.stdlib_module_names - FOREIGN[package] - {package}
    return wrong


def codec_uses(source: str) -> set[str]:
    """Uses of Python's own codec: the methods, the built-ins that go through str, the module.

    The methods of the model's own encodings have the same names; those are called what they do in a core, or are
    entries of `ENCODINGS`.
    """
    found = {node.attr for node in ast.walk(ast.parse(source))
             if isinstance(node, ast.Attribute) and node.attr in {"decode", "encode"}
             and ast.unparse(node.value).partition("[")[0].rpartition(".")[2] not in {
                 "source", "target", "encoding", "reads", "writes", "plain", "self", "ENCODINGS"}}
    found |= {node.id for node in ast.walk(ast.parse(source))
              if isinstance(node, ast.Name) and node.id in {"chr", "ord"}}
    return found | imported(source) & {"codecs", "encodings", "io", "unicodedata"}


def test_every_room_has_modules() -> None:
    assert {package for package, _ in SOURCES} == set(ROOMS)


@pytest.mark.parametrize(("package", "path"),
                         [pytest.param(*source, id=str(source[1].relative_to(ROOT))) for source in SOURCES])
def test_imports_point_one_way(package: str, path: Path) -> None:
    assert forbidden(package, path.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize(("package", "source", "wrong"), [
    ("runewire_model", "import runewire_rtl", "runewire_rtl"),
    ("runewire_model", "from runewire_sim.wire_format import x", "runewire_sim"),
    ("runewire_model", "import numpy as np", "numpy"),
    ("runewire_model", "from runewire_jobs.cache import built", "runewire_jobs"),
    ("runewire_jobs", "import runewire_model", "runewire_model"),
    ("runewire_jobs", "from runewire_rtl.errors import ToolError", "runewire_rtl"),
    ("runewire_jobs", "import typer", "typer"),
    ("runewire_rtl", "def f():\n    import runewire_sim.cache", "runewire_sim"),
    ("runewire_rtl", "from runewire import cli", "runewire"),
    ("runewire_proofs", "from runewire_sim import simulate", "runewire_sim"),
    ("runewire_fpga", "from runewire_sim import simulate", "runewire_sim"),
    ("runewire_drawing", "from runewire_model import decode", "runewire_model"),
    ("runewire_drawing", "import numpy as np", "numpy"),
    ("runewire_sim", "from runewire_drawing import text", "runewire_drawing"),
    ("runewire_sim", "from runewire_fpga import sweep", "runewire_fpga"),
    ("runewire_sim", "from runewire.cli import main", "runewire"),
    ("runewire", "from runewire_pages import command", "runewire_pages"),
    ("runewire_benchmark", "from runewire.console import error_console", "runewire"),
    ("runewire_fpga", "from runewire_benchmark.datasheet import load", "runewire_benchmark"),
    ("runewire_configurator", "from runewire_sim import simulate", "runewire_sim"),
])
def test_a_wrong_import_is_found(package: str, source: str, wrong: str) -> None:
    assert forbidden(package, source) == {wrong}


@pytest.mark.parametrize(("package", "source"), [
    ("runewire_model", "import re\nfrom .errors import ErrorKind\nfrom runewire_model import decode"),
    ("runewire_jobs", "import os\nfrom distributed import Client\nfrom .errors import ToolError"),
    ("runewire_rtl", "import amaranth\nfrom runewire_jobs.cache import built\nfrom runewire_model import ErrorKind"),
    ("runewire", "import runewire_model, runewire_rtl, runewire_sim"),
])
def test_a_right_import_passes(package: str, source: str) -> None:
    assert forbidden(package, source) == set()


# `texts` makes up sample texts and codes nothing: there Python's codec is the independent one.
@pytest.mark.parametrize("path", [
    pytest.param(path, id=path.stem)
    for package, path in SOURCES if package == "runewire_model" and path.stem != "texts"
])
def test_the_golden_model_leaves_the_codec_of_python_alone(path: Path) -> None:
    assert codec_uses(path.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize("source", [
    "data.decode()", "'a'.encode('utf-8')", "source.data.decode()", "import codecs", "chr(65)",
    "x = list(map(ord, text))",
])
def test_a_use_of_the_codec_is_found(source: str) -> None:
    assert codec_uses(source) != set()
