"""One replacement for a run of ill-formed subparts, also of one that began in the segment before."""

from dataclasses import replace
from random import Random

import pytest
from runewire_rtl.encodings.base import one_a_run
from runewire_rtl.pipeline import Lanes


@pytest.mark.parametrize("lanes", [1, 2, 4, 16])
def test_a_run_goes_on_from_the_segment_before(lane_bench, beat, lanes: int) -> None:
    """Subparts of one to three units and characters of one to four; each packet may follow a run."""
    bench, random = lane_bench(lanes, width=3, lookahead=False, gaps=0.1), Random(lanes)
    every, whole = (Lanes.map(name, lambda data, there, bit=bit: data[bit] & there, bench.data, bench.keep)
                    for bit, name in enumerate(("every", "whole")))
    before = bench.pipeline.step("before", lambda data: data[2], bench.data[0])
    first = one_a_run(every, whole, replace(bench.source, run=lambda *_: before))
    beats, expected = [], []
    for _ in range(200):
        bad = random.random() < 0.5
        units, wanted, states = [], [], []
        for _ in range(random.randrange(1, 12)):
            part = random.random() < 0.7
            size = random.randrange(1, 4 if part else 5)
            states += [bad] * size
            units += [0] * (size - 1) + [1 if part else 3]
            wanted += [0] * (size - 1) + [int(not part or not bad)]
            bad = part
        for at in range(0, len(units), lanes):
            here = units[at : at + lanes]
            none = [0] * (lanes - len(here))
            beats.append(beat([here[0] | states[at] << 2, *here[1:], *none], (1 << len(here)) - 1,
                              at + lanes >= len(units)))
            expected.append((*wanted[at : at + lanes], *none))
    assert bench.run(beats, first.beat()) == expected
