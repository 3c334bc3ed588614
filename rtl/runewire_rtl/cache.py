"""Cache of expensive builds, addressed by the content that they are built from."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

KEEP_SECONDS = 30 * 24 * 3600
"""An entry that was not used for this long is removed when a new one is added."""


def cache_directory() -> Path:
    """Folder of cached simulators: ``RUNEWIRE_CACHE``, or ``runewire`` in the user's cache folder."""
    if chosen := os.environ.get("RUNEWIRE_CACHE"):
        return Path(chosen).absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "runewire"
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG base directory specification ignores relative paths.
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "runewire"


def digest(*parts: str | bytes) -> str:
    """A name for the content ``parts``: equal parts give the same name."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        sha.update(len(data).to_bytes(8, "little") + data)
    return sha.hexdigest()[:32]


def built(kind: str, key: str, build: Callable[[Path], None], base: Path | None = None) -> Path:
    """The folder of the entry ``key`` below ``base`` (default: `cache_directory`). A missing entry is built.

    ``build`` fills an empty folder. An entry appears complete or not at all. If several processes need the same entry,
    one builds it and the others wait. Exceptions of ``build`` pass through.
    """
    room = (base or cache_directory()) / kind
    entry = room / key
    if not entry.is_dir():
        room.mkdir(parents=True, exist_ok=True)
        with open(room / f"{key}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not entry.is_dir():
                _prune(room)
                for left in room.glob(f"building-{key}-*"):  # by a process that was killed: the lock is free
                    shutil.rmtree(left, ignore_errors=True)
                with tempfile.TemporaryDirectory(dir=room, prefix=f"building-{key}-") as work:
                    made = Path(work) / "entry"
                    made.mkdir()
                    build(made)
                    made.rename(entry)
    with contextlib.suppress(OSError):  # a read-only shared cache still works
        os.utime(entry)
    return entry


def _prune(room: Path) -> None:
    for path in room.iterdir():
        with contextlib.suppress(FileNotFoundError):  # another process was faster
            if path.is_dir() and time.time() - path.stat().st_mtime > KEEP_SECONDS:
                shutil.rmtree(path, ignore_errors=True)
