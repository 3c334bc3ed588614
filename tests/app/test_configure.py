"""``runewire configure``, without Pyodide."""

import socket
import urllib.request
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runewire_configurator import site


@pytest.fixture(autouse=True)
def vendored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder instead of Pyodide's, an empty cache, and no prepared views."""
    folder = tmp_path / "pyodide"
    folder.mkdir()
    (folder / "pyodide.mjs").write_text("// loads Python")
    monkeypatch.setattr(site, "pyodide_folder", lambda: folder)
    monkeypatch.setattr(site, "prepared", lambda fields, entries: [])
    monkeypatch.setenv("RUNEWIRE_CACHE", str(tmp_path / "cache"))


def test_it_writes_a_page_that_lacks_nothing(runewire: Callable[..., Any], tmp_path: Path) -> None:
    done = runewire("configure", "--write", tmp_path / "page")
    assert done.status == 0
    made = {path.relative_to(tmp_path / "page").as_posix() for path in (tmp_path / "page").rglob("*") if path.is_file()}
    assert {f"{tmp_path}/page/{name}" for name in made} == {*done.out.split()}
    assert {"index.html", "style.css", "page.js", "worker.mjs", "python.zip", "start.json"} <= made
    assert "pyodide/pyodide.mjs" in made


def test_it_serves_the_page_on_loopback_and_opens_it(
    runewire: Callable[..., Any], monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    def opened(address: str) -> None:
        with urllib.request.urlopen(address) as answer:
            seen.extend([address, answer.read().decode()])
        raise KeyboardInterrupt

    monkeypatch.setattr(webbrowser, "open", opened)
    done = runewire("configure")
    assert (done.status, done.out) == (0, f"{seen[0]}\n")
    assert seen[0].startswith("http://127.0.0.1:")
    assert "runewire configurator" in seen[1]


def test_a_port_that_is_taken_is_named(runewire: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = runewire("configure", "--port", port, "--no-browser")
    assert (done.status, done.err) == (2, f"runewire: cannot serve at port {port}: Address already in use\n")


@pytest.mark.parametrize(("arguments", "message"), [
    (("--port", "70000"), "--port must be from 1 to 65535, got 70000"),
    (("--write", "page", "--port", "80"), "--write shows no page, so it goes without --port"),
    (("--write", "page", "--no-browser"), "--write shows no page, so it goes without --no-browser"),
])
def test_wrong_options_have_a_reason(runewire: Callable[..., Any], arguments: tuple[str, ...], message: str,
                                     tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = runewire("configure", *arguments)
    assert (done.status, done.err) == (2, f"runewire: {message}\n")
    assert not (tmp_path / "page").exists()
