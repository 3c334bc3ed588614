"""End of a text: the last bytes of a beat, in beats of any width."""

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from amaranth.hdl import Cat
from runewire_rtl.pipeline import Timed
from runewire_rtl.segments.extra_beats import MOST
from runewire_rtl.segments.text_end import _tail


@pytest.mark.parametrize("lanes", [1, 4, 64])
def test_the_last_bytes_of_a_beat_are_found_wherever_it_ends(lane_bench, beat, lanes: int) -> None:
    """For each number of kept bytes. Without so many bytes one of them means nothing."""
    bench = lane_bench(lanes, lookahead=False, gaps=0.0)
    pipeline, random = bench.pipeline, Random(lanes)
    data, keep = (Timed(pipeline, 0, Cat(value.at(0) for value in values), name)
                  for name, values in (("bytes", bench.data.values), ("keeps", bench.source.keep.values)))
    beats: Any = SimpleNamespace(pipeline=pipeline, size=lanes, data=data, keep=keep)
    sent = [([random.randrange(1, 256) for _ in range(lanes)], count) for count in range(lanes + 1)]
    found = bench.run([beat(octets, (1 << count) - 1, False) for octets, count in sent],
                      [_tail(beats, back) for back in range(MOST)])
    for (octets, count), row in zip(sent, found, strict=True):
        assert row[: min(count, MOST)] == tuple(octets[:count][::-1][:MOST])
