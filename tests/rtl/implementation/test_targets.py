"""The devices as data: what cells take of them, which grades and limits they have."""

from dataclasses import replace
from pathlib import Path

import pytest
from runewire_rtl.implementation.targets import AUTOMATIC, TARGETS, Area, Capacity, Target, target

PLACED = [each for each in TARGETS.values() if each.family.nextpnr is not None]


@pytest.mark.parametrize(("name", "cells", "area"), [
    ("ecp5-25k", {"LUT4": 5, "CCU2C": 2, "TRELLIS_DPR16X4": 3, "TRELLIS_FF": 7, "PFUMX": 2, "DP16KD": 1},
     Area(luts=5 + 4 + 18, ffs=7, block_ram=1, distributed_ram=3, memory_luts=18)),
    ("ice40-hx8k", {"SB_LUT4": 3, "SB_CARRY": 2, "SB_DFF": 1, "SB_DFFESR": 2, "SB_RAM40_4K": 4},
     Area(luts=3, ffs=3, block_ram=4, distributed_ram=0, memory_luts=0)),
    ("nexus-40k", {"LUT4": 3, "INV": 1, "WIDEFN9": 2, "DPR16X4": 1, "FD1P3IX": 2, "FD1P3JX": 1, "VHI": 1},
     Area(luts=3 + 1 + 4 + 6, ffs=3, block_ram=0, distributed_ram=1, memory_luts=6)),
    ("gowin-gw2a-18", {"LUT1": 1, "LUT4": 2, "ALU": 3, "RAM16SDP4": 1, "DFFRE": 4, "MUX2_LUT5": 1, "VCC": 1},
     Area(luts=1 + 2 + 3 + 8, ffs=4, block_ram=0, distributed_ram=1, memory_luts=8)),
    ("xilinx-7", {"LUT6": 2, "SRL16E": 3, "RAM32M": 1, "FDRE": 2, "FDSE": 1, "CARRY4": 1, "RAMB36E1": 1},
     Area(luts=2 + 3 + 4, ffs=3, block_ram=2, distributed_ram=1, memory_luts=4)),
])
def test_area(name: str, cells: dict[str, int], area: Area) -> None:
    assert TARGETS[name].family.area(cells) == area


@pytest.mark.parametrize("each", TARGETS.values(), ids=TARGETS)
def test_a_cell_of_no_known_area_is_an_error(each: Target) -> None:
    with pytest.raises(ValueError, match=r"^the netlist for .* has cells of type MULTIPLIER, of no"):
        each.family.area({"MULTIPLIER": 1})


@pytest.mark.parametrize("each", PLACED, ids=lambda each: each.name)
def test_a_target_that_is_placed_is_complete(each: Target) -> None:
    assert each.capacity is not None
    assert set(each.arguments) == set(each.speeds)
    assert each.family.pin_option or not each.pins


@pytest.mark.parametrize(("name", "limits"), [
    ("ecp5-25k", {"6": 370, "7": 370, "8": 370}),
    ("ecp5-85k", {"6": 370, "7": 370, "8": 370}),
    ("ice40-hx8k", {"hx": 275}),
    ("ice40-up5k", {"up": 185}),
])
def test_clock_limits_name_document_and_place(name: str, limits: dict[str, float]) -> None:
    found = TARGETS[name].clock_limits
    assert {speed: limit.mhz for speed, limit in found.items()} == limits
    for limit in found.values():
        assert limit.source.startswith("Lattice ")
        assert "table" in limit.source or "page" in limit.source


def test_speed_grades() -> None:
    ecp5 = TARGETS["ecp5-85k"]
    assert ecp5.speed() == "8"
    assert ecp5.speed("6") == "6"
    with pytest.raises(ValueError, match="speed of ecp5-85k must be one of 6, 7, 8, got '9'"):
        ecp5.speed("9")


@pytest.mark.parametrize("resource", ["luts", "ffs", "block_ram"])
def test_what_fits(resource: str) -> None:
    device = replace(TARGETS["ecp5-25k"], capacity=Capacity(luts=100, ffs=100, block_ram=100))
    area = Area(luts=1, ffs=1, block_ram=1, distributed_ram=0, memory_luts=0)
    assert device.fits(replace(area, **{resource: 100}))
    assert not device.fits(replace(area, **{resource: 101}))
    assert not device.fits(replace(area, **{resource: 100}), fill=0.9)


def test_names() -> None:
    assert target("ice40-hx8k") is TARGETS["ice40-hx8k"]
    assert target("ecp5") is TARGETS["ecp5-25k"]
    for names in AUTOMATIC.values():
        assert set(names) <= set(TARGETS)
    with pytest.raises(ValueError, match=r"target must be one of ecp5, ecp5-25k, .*, got 'stratix'"):
        target("stratix")


def test_the_documentation_has_the_targets() -> None:
    def row(each: Target) -> str:
        have = each.capacity
        start = f"| `{each.name}` | {each.device} |"
        if have is None:
            return f"{start} area only | | | | |"
        limits = {f"{limit.mhz:g}" for limit in each.clock_limits.values()} or {"not looked up"}
        return f"{start} {', '.join(each.speeds)} | {have.luts} | {have.ffs} | {have.block_ram} | {' '.join(limits)} |"

    page = Path(__file__).parents[3] / "docs" / "implementation.md"
    found = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert found == [row(each) for each in TARGETS.values()]
