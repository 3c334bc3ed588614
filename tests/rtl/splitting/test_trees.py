"""Trees over the lanes of a beat: whether a flag is set, and where; and which of two places is greater."""

from random import Random

import pytest
from runewire_rtl.splitting.trees import any_of, at_least, outermost, place_of


def bits(value: int, count: int) -> list[int]:
    return [value >> bit & 1 for bit in range(count)]


@pytest.mark.parametrize("lanes", [1, 2, 16, 32])
def test_the_outermost_flags_and_the_only_one(lane_bench, beat, lanes: int) -> None:
    bench = lane_bench(lanes, width=1, lookahead=False)
    pipeline, flags = bench.pipeline, bench.data.values
    lowest, highest = (outermost(pipeline, name, flags, highest=name == "highest") for name in ("lowest", "highest"))
    some, place = any_of(pipeline, "some", flags), place_of(pipeline, "place", flags)
    random, width = Random(lanes), (lanes - 1).bit_length()
    alone = [[int(lane == each) for lane in range(lanes)] for each in range(lanes)]
    beats = [[0] * lanes, *alone, *([int(random.random() < 0.2) for _ in range(lanes)] for _ in range(150))]
    results = [lowest[0], *lowest[1], highest[0], *highest[1], some, *place]
    for sent, row in zip(beats, bench.run([beat(each, 1, False) for each in beats], results), strict=True):
        low_any, *low = row[: width + 1]
        high_any, *high = row[width + 1 : 2 * width + 2]
        set_any, *found = row[2 * width + 2 :]
        assert low_any == high_any == set_any == any(sent)
        where = [lane for lane, flag in enumerate(sent) if flag]
        if where:
            assert (low, high) == (bits(min(where), width), bits(max(where), width))
        if len(where) < 2:
            assert found == bits(sum(where), width)


@pytest.mark.parametrize("width", [0, 1, 3, 4, 5])
def test_every_pair_of_places_is_compared(lane_bench, beat, width: int) -> None:
    bench = lane_bench(1, width=max(1, 2 * width), lookahead=False, gaps=0.0)
    one, other = ([bench.pipeline.step(f"bit{bit}", lambda data, bit=bit: data[bit], bench.data[0])
                   for bit in range(first, first + width)] for first in (0, width))
    pairs = [(a, b) for a in range(1 << width) for b in range(1 << width)]
    found = bench.run([beat([a | b << width], 1, False) for a, b in pairs],
                      [at_least(bench.pipeline, "least", one, other),
                       at_least(bench.pipeline, "more", one, other, more=True)])
    assert found == [(a >= b, a > b) for a, b in pairs]
