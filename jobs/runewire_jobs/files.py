"""Atomic files: a file appears whole or not at all."""

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path


def draft_folder(path: Path) -> tempfile.TemporaryDirectory[str]:
    """A temporary folder next to ``path``, on the same file system. Raises OSError."""
    return tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A draft to write to; when the block ends well, it replaces ``path`` in one step and keeps its permissions.

    On any exception ``path`` stays as it was, and the draft is removed. Raises OSError.
    """
    # A symbolic link stays, and its target is replaced.
    target = Path(os.path.realpath(path))
    with draft_folder(target) as folder:
        # The draft has the same name: writers of waves go by its suffix, and error messages contain it.
        draft = Path(folder) / target.name
        yield draft
        if target.exists():
            draft.chmod(stat.S_IMODE(target.stat().st_mode))
        draft.replace(target)


def write_whole(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``, where it replaces an older file in one step. Raises OSError."""
    with replacing(path) as draft:
        draft.write_bytes(content)
