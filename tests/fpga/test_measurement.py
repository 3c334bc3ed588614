"""A measurement: median, the clock that may be quoted, and the keys that others read."""

import json
from dataclasses import replace
from typing import Any

import pytest
from runewire_fpga.designs import Variant
from runewire_fpga.measurement import Measurement
from runewire_fpga.place_and_route import CriticalPath, Placement
from runewire_fpga.records import core_of, flow_of, name_of
from runewire_fpga.targets import TARGETS, Area
from runewire_rtl import parameters


def placements(*clocks: float) -> list[Placement]:
    """A run for each clock; the path is named after the clock."""
    return [
        Placement(seed, clock, CriticalPath(f"from{clock:g}", "to", (), 1.0, 2.0))
        for seed, clock in enumerate(clocks, 1)
    ]


MEASURED = Measurement(
    parameters=parameters("decoder", lanes=8),
    target=TARGETS["ecp5-85k"],
    speed="8",
    memory="distributed",
    cells={"LUT4": 1940, "TRELLIS_DPR16X4": 10, "TRELLIS_FF": 4000},
    area=Area(luts=2000, ffs=4000, block_ram=0, distributed_ram=10, memory_luts=60),
    latency_cycles=30,
    design="0123456789ab",
    placements={Variant.CORE: placements(410, 390, 400), Variant.PIPELINE: placements(800, 900, 700)},
    tool_versions={"runewire": "0.9", "yosys": "0.70"},
    made_by="runewire sweep",
)


def test_the_median_counts() -> None:
    assert MEASURED.fmax_mhz() == 400
    assert MEASURED.fmax_mhz(Variant.PIPELINE) == 800
    assert MEASURED.fmax_mhz(Variant.ALWAYS_READY) is None
    assert MEASURED.ratio(Variant.PIPELINE) == 0.5
    assert MEASURED.ratio(Variant.ALWAYS_READY) is None
    assert MEASURED.critical_path is not None
    assert MEASURED.critical_path.start == "from400"


def test_of_an_even_number_of_seeds_the_path_is_the_slower_one() -> None:
    measured = replace(MEASURED, placements={Variant.CORE: placements(410, 390, 400, 395)})
    assert measured.fmax_mhz() == 397.5
    assert measured.critical_path is not None
    assert measured.critical_path.start == "from395"


BLOCK = {"DP16KD": 3}
SLOW_BLOCK = {"DP16KD:WRITEMODE_A=READBEFOREWRITE,WRITEMODE_B=NORMAL": 1}


@pytest.mark.parametrize(("fmax", "speed", "cells", "quoted", "held_by"), [
    (400, "8", {}, 370, "clock network"),
    (300, "8", {}, 300, "Fmax"),
    (400, "8", BLOCK, 271.44, "block RAM"),
    (250, "8", BLOCK, 250, "Fmax"),
    (400, "7", BLOCK, 254.19, "block RAM"),
    (400, "8", {**BLOCK, **SLOW_BLOCK}, 214.13, "block RAM, read before write"),
])
def test_no_clock_is_quoted_that_the_device_does_not_carry(
        fmax: float, speed: str, cells: dict[str, int], quoted: float, held_by: str) -> None:
    measured = replace(MEASURED, speed=speed, cells={**MEASURED.cells, **cells},
                       placements={Variant.CORE: placements(fmax)})
    assert measured.fmax_mhz() == fmax
    assert measured.clock is not None
    assert (measured.clock.mhz, measured.clock.held_by) == (quoted, held_by)
    assert measured.gigabytes_per_second == pytest.approx(8 * quoted / 1000, abs=1e-4)
    assert measured.clock.unsure_of == ([] if speed == "8" else ["clock network"])


def test_a_limit_that_is_not_known_does_not_cap_but_is_told() -> None:
    measured = replace(MEASURED, target=TARGETS["gowin-gw2a-18"], speed="c8i7", cells={"LUT4": 7, "DFF": 8})
    assert measured.clock is not None
    assert (measured.clock.mhz, measured.clock.held_by) == (400, "Fmax")
    assert measured.clock.unsure_of == ["clock network", "flip-flops"]


def test_the_encoder_takes_four_bytes_a_lane() -> None:
    measured = replace(MEASURED, parameters=parameters("encoder", lanes=4))
    assert measured.bytes_per_cycle == 16


