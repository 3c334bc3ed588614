"""A measurement: median, the clock that may be quoted, and the keys that others read."""

import json
from dataclasses import replace

import pytest
from runewire_rtl import parameters
from runewire_rtl.implementation.designs import Variant
from runewire_rtl.implementation.measurement import Measurement
from runewire_rtl.implementation.place_and_route import CriticalPath, Placement
from runewire_rtl.implementation.targets import TARGETS, Area


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
    area=Area(luts=2000, ffs=4000, block_ram=1, distributed_ram=10, memory_luts=60),
    latency_cycles=30,
    placements={Variant.CORE: placements(410, 390, 400), Variant.PIPELINE: placements(800, 900, 700)},
    tool_versions={"yosys": "0.70"},
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


@pytest.mark.parametrize(("clock", "quoted"), [(400, 370), (300, 300)])
def test_no_clock_is_quoted_that_the_clock_network_does_not_carry(clock: float, quoted: float) -> None:
    measured = replace(MEASURED, placements={Variant.CORE: placements(clock)})
    assert measured.fmax_mhz() == clock
    assert measured.clock_mhz() == quoted
    assert measured.gigabytes_per_second() == pytest.approx(8 * quoted / 1000)


def test_without_a_known_limit_nothing_is_capped() -> None:
    measured = replace(MEASURED, target=TARGETS["gowin-gw2a-18"], speed="c8i7")
    assert measured.clock_mhz() == 400


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
        "tool_versions": {"yosys": "0.70"},
    }
    assert record["clock_mhz"] == record["clock_limit_mhz"] == 370
    assert record["memory"]["block_ram"] == 1
    assert record["memory"]["distributed_ram_luts"] == 60
    assert record["beside"]["pipeline"]["ratio"] == 0.5


def test_json_of_an_area() -> None:
    record = replace(MEASURED, target=TARGETS["xilinx-7"], speed="any", placements={}).to_json()
    assert record["seeds"] == []
    assert record["luts"] == 2000
    for key in ("fmax_mhz", "clock_mhz", "clock_limit_mhz", "gigabytes_per_second", "critical_path", "capacity"):
        assert record[key] is None


@pytest.mark.parametrize(("core", "options", "name"), [
    ("decoder", {"lanes": 8}, "decoder-x8-dense-ecp5-85k-8"),
    ("decoder", {"lanes": 16, "packing": "sparse", "errors": "drop"}, "decoder-x16-sparse-drop-ecp5-85k-8"),
    ("validator", {"lanes": 1, "pipeline": "compact"}, "validator-x1-compact-ecp5-85k-8"),
    ("encoder", {"lanes": 4}, "encoder-x4-ecp5-85k-8"),
])
def test_names(core: str, options: dict[str, str | int], name: str) -> None:
    assert replace(MEASURED, parameters=parameters(core, **options)).name == name
