import json
from pathlib import Path
from typing import Any

import pytest
from runewire.cli import main


def record(lanes: int, **changes: Any) -> dict[str, Any]:
    return {
        "core": "decoder", "lanes": lanes, "packing": "dense", "target": "ecp5-85k", "speed": "8", "fmax_mhz": 500.0,
        "luts": 100 * lanes, "ffs": 1, "latency_cycles": 37, "device": "Lattice LFE5U-85F",
        "capacity": {"luts": 84_000}, "clock_mhz": 370.0, "tool_versions": {}, **changes,
    }


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["plan", "--datasheet", "sheet", *arguments])
    streams = capsys.readouterr()
    return status, streams.out, streams.err


@pytest.fixture(autouse=True)
def _chips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four chips; one of half the ECP5's size with an unknown clock limit, and a small one among them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sheet").mkdir()
    (tmp_path / "text.txt").write_bytes(b"abc" * 1000)
    small = {"device": "Small", "target": "small", "capacity": {"luts": 1_000}, "clock_mhz": 100.0}
    doubtful = {"device": "Doubtful", "target": "doubtful", "capacity": {"luts": 42_000},
                "clock_unsure_of": ["clock network"]}
    larger = {"device": "Larger", "target": "larger", "capacity": {"luts": 200_000}}
    (tmp_path / "sheet" / "chips.json").write_text(json.dumps(
        [record(64), record(8, **small), record(64, **doubtful), record(64, **larger), record(8, **larger)]))


def test_the_smallest_chip_with_known_limits_is_to_buy(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--rate", "90G")
    assert status == 0
    carries = ("  64-lane dense decoder at 370 MHz carries 96.2 Gbit/s for 90 Gbit/s in the worst case, all packets of "
               "65 bytes")
    assert out.splitlines()[:4] == [
        "buy: Lattice LFE5U-85F (ecp5-85k), 84,000 look-up tables",
        carries,
        "or: Doubtful (doubtful), 42,000 look-up tables, if its clock is what the tools say",
        carries]
    rows = [line.split() for line in out.splitlines() if "✓" in line or "✗" in line]
    assert [(row[0], "✓" in row, "?" in row) for row in rows] == [
        ("doubtful", True, True), ("ecp5-85k", True, False), ("larger", True, False), ("small", False, False)]
    assert "a limit of this chip (clock network)" in out


def test_many_cores_side_by_side_are_no_chip_to_buy(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sheet/narrow.json").write_text(json.dumps(
        record(1, device="Narrow", target="narrow", capacity={"luts": 30_000}, clock_mhz=100.0)))
    for gigabits, bought in (("12", "Narrow"), ("13", "Lattice LFE5U-85F")):  # 16 and 17 of its cores
        assert run(capsys, "--rate", f"{gigabits}G")[1].startswith(f"buy: {bought}")


def test_cores_side_by_side_stand_next_to_the_nearest_single_core(capsys: pytest.CaptureFixture[str]) -> None:
    nearest = "No single core of the datasheet carries 150 Gbit/s. Nearest is 64-lane dense decoder at 370 MHz on "
    status, out, _ = run(capsys, "--rate", "150G")
    (line,) = (line for line in out.splitlines() if line.startswith("No single core"))
    assert line.startswith(nearest)
    assert line.endswith(": 96.2 Gbit/s with all packets of 65 bytes.")
    assert (status, "2 × 64-lane dense decoder side by side" in out) == (0, True)
    assert "No single core" not in run(capsys, "--rate", "96G")[1] + run(capsys, "--rate", "10T")[1]


def test_a_chip_without_room_comes_last_with_its_nearest_core(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--rate", "10T", "--text", "text.txt")
    assert status == 1
    assert out.startswith("buy: none. No chip of the datasheet has room for what carries 10000 Gbit/s in the worst "
                          "case.\n  Nearest is 64-lane dense decoder at 370 MHz on ")
    (small,) = (line for line in out.splitlines() if line.startswith("small"))
    assert " ".join(small.split()) == "small 8-lane dense decoder 100 5.78 ✗ 6.38 800 80.0 % 370"


def test_json_of_all_chips(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--rate", "5G", "--json")
    found = json.loads(out)
    assert (status, found["buy"]) == (0, ["small"])
    assert [chip["target"] for chip in found["chips"]] == ["small", "doubtful", "ecp5-85k", "larger"]
    assert found["chips"][0]["cores"][0]["unknown_clock_limits"] == []
    assert found["chips"][1]["cores"][0]["unknown_clock_limits"] == ["clock network"]


def test_a_core_that_no_chip_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--rate", "1G", "--core", "encoder") == (2, "", (
        "runewire: the datasheet has no encoder: measure it with `runewire sweep --cores encoder --lanes 4 --targets "
        "ecp5-85k --beside '' -o measured/rows`, then plan with --datasheet measured/rows\n"))


@pytest.mark.parametrize("core", ["packer", "splitter", "filter"])
def test_a_core_of_bytes_is_planned_with_by_its_name(core: str, capsys: pytest.CaptureFixture[str]) -> None:
    """All of them read bytes and write bytes."""
    names = ("packer", "splitter", "filter")
    Path("sheet/bytes.json").write_text(json.dumps([record(8, core=name, packing=None) for name in names]))
    status, out, _ = run(capsys, "--rate", "1G", "--core", core)
    assert status == 0
    assert f"8-lane {core} at" in out
    assert not any(f"8-lane {name}" in out for name in names if name != core)
    assert ("one record a packet" in out) == (core != "packer")
