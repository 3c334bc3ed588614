"""The Python sources that the page loads into Pyodide, as one zip: the project's rooms, and Amaranth with the
distributions that it imports."""

import importlib.metadata
import importlib.util
from collections.abc import Iterator
from pathlib import Path

from runewire_benchmark import datasheet

from .archive import archive

DISTRIBUTIONS = ("amaranth", "jschon", "idna", "rfc3986")
"""Distributions from PyPI that generation imports, all in pure Python."""
ROOMS = ("runewire_jobs", "runewire_model", "runewire_rtl", "runewire_drawing", "runewire_configurator")
BENCHMARK = ("__init__.py", "datasheet.py")
"""Modules of `runewire_benchmark` that read the datasheet."""
COMPILED = (".pyc", ".so", ".pyd")
OF_THE_INSTALLATION = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
"""Files that pip writes into a distribution's metadata. They differ between environments."""


def python_bundle() -> bytes:
    """The zip, to be unpacked into a folder on Python's path. Equal sources make equal bytes."""
    return archive("", dict(sorted(_files())))


def _files() -> Iterator[tuple[str, bytes]]:
    for name in DISTRIBUTIONS:
        for listed in importlib.metadata.files(name) or ():
            path = Path(str(listed.locate()))
            if path.name in OF_THE_INSTALLATION or path.suffix in COMPILED or ".." in listed.parts:
                continue
            if path.is_file():
                yield listed.as_posix(), path.read_bytes()
    for room in ROOMS:
        folder = _folder(room)
        for path in folder.rglob("*.py"):
            yield f"{room}/{path.relative_to(folder).as_posix()}", path.read_bytes()
    for module in BENCHMARK:
        yield f"runewire_benchmark/{module}", (_folder("runewire_benchmark") / module).read_bytes()
    for record in datasheet.folder().iterdir():
        if record.name.endswith(".json"):
            yield f"runewire_benchmark/data/{record.name}", record.read_bytes()


def _folder(package: str) -> Path:
    found = importlib.util.find_spec(package)
    assert found is not None, package
    assert found.origin is not None, package
    return Path(found.origin).parent
