"""Comparison of a number with every lane index."""

import pytest
from runewire_rtl.packing.comparison import below


@pytest.mark.parametrize("bits", [1, 2, 3, 5, 6])
def test_each_lane_below_the_number_is_found(lane_bench, beat, bits: int) -> None:
    bench = lane_bench(1, lookahead=False, gaps=0.0)
    pipeline, lanes = bench.pipeline, 1 << bits
    number = [pipeline.step(f"number{bit}", lambda data, bit=bit: data[bit], bench.data[0]) for bit in range(bits)]
    also = pipeline.step("also", lambda data: data[7], bench.data[0])
    found = bench.run([beat([value], 1, False) for value in (*range(lanes), 128)],
                      below(pipeline, "below", number, lanes, also))
    assert found == [*(tuple(int(lane < value) for lane in range(lanes)) for value in range(lanes)), (1,) * lanes]