def test_json() -> None:
    record = json.loads(MEASURED.text())
    assert {key: record[key] for key in (
        "core", "lanes", "packing", "target", "speed", "seeds", "fmax_mhz", "luts", "ffs", "latency_cycles",
        "gigabytes_per_second", "tool_versions",
    )} == {
        "core": "decoder", "lanes": 8, "packing": "dense", "target": "ecp5-85k", "speed": "8",
        "seeds": [{"seed": 1, "fmax_mhz": 410}, {"seed": 2, "fmax_mhz": 390}, {"seed": 3, "fmax_mhz": 400}],
        "fmax_mhz": 400, "luts": 2000, "ffs": 4000, "latency_cycles": 30, "gigabytes_per_second": 2.96,
        "tool_versions": {"runewire": "0.9", "yosys": "0.70"},
    }
    assert (record["clock_mhz"], record["clock_held_by"], record["clock_unsure_of"]) == (370, "clock network", [])
    assert [(limit["what"], limit["mhz"]) for limit in record["clock_limits"]] == [
        ("clock network", 370), ("LUT RAM", 440.91), ("flip-flops", 440.91)]
    assert "SDPRAME, CLK, high and low for 1134 ps" in record["clock_limits"][1]["source"]
    assert record["memory"]["made_of"] == "distributed"
    assert record["memory"]["distributed_ram"] == 10
    assert record["cells"]["TRELLIS_FF"] == 4000
    assert record["design"] == {"version": "0.9", "digest": "0123456789ab", "flow": MEASURED.flow, "present": True}
    assert flow_of(record) == MEASURED.flow
    assert record["memory"]["distributed_ram_luts"] == 60
    assert record["beside"]["pipeline"]["ratio"] == 0.5


def test_of_the_plain_flow_the_clock_that_counts_and_the_area_are_told() -> None:
    measured = replace(MEASURED, plain_cells={"TRELLIS_FF": 3, "DP16KD": 1, "LUT4": 77}, placements={
        **MEASURED.placements, Variant.PLAIN_FLOW: placements(330, 350, 340)})
    told = measured.to_json()["beside"]["plain_flow"]
    assert (told["fmax_mhz"], told["clock_mhz"], told["luts"], told["ffs"]) == (340, 271.44, 77, 3)
    assert "luts" not in measured.to_json()["beside"]["pipeline"]


def test_json_of_an_area() -> None:
    record = replace(MEASURED, target=TARGETS["xilinx-7"], speed="any", cells={"LUT6": 2000}, placements={}).to_json()
    assert record["seeds"] == record["clock_limits"] == []
    assert record["luts"] == 2000
    for key in ("fmax_mhz", "clock_mhz", "clock_held_by", "gigabytes_per_second", "critical_path", "capacity"):
        assert record[key] is None


@pytest.mark.parametrize(("core", "options", "name"), [
    ("decoder", {"lanes": 8}, "decoder-x8-dense-ecp5-85k-8"),
    ("decoder", {"lanes": 16, "packing": "sparse", "errors": "drop"}, "decoder-x16-sparse-drop-ecp5-85k-8"),
    ("validator", {"lanes": 1, "pipeline": "compact"}, "validator-x1-compact-ecp5-85k-8"),
    ("encoder", {"lanes": 4}, "encoder-x4-ecp5-85k-8"),
    ("validator", {"lanes": 64, "records": 0x0A}, "validator-x64-records-0A-ecp5-85k-8"),
    ("validator", {"report": "flag", "user": 8}, "validator-x8-report-flag-user-8-ecp5-85k-8"),
    ("validator", {"id": 8, "count": ("code-points", "bytes"), "report_port": "only"},
     "validator-x8-report-port-only-count-code-points-bytes-id-8-ecp5-85k-8"),
])
def test_names(core: str, options: dict[str, Any], name: str) -> None:
    measured = replace(MEASURED, parameters=parameters(core, **options))
    assert measured.name == f"{name}-distributed"
    assert replace(measured, memory="block").name == f"{name}-block"


def test_json_has_the_options_of_the_ports_and_gives_them_back() -> None:
    core = parameters("validator", records=0x0A, count=("records", "bytes"), offset_bits=16)
    record = json.loads(replace(MEASURED, parameters=core).text())
    assert (record["records"], record["count"], record["offset_bits"]) == (0x0A, ["records", "bytes"], 16)
    assert core_of(record) == core
    assert name_of(record) == replace(MEASURED, parameters=core).name


def test_a_sanitizer_comes_back_with_its_replacement() -> None:
    core = parameters("sanitizer", replacement=0x3F)
    record = json.loads(replace(MEASURED, parameters=core).text())
    assert record["replacement"] == 0x3F
    assert core_of(record) == core
    assert name_of(record) == "sanitizer-x8-dense-replacement-3F-ecp5-85k-8-distributed"


@pytest.mark.parametrize(("option", "value", "word"), [
    ("family", "gowin-5a", "gowin-5a"), ("reject_nul", True, "reject-nul-yes"),
    ("replace_runs", True, "replace-runs-yes"),
])
def test_a_core_comes_back_with_its_layout_and_its_flags(option: str, value: str | bool, word: str) -> None:
    core = parameters("decoder", **{option: value})
    record = json.loads(replace(MEASURED, parameters=core).text())
    assert core_of(record) == core
    assert name_of(record) == f"decoder-x8-dense-{word}-ecp5-85k-8-distributed"


def test_a_name_says_nothing_of_memory_where_there_is_one_kind() -> None:
    measured = replace(MEASURED, target=TARGETS["ice40-hx8k"], speed="hx", memory="block")
    assert measured.name == "decoder-x8-dense-ice40-hx8k-hx"
