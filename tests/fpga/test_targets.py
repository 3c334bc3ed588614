"""Devices as data: capacity of their cells, speed grades and limits."""

import importlib.util
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from runewire_fpga.targets import (
    AUTOMATIC,
    MEMORIES,
    NOT_FOUND,
    TARGETS,
    Area,
    Capacity,
    ClockLimit,
    Target,
    target,
)

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
    ("gowin-gw5a-25", {"LUT3": 2, "ALU": 3, "DFFSE": 4, "MUX2_LUT5": 1, "GND": 1, "SDPX9B": 2, "DPB": 1},
     Area(luts=2 + 3, ffs=4, block_ram=4 + 1, distributed_ram=0, memory_luts=0)),
    ("gowin-gw5ast-138", {"LUT4": 2, "ALU": 3, "RAM16SDP4": 2, "DFFRE": 4, "SDPB": 1},
     Area(luts=2 + 3 + 16, ffs=4, block_ram=2, distributed_ram=2, memory_luts=16)),
    *((name, {"LUT4": 5, "CCU2D": 2, "TRELLIS_DPR16X4": 3, "TRELLIS_FF": 7,
              "DP8KC:WRITEMODE_A=NORMAL,WRITEMODE_B=NORMAL": 2},
       Area(luts=5 + 4 + 18, ffs=7, block_ram=2, distributed_ram=3, memory_luts=18))
      for name in ("machxo2-1200", "machxo3lf-6900")),
    ("gatemate-a1", {"CC_L2T4": 3, "CC_LUT1": 1, "CC_LUT2": 1, "CC_MX2": 2, "CC_ADDF": 4, "CC_L2T5": 5, "CC_MX4": 1,
                     "CC_DFF": 6, "CC_BRAM_20K": 1, "CC_BRAM_40K": 1, "CC_BUFG": 1},
     Area(luts=3 + 1 + 1 + 2 + 4 + 10 + 2, ffs=6, block_ram=1 + 2, distributed_ram=0, memory_luts=0)),
    ("xilinx-7", {"LUT6": 2, "SRL16E": 3, "RAM32M": 1, "FDRE": 2, "FDSE": 1, "CARRY4": 1, "RAMB36E1": 1},
     Area(luts=2 + 3 + 4, ffs=3, block_ram=2, distributed_ram=1, memory_luts=4)),
    ("artix-7-100t", {"LUT6": 2, "RAM32M": 1, "RAM64X1D": 1, "FDRE": 2, "RAMB18E1": 1, "IBUF": 3, "OBUF": 1, "BUFG": 1},
     Area(luts=2 + 4 + 2, ffs=2, block_ram=1, distributed_ram=2, memory_luts=6)),
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


def every_limit(each: Target, speed: str) -> tuple[ClockLimit, ...]:
    """Of a core that uses everything that there is."""
    whole = Area(luts=1, ffs=1, block_ram=1, distributed_ram=int("distributed" in each.family.memories), memory_luts=1)
    return each.clock_limits(speed, each.family.used_in(whole))


NOTHING_KNOWN = {"clock network": None, "block RAM": None, "LUT RAM": None, "flip-flops": None}
NOTHING_KNOWN_OF_BLOCKS = {what: None for what in NOTHING_KNOWN if what != "LUT RAM"}


