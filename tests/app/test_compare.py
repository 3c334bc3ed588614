"""The command, end to end on small texts."""

import importlib
import json
from pathlib import Path

import pytest
from runewire.cli import main
from runewire_benchmark import measure
from runewire_benchmark.peer_registry import python_peers

RECORD = {
    "core": "decoder", "lanes": 8, "packing": "dense", "target": "ecp5-85k", "speed": "8",
    "seeds": [{"seed": 1, "fmax_mhz": 400.0}], "fmax_mhz": 400.0, "luts": 1500, "ffs": 4000,
    "latency_cycles": 20, "clock_mhz": 370.0, "device": "Lattice LFE5U-85F", "capacity": {"luts": 83640},
    "tool_versions": {"nextpnr-ecp5": "0.11"},
}


@pytest.fixture
def datasheet(tmp_path: Path) -> Path:
    folder = tmp_path / "datasheet"
    folder.mkdir()
    (folder / "decoder.json").write_text(json.dumps(RECORD))
    return folder


@pytest.fixture(autouse=True)
def short_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Options for a comparison whose figures nobody reads."""
    monkeypatch.setattr(measure, "SAMPLE_NS", 100_000)
    monkeypatch.setattr(measure, "TRIAL_NS", 10_000)


def test_files_give_a_table_json_and_a_page(
    tmp_path: Path, datasheet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "greek.txt"
    text.write_text("καλημέρα κόσμε\n" * 200, encoding="utf-8")
    figures, page = tmp_path / "figures.json", tmp_path / "page.html"
    status = main(["compare", str(text), "--repeat", "3", "--datasheet", str(datasheet),
                   "--json", str(figures), "--html", str(page)])
    assert status == 0
    out = capsys.readouterr().out
    assert "8-lane dense, 370 MHz" in out
    assert "CPython replace" in out
    found = json.loads(figures.read_text(encoding="utf-8"))
    assert [known["name"] for known in found["texts"]] == ["greek.txt"]
    assert found["hardware"][0]["gigabytes_per_second"] == pytest.approx(2.96, rel=0.01)
    assert {figure["repeats"] for figure in found["software"]} == {3}
    assert "greek.txt" in page.read_text(encoding="utf-8")


def test_builtin_texts_are_all_measured(
    tmp_path: Path, datasheet: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.import_module("runewire.commands.compare"), "peers",
                        lambda: [peer for peer in python_peers() if peer.name in ("CPython replace", "CPython encode")])
    figures = tmp_path / "figures.json"
    assert main(["compare", "--builtin", "--size", "2K", "--repeat", "3", "--datasheet", str(datasheet),
                 "--json", str(figures)]) == 0
    texts = json.loads(figures.read_text(encoding="utf-8"))["texts"]
    assert len(texts) == 10
    assert {text["bytes"] for text in texts} == {2048}


def test_target_without_cores_is_said_so(
    tmp_path: Path, datasheet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "a.txt"
    text.write_text("abc" * 1000)
    assert main(["compare", str(text), "--repeat", "3", "--datasheet", str(datasheet),
                 "--target", "ice40-hx8k"]) == 0
    assert "no placed and routed core for ice40-hx8k" in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "message"), [
    ([], "give the texts as FILE… or ask for --builtin, one of the two"),
    (["--builtin", "a.txt"], "give the texts as FILE… or ask for --builtin, one of the two"),
    (["--builtin", "--size", "10"], "--size must be at least 1500 bytes, got 10"),
    (["--builtin", "--size", "large"], "got 'large'"),
    (["missing.txt"], "missing.txt"),
    (["empty.txt"], "empty.txt is empty"),
    (["--builtin", "--repeat", "2"], "--repeat"),
    (["--builtin", "--datasheet", "nowhere"], "nowhere"),
    (["--builtin", "--datasheet", "broken"], "x.json is no datasheet"),
])
def test_what_is_wrong_is_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").touch()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "x.json").write_text("{}")
    assert main(["compare", *arguments]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert message in streams.err
    assert streams.err.count("\n") == 1
