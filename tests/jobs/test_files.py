"""Files that appear whole or not at all."""

import os
from pathlib import Path

import pytest
from runewire_jobs.files import write_whole


def test_what_was_there_is_replaced(tmp_path: Path) -> None:
    file, ordinary = tmp_path / "file", tmp_path / "ordinary"
    ordinary.touch()
    for content in (b"a longer content", b"short"):
        write_whole(file, content)
        assert file.read_bytes() == content
    assert file.stat().st_mode == ordinary.stat().st_mode, "of the user's umask: 0022, or 0002 in Debian 13"
    assert sorted(os.listdir(tmp_path)) == ["file", "ordinary"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=repr)
def test_what_cannot_be_finished_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException,
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"before")

    def broken(source: str, destination: Path) -> None:
        raise error

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(type(error)):
        write_whole(file, b"after")
    assert file.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["file"]
