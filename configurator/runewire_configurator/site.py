"""The page's files, for a server of static files: page, Pyodide, Python sources, and the views that need no Python."""

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from runewire_benchmark import datasheet
from runewire_jobs.cache import built
from runewire_jobs.files import write_whole
from runewire_jobs.fingerprint import digest
from runewire_model import __version__

from .bundle import python_bundle
from .form import Field
from .pyodide import VERSION, pyodide_folder
from .view import prepared


def site_folder(fields: Sequence[Field]) -> Path:
    """The cache folder of the site. Raises as `write_site` does."""
    own = _own_files(fields)
    key = digest(VERSION, *(part for name in sorted(own) for part in (name, own[name])))

    def build(folder: Path) -> None:
        _write(folder, own)

    return built("configurator", key, build)


def write_site(folder: Path, fields: Sequence[Field]) -> list[Path]:
    """Write the site into a folder, which is there, and return its files.

    Raises OSError, and as `pyodide_folder` does.
    """
    return _write(folder, _own_files(fields))


def _own_files(fields: Sequence[Field]) -> dict[str, bytes]:
    """Every file but Pyodide's, by its name."""
    page = resources.files(__package__) / "page"
    start = {"version": __version__, "fields": [field.as_json() for field in fields],
             "views": prepared(fields, datasheet.load())}
    return {
        **{file.name: file.read_bytes() for file in page.iterdir() if file.is_file()},
        "python.zip": python_bundle(),
        "start.json": json.dumps(start, ensure_ascii=False, separators=(",", ":")).encode(),
    }


def _write(folder: Path, own: dict[str, bytes]) -> list[Path]:
    vendored = pyodide_folder()
    (folder / "pyodide").mkdir(exist_ok=True)
    files = {**own, **{f"pyodide/{path.name}": path.read_bytes() for path in sorted(vendored.iterdir())}}
    for name, content in files.items():
        write_whole(folder / name, content)
    return [folder / name for name in files]
