"""Pyodide, CPython as WebAssembly: its package of a pinned version, fetched once with npm into the cache."""

import base64
import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from runewire_jobs.cache import built
from runewire_jobs.errors import MissingToolError, ToolError
from runewire_jobs.process import child

VERSION = "314.0.7"
INTEGRITY = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
"""SHA-512 of the package in base 64, as npm's lock files have it."""
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json", "package.json")
"""The files that a page needs, and the one with the licence."""
SECONDS = 300
"""A fetch that takes longer is given up."""


def pyodide_folder() -> Path:
    """The cache folder of the files, which are fetched if they are not there.

    Raises MissingToolError without npm, and ToolError if npm fails or its package is not the pinned one.
    """
    return built("pyodide", VERSION, _fetch)


def _fetch(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise MissingToolError(f"npm is not installed: the configurator fetches Pyodide {VERSION} (6.5 MB) with it, "
                               "once; on Debian: apt-get install npm")
    with tempfile.TemporaryDirectory() as work:
        command = [npm, "pack", "--silent", "--pack-destination", work, f"pyodide@{VERSION}"]
        with child(command, directory=Path(work)) as process:
            try:
                log = process.communicate(timeout=SECONDS)[0].decode(errors="replace")
            except subprocess.TimeoutExpired:
                raise ToolError(f"npm did not fetch Pyodide {VERSION} within {SECONDS} s") from None
        archive = Path(work) / f"pyodide-{VERSION}.tgz"
        if process.returncode or not archive.is_file():
            reason = (log.strip().splitlines() or [f"exit status {process.returncode}"])[-1]
            raise ToolError(f"npm cannot fetch Pyodide {VERSION}: {reason}", log)
        unpack(archive, folder)


def unpack(archive: Path, folder: Path) -> None:
    """Check the package and write `FILES` into ``folder``. Raises ToolError if it is not the pinned one."""
    found = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if found != INTEGRITY:
        raise ToolError(f"the package of Pyodide {VERSION} has another checksum than the pinned one: {found}")
    with tarfile.open(archive) as content:
        for name in FILES:
            member = content.extractfile(f"package/{name}")
            assert member is not None, name
            (folder / name).write_bytes(member.read())
