"""Results that took long, kept by the content of what they were made from."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from pathlib import Path

from ..files import write_whole

__all__ = ["KEEP_SECONDS", "Store", "digest"]

KEEP_SECONDS = 60 * 24 * 3600
"""What nobody asked for in that time goes when a store is opened."""


def digest(*parts: str | bytes) -> str:
    """A name for the content ``parts``: the same parts, the same name."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        sha.update(len(data).to_bytes(8, "little") + data)
    return sha.hexdigest()[:32]


class Store:
    """A folder of entries. Several processes may use it at a time: an entry appears whole or not at all."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        for entry in directory.iterdir():
            with contextlib.suppress(OSError):
                if time.time() - entry.stat().st_mtime > KEEP_SECONDS:
                    entry.unlink()

    def get(self, key: str) -> bytes | None:
        """The entry ``key``, None when it is not there."""
        path = self.directory / key
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        with contextlib.suppress(OSError):  # a store that is shared read-only still serves
            os.utime(path)
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep ``content`` as the entry ``key``."""
        write_whole(self.directory / key, content)
