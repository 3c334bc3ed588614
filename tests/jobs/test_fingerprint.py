"""Fingerprints of content and of sources."""

import tomllib
from pathlib import Path

import pytest
from runewire_jobs.fingerprint import PROJECT, digest, sources, verilog_digest


def test_digest_tells_parts_apart() -> None:
    assert len({digest("ab", "c"), digest("a", "bc"), digest("abc"), digest("abc", ""), digest("", "abc")}) == 5
    assert digest("abc") == digest(b"abc")


def test_every_package_of_the_project_counts_but_the_pages() -> None:
    """No result comes from these, and the wheel does not have them."""
    settings = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(PROJECT) == set(settings["tool"]["mypy"]["packages"]) - {"runewire_pages"}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of two files that Python can import."""
    folder = tmp_path / "site" / "two_files"
    folder.mkdir(parents=True)
    for name in ("__init__.py", "spec.v"):
        (folder / name).write_text("")
    monkeypatch.syspath_prepend(str(folder.parent))
    sources.cache_clear()
    return folder


def fingerprint() -> str:
    sources.cache_clear()
    return sources("two_files")


def test_content_names_and_further_files_count(package: Path) -> None:
    found = [fingerprint()]
    (package / "spec.v").write_text("wire a;")
    found.append(fingerprint())
    (package / "spec.v").rename(package / "other.v")
    found.append(fingerprint())
    (package / "deeper").mkdir()
    (package / "deeper" / "module.py").write_text("")
    found.append(fingerprint())
    assert len(set(found)) == len(found)


def test_what_python_compiled_does_not_count(package: Path) -> None:
    before = fingerprint()
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "module.pyc").write_bytes(b"compiled")
    assert fingerprint() == before


def test_the_version_of_amaranth_counts(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint()
    monkeypatch.setattr("importlib.metadata.version", lambda name: "0.0")
    assert fingerprint() != before


def test_a_package_that_is_not_there(package: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"^no package 'three_files' is installed$"):
        sources("three_files")


def test_the_comments_of_verilog_do_not_count_and_its_names_do() -> None:
    plain = verilog_digest("module core (input wire a);\nendmodule\n")
    assert verilog_digest("// By runewire 0.2.0.\nmodule core (input wire a);  // a port\r\nendmodule") == plain
    assert verilog_digest("module core (input wire b);\nendmodule\n") != plain