@pytest.mark.parametrize(("name", "speed", "limits"), [
    ("ecp5-85k", "8", {"clock network": 370, "block RAM": 271.44, "LUT RAM": 440.91, "flip-flops": 440.91}),
    ("ecp5-85k", "7", {"clock network": 370, "block RAM": 254.19, "LUT RAM": 457.87, "flip-flops": 457.87}),
    ("ecp5-25k", "6", {"clock network": 370, "block RAM": 211.95, "LUT RAM": 476.19, "flip-flops": 476.19}),
    ("ice40-hx8k", "hx", {"clock network": 275, "block RAM": 403, "flip-flops": 305}),
    ("ice40-up5k", "up", {"clock network": 185, "block RAM": 150, "flip-flops": None}),
    ("nexus-40k", "9", NOTHING_KNOWN),
    ("gowin-gw2a-18", "c8i7", NOTHING_KNOWN),
    ("gowin-gw5a-25", "c2i1", NOTHING_KNOWN_OF_BLOCKS),
    ("machxo2-1200", "4", {"clock network": None, "block RAM": 150.01, "LUT RAM": 400, "flip-flops": 400}),
    ("machxo3lf-6900", "6", {"clock network": None, "block RAM": 182.54, "LUT RAM": 500, "flip-flops": 500}),
    ("gatemate-a1", "speed", NOTHING_KNOWN_OF_BLOCKS),
    ("gowin-gw5ast-138", "c1i0", NOTHING_KNOWN),
    *((name, "1", {**NOTHING_KNOWN, "clock network": 464})
      for name in ("artix-7-35t", "artix-7-100t", "artix-7-200t", "spartan-7-50")),
    ("zynq-7020", "1", NOTHING_KNOWN),
])
def test_clock_limits_name_document_and_place(name: str, speed: str, limits: dict[str, float | None]) -> None:
    found = every_limit(TARGETS[name], speed)
    assert {limit.what: limit.mhz for limit in found} == limits
    for limit in found:
        if limit.mhz is None:
            assert limit.source == NOT_FOUND
        else:
            assert any(place in limit.source for place in ("table", "page", f"/speed_{speed}/cells.json"))


NO_LIMIT_FOUND = {
    ("iCE40", "up", "flip-flops"),
    *(("Nexus", grade, what) for grade in "789" for what in NOTHING_KNOWN),
    *(("GW2A", "c8i7", what) for what in NOTHING_KNOWN),
    *(("GW5A", grade, what) for grade in ("c1i0", "c2i1") for what in NOTHING_KNOWN_OF_BLOCKS),
    *(("GW5AST", "c1i0", what) for what in NOTHING_KNOWN),
    *(("Xilinx 7 series", "1", what) for what in NOTHING_KNOWN),
    *(("MachXO2", grade, "clock network") for grade in "456"),
    *(("MachXO3LF", grade, "clock network") for grade in "56"),
    *(("GateMate", grade, what) for grade in ("lowpower", "economy", "speed") for what in NOTHING_KNOWN_OF_BLOCKS),
}
"""Parts of which no limit could be found; rows with them are marked."""


def test_every_cell_that_has_a_clock_has_a_limit() -> None:
    missing = set()
    for each in PLACED:
        for grade in each.speeds:
            assert (grade in each.network) or (each.family.name, grade, "clock network") in NO_LIMIT_FOUND
            for cells in each.family.cells:
                stored = cells.ffs or cells.block_ram or cells.distributed_ram
                assert bool(cells.what) == bool(stored), f"nothing is said of the clock of {cells.kinds}"
                if stored and grade not in cells.limits:
                    missing.add((each.family.name, grade, cells.what))
    assert missing == {each for each in NO_LIMIT_FOUND if each[2] != "clock network"}


@pytest.mark.parametrize(("kind", "mhz"), [
    ("DP16KD", 271.44),
    ("DP16KD:WRITEMODE_A=NORMAL,WRITEMODE_B=NORMAL", 271.44),
    ("DP16KD:WRITEMODE_A=WRITETHROUGH,WRITEMODE_B=NORMAL", 271.44),
    ("DP16KD:WRITEMODE_A=READBEFOREWRITE,WRITEMODE_B=NORMAL", 214.13),
    ("DP16KD:WRITEMODE_A=WRITETHROUGH,WRITEMODE_B=READBEFOREWRITE", 214.13),
])
def test_the_limit_of_a_block_ram_is_that_of_how_it_writes(kind: str, mhz: float) -> None:
    each = TARGETS["ecp5-85k"]
    limits = each.clock_limits("8", each.family.used({kind: 3, "LUT4": 1}))
    assert [limit.mhz for limit in limits] == [370, mhz]


def test_a_way_of_writing_that_nobody_looked_up_is_an_error() -> None:
    with pytest.raises(ValueError, match="cells of type DP16KD:WRITEMODE_A=SIDEWAYS, of no known area"):
        TARGETS["ecp5-85k"].family.used({"DP16KD:WRITEMODE_A=SIDEWAYS": 1})


