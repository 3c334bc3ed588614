"""The project's datasheet: the page in docs depends on the measurements in records."""

import json
from pathlib import Path

import pytest
from runewire_fpga import datasheet
from runewire_fpga.designs import core
from runewire_fpga.records import core_of, flow_of, name_of, upgraded

ROOT = Path(__file__).parents[2]
OWN, PAGE = ROOT / "records" / "datasheet", ROOT / "docs" / "datasheet.md"


def test_every_row_is_what_is_known_now_of_the_clock() -> None:
    for path in [*OWN.glob("*.json"), *OWN.glob("area/*.json")]:
        record = json.loads(path.read_bytes())
        assert upgraded(record) == record
        assert path.stem == name_of(record)


@pytest.mark.records
@pytest.mark.slow
def test_small_cores_are_of_the_design_that_their_rows_say() -> None:
    """Wide ones take long to generate; `runewire datasheet` does it."""
    for record in datasheet.read(OWN):
        if record["design"]["digest"] and record["lanes"] <= 8:
            now = (core(core_of(record)).digest, flow_of(record))
            assert record["design"]["present"] == (now == (record["design"]["digest"], record["design"]["flow"]))


@pytest.mark.skipif(not OWN.is_dir(), reason="there is no datasheet yet")
def test_nothing_in_the_datasheet_is_typed_by_hand() -> None:
    page, pictures = datasheet.pages(datasheet.read(OWN), "datasheet")
    assert PAGE.read_text(encoding="utf-8") == page
    assert {path.name: path.read_text(encoding="utf-8") for path in PAGE.with_suffix("").glob("*.svg")} == pictures
    for path in [*OWN.glob("*.json"), *OWN.glob("area/*.json")]:
        assert path.read_text(encoding="utf-8") == json.dumps(json.loads(path.read_bytes()), indent=2) + "\n"
