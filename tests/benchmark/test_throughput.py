from collections.abc import Sequence

import pytest
from runewire_benchmark.datasheet import Entry
from runewire_benchmark.throughput import bytes_per_cycle, bytes_per_cycle_of, counted_in, gigabytes_per_second
from runewire_model import TranscoderParameters, parameters
from runewire_model.timeline import timeline
from runewire_rtl import timing


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


@pytest.mark.parametrize(("core", "lanes", "read", "rate"), [
    ("decoder", 8, 1200, 2.0), ("validator", 128, 1200, 1200 / 10 / 1000 * 250), ("encoder", 4, 3840, 1.25),
])
def test_rates_count_the_bytes_that_are_given(core: str, lanes: int, read: int, rate: float) -> None:
    # The encoder makes 1200 bytes of 960 scalars: 5 bytes for 4 lanes.
    assert gigabytes_per_second(entry(core, lanes), [read], [1200]) == pytest.approx(rate)


@pytest.mark.parametrize(("source", "target", "counted"), [
    ("utf-8", "utf-32le", "utf-8"), ("utf-16le", "utf-8", "utf-8"), ("utf-8", None, "utf-8"),
    ("utf-16be", "utf-32le", "utf-16be"), ("utf-32le", None, "utf-32le"),
])
def test_rates_are_in_utf8_where_it_is_on_a_side(source: str, target: str | None, counted: str) -> None:
    assert counted_in(TranscoderParameters(source, target, 1)) == counted


@pytest.mark.parametrize("length", [3, 8, 40])
def test_a_filter_takes_the_cycles_of_its_busiest_part(length: int) -> None:
    core = parameters("filter", lanes=8, records=0x0A, longest=64)
    text = (b"a" * (length - 1) + b"\n") * 200
    found = timeline(core, [text], timing(core))
    cycles = found.output.taken[-1] - found.input.taken[0] + 1 - timing(core).latency
    assert len(text) / bytes_per_cycle_of(core, text) == pytest.approx(cycles, rel=0.05)
