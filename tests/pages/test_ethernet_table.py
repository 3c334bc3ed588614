"""The tables of lines and chips say what ``runewire plan`` says."""

import json
import re

import pytest
from runewire.cli import main
from runewire_benchmark import datasheet
from runewire_pages.ethernet_table import CORES, LINES, chip_table, table

Row = tuple[str, ...]


@pytest.fixture(name="rows", scope="module")
def _rows() -> dict[tuple[str, str], Row]:
    """The cells of each core and chip."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table().splitlines()]
    assert lines[0] == ["core", "chip", *(f"{line} GbE" for line in LINES)]
    return {(core, chip): tuple(cells) for core, chip, *cells in lines[2:]}


def test_every_chip_with_a_core_has_a_row(rows: dict[tuple[str, str], Row]) -> None:
    entries = datasheet.load(None)
    assert {*rows} == {(name, entry.target) for name, core in CORES.items() for entry in entries
                       if (entry.parameters.source, entry.parameters.target) == (core.source, core.target)
                       and not entry.parameters.unusual.keys() - {"packing", "pipeline", "family"}}


@pytest.mark.parametrize(("core", "chip"), [
    ("decoder", "gowin-gw5ast-138"), ("validator", "ecp5-85k"), ("encoder", "artix-7-200t"),
    ("decoder", "machxo2-1200")])
def test_a_cell_is_what_plan_proposes_for_the_chip(core: str, chip: str, rows: dict[tuple[str, str], Row],
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    for line, cell in zip(LINES, rows[core, chip], strict=True):
        status = main(["plan", "--rate", f"{line}G", "--ethernet", "--core", core, "--target", chip, "--json"])
        assert (status == 1) == (cell == "–")
        found = json.loads(capsys.readouterr().out)
        if found["proposed"]:
            best = next(found["cores"][number] for number in found["proposed"]
                        if found["cores"][number]["core"].get("packing") != "sparse")
            copies, lanes, clock = best["copies"], best["core"]["lanes"], best["clock_mhz"]
            many = f"{copies} × " if copies > 1 else ""
            kind = " compact" if best["core"]["pipeline"] == "compact" else ""
            doubt = " ?" if best["unknown_clock_limits"] else ""
            assert cell == f"{many}{lanes} lane{'s' if lanes > 1 else ''}{kind}, {clock:.0f}{doubt} MHz"


def test_the_chips_to_buy_are_among_the_rows(rows: dict[tuple[str, str], Row]) -> None:
    head, _, *lines = ([cell.strip() for cell in line.strip("|").split("|")] for line in chip_table().splitlines())
    for number, (_, *cells) in enumerate(lines):
        for core, cell in zip(head[1:], cells, strict=True):
            for chip, words in re.findall(r"(\S+): ([^;]*)", cell):
                assert rows[core, chip][number] == words
