"""Tallies: counts of a packet's flags, output with its last beat."""

import random
from itertools import product

import pytest
from runewire_rtl.pipeline import Plan
from runewire_rtl.report.packet_counters import CHUNK, tally


@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize(("chunk", "width", "flags"), [
    *product([CHUNK], [4, CHUNK, CHUNK + 1, 2 * CHUNK + 2], [1, 2, 4, 8]),
    # More flags than fit in a chunk, so that the carry is more than one, as with 512 flags of 256 lanes.
    (2, 6, 8),
    # As many flags as a wide core has lanes.
    (CHUNK, 8, 64),
    # An odd number of fours: one lane more than a power of two, for the record that a text's end ends.
    (CHUNK, 8, 9), (CHUNK, 8, 17),
])
def test_a_packets_flags_are_counted_and_what_does_not_fit_is_all_ones(
    lane_bench, beat, chunk: int, width: int, flags: int, plan: Plan, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("runewire_rtl.report.packet_counters.CHUNK", chunk)
    rng = random.Random(width * flags)
    bench = lane_bench(flags, plan, width=1, lookahead=False, gaps=0.1)
    number = tally(bench.pipeline, "count", bench.data.values, width)
    most = (1 << width) - 1
    beats, expected = [], []
    # Short packets; long ones that fill a chunk or saturate; and then a short one again.
    longest = min(2 * most, 3 << CHUNK) // flags + 2
    for length in [*(rng.randrange(1, 6) for _ in range(30)), longest, 1, longest // 2 + 1, 2, longest, 3]:
        density = rng.choice([0.2, 1.0]) if length < 6 else 1.0
        packet = [[int(rng.random() < density) for _ in range(flags)] for _ in range(length)]
        beats += [beat(row, 1, index == length - 1) for index, row in enumerate(packet)]
        expected += [0] * (length - 1) + [min(most, sum(map(sum, packet)))]
    assert [told for (told,) in bench.run(beats, [number])] == expected
