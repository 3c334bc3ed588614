"""The digest of a measurement's tool flow."""

from dataclasses import replace
from typing import Any

import pytest
from runewire_fpga.targets import TARGETS
from runewire_fpga.tool_flow import flow_digest

CELLS = {"SB_LUT4": 100, "SB_DFF": 50}


def flow(name: str = "ice40-hx8k", *, compact: bool = False, cells: dict[str, int] = CELLS, **changes: Any) -> str:
    target = TARGETS[name]
    if changes:
        target = replace(target, family=replace(target.family, **changes))
    return flow_digest(target, target.speed(), "block", cells, compact=compact)


def test_an_area_alone_has_a_flow_too() -> None:
    xilinx = TARGETS["xilinx-7"]
    assert flow_digest(xilinx, xilinx.speed(), "block", {"FDRE": 1}, compact=False) != flow()


@pytest.mark.parametrize("changed", [
    {"synthesis": "synth_ice40"}, {"before": {"map_luts": "opt"}}, {"for_clock": ("--placer", "heap")},
    {"nextpnr": "nextpnr-other"},
], ids=lambda changed: next(iter(changed)))
def test_what_the_programs_are_asked_counts(changed: dict[str, Any]) -> None:
    assert flow(**changed) != flow()


def test_a_number_of_cells_does_not_count() -> None:
    assert flow(cells={**CELLS, "SB_DFF": 51}) == flow()


@pytest.mark.parametrize(("name", "cell"), [("ecp5-85k", "LUT4"), ("artix-7-200t", "LUT6")])
def test_a_larger_netlist_counts_where_it_is_placed_in_another_way(name: str, cell: str) -> None:
    target = TARGETS[name]
    most = target.family.large_luts
    assert most
    first, last, large = (flow_digest(target, target.speed(), "block", {cell: luts}, compact=False)
                          for luts in (1, most, most + 1))
    assert first == last != large


def test_a_compact_core_has_steps_of_its_own() -> None:
    assert flow(compact=True) != flow()
