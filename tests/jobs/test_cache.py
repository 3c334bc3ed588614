"""The cache: entries are complete, distinguished by content, and removed when unused for long."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from runewire_jobs.cache import FILE_SECONDS, FOLDER_SECONDS, Store, built, cache_directory


@pytest.fixture(autouse=True)
def room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("RUNEWIRE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "things"


@pytest.mark.parametrize(("environment", "expected"), [
    ({"RUNEWIRE_CACHE": "/somewhere", "XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/somewhere"),
    ({"RUNEWIRE_CACHE": "", "XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/runewire"),
    ({"RUNEWIRE_CACHE": "", "XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/runewire"),
    ({"RUNEWIRE_CACHE": "", "XDG_CACHE_HOME": "", "HOME": "/h"}, "/h/.cache/runewire"),
])
def test_where_it_is(environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert cache_directory() == Path(expected)


def test_an_entry_is_built_once(room: Path) -> None:
    calls = []

    def build(directory: Path) -> None:
        calls.append(directory)
        (directory / "file").write_text("content")

    for _ in range(2):
        entry = built("things", "key", build)
        assert entry == room / "key"
        assert (entry / "file").read_text() == "content"
    assert len(calls) == 1


def test_a_build_that_fails_leaves_nothing(room: Path) -> None:
    def build(directory: Path) -> None:
        (directory / "half").write_text("made")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        built("things", "key", build)
    assert [path.name for path in room.iterdir()] == ["key.lock"]


def test_what_a_killed_build_left_goes(room: Path) -> None:
    for name in ("building-key-x", "building-other-x"):
        (room / name / "entry").mkdir(parents=True)
    built("things", "key", lambda directory: None)
    assert {path.name for path in room.iterdir()} == {"building-other-x", "key", "key.lock"}


def test_an_entry_below_another_folder(tmp_path: Path) -> None:
    assert built("things", "key", lambda directory: None, tmp_path / "base") == tmp_path / "base" / "things" / "key"
    assert not (tmp_path / "cache").exists()


SHARING = """
import os, time
from runewire_jobs.cache import built

def slow(directory):
    (directory / f"by-{os.getpid()}").touch()
    time.sleep(0.3)

print(*(path.name for path in built("things", "shared", slow).iterdir()))
"""


def test_processes_share_one_build() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [subprocess.Popen([sys.executable, "-c", SHARING], env=environment, stdout=subprocess.PIPE)
                 for _ in range(3)]
    names = {process.communicate(timeout=60)[0] for process in processes}
    assert len(names) == 1
    assert b"by-" in names.pop()


def test_old_entries_go_when_a_new_one_comes(room: Path) -> None:
    old, used = built("things", "old", lambda directory: None), built("things", "used", lambda directory: None)
    for entry in (old, used):
        os.utime(entry, (0, time.time() - FOLDER_SECONDS - 60))
    built("things", "used", lambda directory: None)
    built("things", "new", lambda directory: None)
    assert {path.name for path in room.iterdir() if path.is_dir()} == {"used", "new"}


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
    old = time.time() - FILE_SECONDS - 60
    for key in ("asked for", "forgotten"):
        store.put(key, b"content")
        os.utime(tmp_path / key, (old, old))
    store.get("asked for")
    Store(tmp_path)
    assert os.listdir(tmp_path) == ["asked for"]
