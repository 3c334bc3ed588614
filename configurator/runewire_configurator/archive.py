"""Zip archives whose bytes depend on their files alone."""

import io
import zipfile
from collections.abc import Mapping

DATE = (1980, 1, 1, 0, 0, 0)
"""Date of every file: the first that a zip can have."""


def archive(folder: str, files: Mapping[str, bytes]) -> bytes:
    """A zip of the files, in their order, inside ``folder``; "" for none."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            entry = zipfile.ZipInfo(f"{folder}/{name}" if folder else name, DATE)
            entry.external_attr = 0o644 << 16
            made.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()
