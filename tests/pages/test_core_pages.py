"""Tables of a core's page."""

import json

import pytest
from runewire_benchmark.datasheet import load
from runewire_model.transcoder import CORES
from runewire_pages.core_pages import area_table
from runewire_pages.part import RECORDS


@pytest.mark.parametrize("core", CORES)
def test_a_clock_is_in_doubt_on_the_page_of_a_core_as_in_the_datasheet(core: str) -> None:
    """A limit of the clock network was found for an Artix-7, but none of its LUT RAM."""
    doubted = {f"{record['clock_mhz']:.0f} ?" for path in RECORDS.glob("datasheet/*.json")
               if (record := json.loads(path.read_text(encoding="utf-8")))["clock_unsure_of"]}
    rows = [line.split(" | ") for line in area_table(core).partition("In standard cells")[0].splitlines()
            if line.count(" | ") == 8 and "lane" in line]
    unsure = {entry.target for entry in load() if entry.unknown_limits}
    assert rows
    for _, target, *_, clock, _, _ in rows:
        assert clock.endswith(" ?") == (target in unsure)
        assert clock in doubted or not clock.endswith(" ?")
