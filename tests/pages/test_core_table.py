"""The table of cores in README.md names the best chip of each core."""

from dataclasses import replace

from runewire_benchmark.datasheet import Entry, load
from runewire_model import parameters
from runewire_pages.core_table import TARGET, clocks, fastest, table

WIDE = parameters("validator", lanes=64)
OWN = Entry(WIDE, TARGET, "Lattice LFE5U-85F", 83_640, "8", 400.0, 370.0, 4882, 11345, 24, {})
OTHER = replace(OWN, target="gowin-gw5ast-138", device="Gowin GW5AST", clock_mhz=432.0, unknown_limits=("LUT RAM",),
                parameters=replace(WIDE, family="gowin-5a"))


def test_the_best_chip_is_named_and_then_the_ecp5() -> None:
    assert fastest([OWN, OTHER]) == fastest([OTHER, OWN]) == "GW5AST: 64, 27.6 ?; ECP5: 64, 23.7"
    assert fastest([OWN, replace(OTHER, target="new", device="New chip")]) == "New chip: 64, 27.6 ?; ECP5: 64, 23.7"


def test_the_ecp5_is_named_once_where_it_is_the_best() -> None:
    assert fastest([OWN, replace(OTHER, clock_mhz=370.0)]) == "ECP5: 64, 23.7"


def test_a_chip_s_clock_has_the_layout_that_is_fastest_there() -> None:
    usual = replace(OTHER, parameters=WIDE, clock_mhz=348.0)
    slower = replace(OTHER, clock_mhz=300.0)
    narrow = replace(OTHER, parameters=replace(OTHER.parameters, lanes=8), clock_mhz=500.0)
    assert clocks(OWN, [OWN, usual, OTHER]) == clocks(OWN, [OTHER, usual, OWN]) == "370, –, 432 ?"
    assert clocks(OWN, [OWN, usual, slower, narrow]) == "370, –, 348 ?"


def test_each_row_names_the_fastest_core_of_the_datasheet() -> None:
    (row,) = (line.split(" | ") for line in table().splitlines() if line.startswith("| [validator]"))
    rates = [entry.parameters.input_bytes * entry.clock_mhz / 1000 for entry in load()
             if entry.parameters.kind == "validator" and not entry.options]
    assert f", {max(rates):.1f}" in row[4].partition(";")[0]
