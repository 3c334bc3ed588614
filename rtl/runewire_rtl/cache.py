"""Things that are expensive to build, kept by the content that they were built from."""

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
"""An entry that nobody used for that long goes when a new one comes."""


def cache_directory() -> Path:
    """Where built simulators are kept: ``RUNEWIRE_CACHE``, or ``runewire`` in the user's cache folder."""
    if chosen := os.environ.get("RUNEWIRE_CACHE"):
        return Path(chosen).absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "runewire"
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG base directory specification has relative paths ignored.
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "runewire"


def digest(*parts: str | bytes) -> str:
    """A name for the content ``parts``: the same parts, the same name."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        sha.update(len(data).to_bytes(8, "little") + data)
    return sha.hexdigest()[:32]


def built(kind: str, key: str, build: Callable[[Path], None], base: Path | None = None) -> Path:
    """The folder of the entry ``key`` below ``base`` (default: `cache_directory`), built when it is not there.

    ``build`` fills an empty folder. An entry appears whole or not at all; of several processes that want the
    same one, one builds and the others wait. Whatever ``build`` raises passes through.
    """
    room = (base or cache_directory()) / kind
    entry = room / key
    if not entry.is_dir():
        room.mkdir(parents=True, exist_ok=True)
        with open(room / f"{key}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not entry.is_dir():
                _prune(room)
                for left in room.glob(f"building-{key}-*"):  # by a process that was killed: the lock is ours
                    shutil.rmtree(left, ignore_errors=True)
                with tempfile.TemporaryDirectory(dir=room, prefix=f"building-{key}-") as work:
                    made = Path(work) / "entry"
                    made.mkdir()
                    build(made)
                    made.rename(entry)
    with contextlib.suppress(OSError):  # a cache that is shared read-only still serves
        os.utime(entry)
    return entry


def _prune(room: Path) -> None:
    for path in room.iterdir():
        with contextlib.suppress(FileNotFoundError):  # another process was faster
            if path.is_dir() and time.time() - path.stat().st_mtime > KEEP_SECONDS:
                shutil.rmtree(path, ignore_errors=True)
