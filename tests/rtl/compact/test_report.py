"""A compact core's report: the first error, however far into the packet, and whatever preceded the packet."""

import random
from collections.abc import Iterator

import pytest
from runewire_model import ErrorKind
from runewire_rtl.compact.report import kept_error
from runewire_rtl.encodings.base import Faults
from runewire_rtl.pipeline import Lanes, Plan, Timed
from runewire_rtl.pipeline.gates import masked
from runewire_rtl.stream_shapes import KIND_WIDTH

BEATS = 4
"""Bits of a beat's number; packets have more beats than fit."""


@pytest.mark.parametrize("back", [0, 2])
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_first_of_several_faults(lane_bench, beat, lanes: int, back: int) -> None:
    """Faults of any distance, many of them near the largest beat number."""
    rng = random.Random(lanes + back)
    width, offset_width = 1 + KIND_WIDTH + back, BEATS + lanes.bit_length() - 1
    bench = lane_bench(lanes, Plan.COMPACT, width=width, lookahead=False)

    def part(name: str, bit: int) -> Lanes:
        return Lanes.map(name, lambda flags: flags[bit], bench.data)

    told = kept_error(bench.pipeline, Faults(
        part("any", 0), [part(f"kind{i}", 1 + i) for i in range(KIND_WIDTH)],
        [part(f"back{i}", 1 + KIND_WIDTH + i) for i in range(back)]), offset_width, "full", after=0)
    last = Timed(bench.pipeline, told.step, masked(told.at(told.step), bench.pipeline.last.at(told.step)), "last")
    beats, expected, most = [], [], (1 << back) - 1
    for _ in range(150):
        count = rng.choice([1, 2, 3, rng.randrange(1, 12), rng.randrange(14, 24)])
        size = count * lanes
        places = {rng.randrange(size) for _ in range(rng.choice([0, 1, 1, 2]))}
        if count > 14 and rng.random() < 0.7:
            places |= {min(size - 1, rng.randrange(14 * lanes, 20 * lanes))}
        # The kind and distance of a lane without a fault are noise.
        data = [rng.getrandbits(width) & ~1 for _ in range(size)]
        first = 0
        for at in sorted(places, reverse=True):
            # The greatest distance in many places: in a core of two lanes it spans two beats from one lane alone.
            kind, distance = rng.choice(list(ErrorKind)).value, min(at, rng.choice((most, rng.randrange(most + 1))))
            data[at] = 1 | kind << 1 | distance << 1 + KIND_WIDTH
            first = 1 | kind << 1 | min(at - distance, (1 << offset_width) - 1) << 1 + KIND_WIDTH
        beats += [beat(data[start : start + lanes], 0, start + lanes == size) for start in range(0, size, lanes)]
        expected += [0] * (count - 1) + [first]

    def fields(word: int) -> tuple[int, int, int]:
        return word & 1, word >> 1 & 7, word >> 1 + KIND_WIDTH

    found = bench.run(iter(beats), [last])
    wrong: Iterator[str] = (
        f"beat {number}: error, kind, offset are {fields(got)}, not {fields(want)}"
        for number, ((got,), want) in enumerate(zip(found, expected, strict=True)) if got != want)
    assert next(wrong, "") == ""