@pytest.mark.parametrize(("name", "folder", "kinds"), [
    ("ecp5-85k", "ECP5", 4), ("machxo2-1200", "MachXO2", 4), ("machxo3lf-6900", "MachXO2", 4)])
def test_limits_are_those_of_the_database_that_nextpnr_uses(name: str, folder: str, kinds: int) -> None:
    each = TARGETS[name]
    assert each.family.nextpnr is not None
    package = importlib.util.find_spec(f"yowasp_{each.family.nextpnr.replace('-', '_')}")
    if package is None or package.origin is None:
        pytest.skip(f"{each.family.nextpnr} is not installed: pip install 'runewire[synth-more]'")
    timing = Path(package.origin).parent / "share" / "trellis" / "database" / folder / "timing"
    seen = 0
    for grade in each.speeds:
        database = json.loads((timing / f"speed_{grade}" / "cells.json").read_bytes())
        for cells in each.family.cells:
            if cells.what:
                limit = cells.limits[grade]
                assert f"({folder}/timing/speed_{grade}/cells.json)" in limit.source
                entry, _, clocks = limit.source.partition("cells.json): ")[2].partition(", ")
                pins = re.findall(r"CLK\w?|WCK", clocks)
                # The entry of a mode that only one port is in holds the other's too.
                widths = {each["width"][0] for each in database[entry]
                          if each["type"] == "Width" and each["clock"][1] in pins}
                assert len(widths) == 1
                assert limit.mhz == math.floor(1e8 / (2 * widths.pop())) / 100
                seen += 1
        # The only way of writing without an entry of its own is not slower.
        block = "DP16KD" if folder == "ECP5" else "DP8KC"
        through, normal = (
            database[f"{block}:WRITEMODE_A=NORMAL,WRITEMODE_B={mode}"] for mode in ("WRITETHROUGH", "NORMAL"))
        assert max(each["width"][0] for each in through if each["type"] == "Width") \
            <= max(each["width"][0] for each in normal if each["type"] == "Width")
    assert seen == kinds * len(each.speeds)


@pytest.mark.parametrize(("name", "pipeline", "memory"), [
    ("ecp5-85k", "fast", "distributed"),
    ("ecp5-85k", "balanced", "distributed"),
    ("ecp5-85k", "compact", "block"),
    ("ice40-hx8k", "fast", "block"),
    ("gowin-gw2a-18", "fast", "distributed"),
])
def test_memories_that_suit_a_pipeline(name: str, pipeline: str, memory: str) -> None:
    assert TARGETS[name].family.memory(pipeline) == memory


def test_a_memory_that_the_family_has_may_be_asked_for() -> None:
    ecp5, ice40 = TARGETS["ecp5-85k"].family, TARGETS["ice40-hx8k"].family
    assert [ecp5.memory("fast", memory) for memory in MEMORIES] == list(MEMORIES)
    with pytest.raises(ValueError, match=r"^memory on iCE40 must be block, got 'distributed': iCE40 has no other"):
        ice40.memory("fast", "distributed")
    with pytest.raises(ValueError, match=r"^memory on ECP5 must be distributed or block, got 'sram'$"):
        ecp5.memory("fast", "sram")


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
            return f"{start} area only | | | | | | | |"
        speeds = "area only" if each.family.nextpnr is None else ", ".join(each.speeds)
        found: dict[str, list[str]] = {what: [] for what in NOTHING_KNOWN}
        for limit in (limit for speed in each.speeds for limit in every_limit(each, speed)):
            found[limit.what].append("?" if limit.mhz is None else f"{limit.mhz:.0f}{'' if limit.exact else '?'}")
        limits = " | ".join(" / ".join(dict.fromkeys(part)) for part in found.values())
        return f"{start} {speeds} | {have.luts} | {have.ffs} | {have.block_ram} | {limits} |"

    page = Path(__file__).parents[2] / "docs" / "implementation.md"
    section = page.read_text(encoding="utf-8").partition("\n## Targets\n")[2].partition("\n## ")[0]
    found = [line for line in section.splitlines() if line.startswith("| `")]
    assert found == [row(each) for each in TARGETS.values()]
