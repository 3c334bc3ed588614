"""Results that took long, kept by the content of what they were made from."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from runewire_rtl.files import write_whole

__all__ = ["KEEP_SECONDS", "Store"]

KEEP_SECONDS = 60 * 24 * 3600
"""What nobody asked for in that time goes when a store is opened."""


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
