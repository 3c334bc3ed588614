"""The cores neither grow nor slow down: LUT, FF and the median clock of small ones, against reference.json.

`python -m runewire_fpga.regression_guard tests/fpga/reference.json` writes that file.
"""

import json
from pathlib import Path

import pytest
from runewire_fpga.regression_guard import AREA_MARGIN, CLOCK_MARGIN, complaints, figures, main
from runewire_jobs.cache import Store, cache_directory

REFERENCE = Path(__file__).parent / "reference.json"
BEFORE = {"core": {"luts": 1000, "ffs": 2000, "fmax_mhz": 400.0}}


@pytest.mark.slow
@pytest.mark.records
@pytest.mark.skipif(not REFERENCE.exists(), reason="there is no reference yet")
def test_no_core_is_worse_than_the_reference() -> None:
    found = figures(Store(cache_directory() / "implementation"))
    assert complaints(json.loads(REFERENCE.read_bytes()), found) == []


@pytest.mark.parametrize("now", [
    BEFORE,
    {"core": {"luts": 1000 * (1 + AREA_MARGIN), "ffs": 2000 * (1 + AREA_MARGIN), "fmax_mhz": 400 * (1 - CLOCK_MARGIN)}},
    {"core": {"luts": 10, "ffs": 10, "fmax_mhz": 4000.0}},
])
def test_within_the_margin_nobody_complains(now: dict[str, dict[str, float]]) -> None:
    assert complaints(BEFORE, now) == []


@pytest.mark.parametrize(("now", "complaint"), [
    ({"core": {"luts": 1031, "ffs": 2000, "fmax_mhz": 400.0}}, "core: 1031 LUT, were 1000: more than 3% up"),
    ({"core": {"luts": 1000, "ffs": 2061, "fmax_mhz": 400.0}}, "core: 2061 FF, were 2000: more than 3% up"),
    ({"core": {"luts": 1000, "ffs": 2000, "fmax_mhz": 367.0}},
     "core: 367.0 MHz, were 400.0: more than 8% down"),
    ({}, "core: only in the reference"),
    ({**BEFORE, "new": BEFORE["core"]}, "new: only in what was measured"),
])
def test_worse_is_told_in_a_line(now: dict[str, dict[str, float]], complaint: str) -> None:
    assert complaints(BEFORE, now) == [complaint]


def test_the_command_writes_what_the_guard_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runewire_fpga.regression_guard.figures", lambda store: BEFORE)
    main([str(tmp_path / "reference.json")])
    assert json.loads((tmp_path / "reference.json").read_bytes()) == BEFORE
