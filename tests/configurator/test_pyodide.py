"""Pyodide's package: pinned, and fetched once."""

from pathlib import Path

import pytest
from runewire_configurator import pyodide
from runewire_configurator.pyodide import pyodide_folder, unpack
from runewire_jobs.errors import MissingToolError, ToolError


def test_another_package_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "pyodide.tgz"
    archive.write_bytes(b"something else")
    with pytest.raises(ToolError, match="has another checksum than the pinned one"):
        unpack(archive, tmp_path / "none")


def test_without_npm_the_message_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNEWIRE_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match="npm is not installed"):
        pyodide_folder()


def test_what_npm_says_is_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho npm error network unreachable\nexit 1\n")
    npm.chmod(0o755)
    monkeypatch.setenv("RUNEWIRE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(ToolError, match=r"cannot fetch Pyodide .*: npm error network unreachable"):
        pyodide_folder()
    assert not [*(tmp_path / "cache").rglob("pyodide*.mjs")]


def test_a_cached_package_needs_no_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNEWIRE_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "pyodide" / pyodide.VERSION).mkdir(parents=True)
    assert pyodide_folder() == tmp_path / "pyodide" / pyodide.VERSION
