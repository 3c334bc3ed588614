"""``runewire pages`` says what is out of date, writes it, and measures."""

from pathlib import Path

import pytest
from runewire.cli import main
from runewire_pages import part, registry
from runewire_pages.part import GeneratedFile, Measurement


@pytest.fixture
def sums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of two generated files, the second of which takes long, and a measurement of the first."""
    record = tmp_path / "record"
    record.write_text("1")
    monkeypatch.setattr(part, "ROOT", tmp_path)
    monkeypatch.setattr(registry, "PARTS", (
        GeneratedFile("sum", tmp_path / "sum", record.read_text),
        GeneratedFile("product", tmp_path / "product", lambda: "6", "minutes")))
    monkeypatch.setattr(registry, "NAMES", ("sum", "product"))
    monkeypatch.setattr(registry, "MEASUREMENTS", {
        "units": Measurement("units", lambda: [record.write_text("2"), None][1], ("sum",), "an hour")})
    return tmp_path


def test_what_is_out_of_date_is_named_and_then_written(sums: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (sums / "sum").write_text("1")
    assert main(["pages"]) == 1
    assert capsys.readouterr() == ("product: product: out of date: runewire pages --write product\n",
                                   "runewire: product: product: takes minutes\n")
    assert not (sums / "product").exists()
    assert main(["pages", "--write"]) == 0
    assert capsys.readouterr().out == "product: product: written\n"
    assert (sums / "product").read_text() == "6"
    assert main(["pages", "--check"]) == 0
    assert capsys.readouterr().out == ""


def test_parts_are_chosen_by_name(sums: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pages", "--write", "sum"]) == 0
    assert (sums / "sum").read_text() == "1"
    assert not (sums / "product").exists()
    assert main(["pages", "sum"]) == 0
    assert capsys.readouterr().err == ""


def test_a_measurement_is_run_before_its_parts_are_written(sums: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pages", "--measure", "units"]) == 0
    assert (sums / "sum").read_text() == "2"
    assert capsys.readouterr() == ("sum: sum: written\n", "runewire: measures units: an hour\n")


@pytest.mark.parametrize(("arguments", "said"), [
    (["sums"], "runewire: NAME must be one of sum, product, got 'sums': did you mean 'sum'?"),
    (["--measure", "sum"], "runewire: --measure must be one of units, got 'sum'"),
    (["sum", "--measure", "units"], "--measure writes the parts made from it; name no others"),
])
def test_what_there_is_not_is_said(arguments: list[str], said: str, sums: Path,
                                   capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pages", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert not (sums / "sum").exists()
