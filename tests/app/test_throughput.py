from collections.abc import Sequence

import pytest
from runewire.datasheet import Entry
from runewire.throughput import bytes_per_cycle, utf8_gigabytes_per_second
from runewire_model import parameters


@pytest.mark.parametrize(("core", "lanes", "packets", "rate"), [
    ("decoder", 8, [80], 8),
    ("decoder", 8, [81], 81 / 11),
    ("decoder", 64, [65] * 10, 32.5),
    ("decoder", 1, [1, 5, 7], 1),
    ("validator", 128, [1], 1),
    ("validator", 8, [8, 0, 8], 16 / 3),
    ("validator", 8, [0], 0),
    ("validator", 8, [], 0),
    ("encoder", 4, [16, 4], 10),
])
def test_bytes_a_cycle_count_the_beats(core: str, lanes: int, packets: Sequence[int], rate: float) -> None:
    assert bytes_per_cycle(parameters(core, lanes=lanes), packets) == pytest.approx(rate)


def test_a_mark_that_is_added_takes_a_cycle() -> None:
    assert bytes_per_cycle(parameters("decoder", lanes=8, bom="add"), [8, 0, 16]) == pytest.approx(24 / 7)


def entry(core: str, lanes: int) -> Entry:
    return Entry(parameters(core, lanes=lanes), "x", "X", None, "8", 500, 250, 1, 1, 1, {})


@pytest.mark.parametrize(("core", "lanes", "rate"), [
    ("decoder", 8, 2.0), ("validator", 128, 1200 / 10 / 1000 * 250), ("encoder", 4, 1.25),
])
def test_rates_are_in_utf8_for_every_core(core: str, lanes: int, rate: float) -> None:
    # 480 characters in 1200 bytes, or 480 scalars: 5 bytes a scalar and lane for the encoder.
    assert utf8_gigabytes_per_second(entry(core, lanes), [1200], [960]) == pytest.approx(rate)
