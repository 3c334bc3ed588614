"""The class of every byte, in every lane, against the ranges of RFC 3629 written out."""

import pytest
from runewire_rtl.encodings.utf8.classes import ByteClasses, classify
from runewire_rtl.pipeline import Plan

RANGES = {
    "tail": [(0x80, 0xBF)],
    "lead2": [(0xC0, 0xDF)],
    "lead3": [(0xE0, 0xEF)],
    "lead4": [(0xF0, 0xF7)],
    "short2": [(0xC0, 0xC1)],
    "lead_e0": [(0xE0, 0xE0)],
    "lead_ed": [(0xED, 0xED)],
    "lead_f0": [(0xF0, 0xF0)],
    "lead_f4": [(0xF4, 0xF4)],
    "large": [(0xF5, 0xF7)],
    "high": [(0xA0, 0xBF)],
    "not_low": [(0x90, 0xBF)],
}
LANES = 4


@pytest.fixture(scope="module", params=list(Plan))
def seen(request, lane_bench, beat) -> dict[str, list[tuple[int, ...]]]:
    """For each class, the lanes' results for every byte; each lane has another byte."""
    bench = lane_bench(LANES, request.param)
    classes = classify(bench.data)
    results = [value for name in RANGES for value in getattr(classes, name).values]
    beats = [beat([(byte + 51 * lane) % 256 for lane in range(LANES + 1)], 15, False) for byte in range(256)]
    rows = bench.run(beats, results)
    size = LANES + 1
    return {name: [row[i * size : (i + 1) * size] for row in rows] for i, name in enumerate(RANGES)}


def test_every_class_is_covered() -> None:
    assert set(RANGES) == set(ByteClasses.__dataclass_fields__) - {"bytes"}


@pytest.mark.parametrize("name", RANGES)
def test_all_bytes_in_every_lane(seen, name: str) -> None:
    def member(byte: int) -> bool:
        return any(low <= byte <= high for low, high in RANGES[name])

    for byte, flags in enumerate(seen[name]):
        assert flags == tuple(member((byte + 51 * lane) % 256) for lane in range(LANES + 1)), f"{byte:02X}"
