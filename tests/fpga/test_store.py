"""The store: whole entries, told apart by content, and none that nobody asks for."""

import os
import time
from pathlib import Path

import pytest
from runewire_fpga.store import KEEP_SECONDS, Store


def test_what_was_put_is_there_and_for_another_process_too(tmp_path: Path) -> None:
    Store(tmp_path / "new" / "folder").put("key", b"content")
    again = Store(tmp_path / "new" / "folder")
    assert again.get("key") == b"content"
    assert again.get("other") is None
    assert os.listdir(again.directory) == ["key"]


def test_nothing_is_left_of_what_could_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)

    def broken(source: str, destination: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="No space"):
        store.put("key", b"content")
    assert os.listdir(tmp_path) == []


def test_old_entries_go_unless_they_were_asked_for(tmp_path: Path) -> None:
    store = Store(tmp_path)
    old = time.time() - KEEP_SECONDS - 60
    for key in ("asked for", "forgotten"):
        store.put(key, b"content")
        os.utime(tmp_path / key, (old, old))
    store.get("asked for")
    Store(tmp_path)
    assert os.listdir(tmp_path) == ["asked for"]
