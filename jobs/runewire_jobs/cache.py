"""A cache on disk: results that took long, by a fingerprint of everything that decides them.

An entry is a folder (`built`) or a file (`Store`). Several processes may use a cache at a time; an entry appears whole
or not at all.
"""

import contextlib
import fcntl
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from runewire_jobs.files import write_whole

FOLDER_SECONDS = 30 * 24 * 3600
"""A folder that was not used for that long is removed when another one is built."""
FILE_SECONDS = 60 * 24 * 3600
"""A file that was not used for that long is removed when its store is opened."""


def cache_directory() -> Path:
    """The root of all caches: ``RUNEWIRE_CACHE``, or ``runewire`` in the user's cache folder."""
    if chosen := os.environ.get("RUNEWIRE_CACHE"):
        return Path(chosen).absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "runewire"
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG base directory specification has relative paths ignored.
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "runewire"


def built(kind: str, key: str, build: Callable[[Path], None], base: Path | None = None) -> Path:
    """The folder of the entry ``key`` in ``base/kind``; ``build`` fills an empty folder where there is no entry yet.

    ``base``: default `cache_directory`. When several processes want the same entry, one builds it and the others wait.
    Exceptions of ``build`` pass through.
    """
    cache = (base or cache_directory()) / kind
    entry = cache / key
    if not entry.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with open(cache / f"{key}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not entry.is_dir():
                _prune(cache, FOLDER_SECONDS, Path.is_dir)
                for left in cache.glob(f"building-{key}-*"):  # by a process that was killed: the lock is ours
                    shutil.rmtree(left, ignore_errors=True)
                with tempfile.TemporaryDirectory(dir=cache, prefix=f"building-{key}-") as work:
                    made = Path(work) / "entry"
                    made.mkdir()
                    build(made)
                    made.rename(entry)
    _used(entry)
    return entry


class Store:
    """A cache of files in ``directory``, which is made if missing. Raises OSError."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        _prune(directory, FILE_SECONDS, Path.is_file)

    def get(self, key: str) -> bytes | None:
        """The content of the entry ``key``, None if there is no such entry."""
        path = self.directory / key
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        _used(path)
        return content

    def put(self, key: str, content: bytes) -> None:
        """Enter ``content`` under ``key``."""
        write_whole(self.directory / key, content)


def _used(entry: Path) -> None:
    with contextlib.suppress(OSError):  # a cache that is shared read-only still serves
        os.utime(entry)


def _prune(cache: Path, seconds: float, is_entry: Callable[[Path], bool]) -> None:
    """Remove the entries that were not used for ``seconds``."""
    for path in cache.iterdir():
        with contextlib.suppress(OSError):  # another process was faster, or may write here
            if is_entry(path) and time.time() - path.stat().st_mtime > seconds:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
