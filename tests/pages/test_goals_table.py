"""The tables of docs/goals.md name every goal that is missed, and every core with a goal that was not measured."""

from typing import Any

import pytest
from runewire_fpga.datasheet.folder import read
from runewire_fpga.datasheet.goals import missed_goals, unmeasured_goals
from runewire_fpga.datasheet.rows import kind_of, options_of
from runewire_fpga.datasheet.tables import missed_table
from runewire_fpga.records import MeasurementRecord
from runewire_pages.part import DOCS, RECORDS


@pytest.fixture(scope="module")
def records() -> list[MeasurementRecord]:
    return read(RECORDS / "datasheet")


def decoder(records: list[MeasurementRecord], **changes: Any) -> MeasurementRecord:
    """The decoder of 8 lanes on GW5AST, whose goal is 450 MHz, with these changes."""
    [found] = (each for each in records if kind_of(each) == "decoder, dense" and each["lanes"] == 8
               and each["target"] == "gowin-gw5ast-138" and options_of(each) == ("family gowin-5a",))
    return {**found, **changes}


def test_a_core_is_listed_only_with_what_it_misses(records: list[MeasurementRecord]) -> None:
    met, missed = decoder(records, clock_mhz=450), decoder(records, clock_mhz=449.9)
    assert missed_goals([met, missed]) == [(missed, ["450 MHz"])]
    assert missed_table([met]).count("\n") == 1
    assert "| 450 MHz |" in missed_table([met, missed])


def test_a_former_design_is_marked(records: list[MeasurementRecord]) -> None:
    missed = decoder(records, clock_mhz=449.9)
    former = {**missed, "design": {**missed["design"], "present": False}}
    assert "†" not in missed_table([missed])
    assert ") † |" in missed_table([former])


def test_an_option_is_compared_with_the_same_core_s_default(records: list[MeasurementRecord]) -> None:
    usual = next(each for each in records if kind_of(each) == "validator" and each["lanes"] == 8
                 and each["target"] == "ecp5-85k" and each["memory"]["made_of"] == "distributed"
                 and not options_of(each))
    flag = next(each for each in records if kind_of(each) == "validator" and each["lanes"] == 8
                and each["target"] == "ecp5-85k" and options_of(each) == ("report flag",))
    large = {**flag, "luts": usual["luts"]}
    assert missed_goals([large, usual]) == [(large, ["75 % of the default's LUT"])]
    assert missed_goals([large]) == []


def test_a_goal_is_unmeasured_until_its_core_is_placed(records: list[MeasurementRecord]) -> None:
    found = decoder(records)

    def listed(*known: MeasurementRecord) -> bool:
        return any(each[:4] == ("decoder, dense", 8, "gowin-gw5ast-138", ("family gowin-5a",))
                   for each in unmeasured_goals(known))
    assert listed()
    assert listed({**found, "seeds": []})
    assert not listed(found)


def rows(page: str) -> list[dict[str, str]]:
    """The rows of all tables of a page, by heading."""
    found: list[dict[str, str]] = []
    head: list[str] = []
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if cells and head and not set(cells[0]) <= set("- :"):
            found.append(dict(zip(head, cells, strict=True)))
        head = cells and (head or cells)
    return found


def test_the_missed_goals_are_those_of_the_datasheet() -> None:
    def clock_and_area(row: dict[str, str]) -> tuple[str, str]:
        return row["Fmax"].partition(" ")[0], row["LUT"]

    sheet = {clock_and_area(row) for row in rows("datasheet.md") if ": missed" in row.get("goal", "")}
    assert sheet == {clock_and_area(row) for row in rows("goals.md") if "missed" in row and "Fmax" in row}
