"""Comparison of a number with every lane index."""

import pytest
from runewire_rtl.packing.comparison import below


@pytest.mark.parametrize("bits", [1, 2, 3, 5, 6, 8])
def test_each_lane_below_the_number_is_found(lane_bench, beat, bits: int) -> None:
    """Every number of up to 64 lanes; of 256 those about multiples of 16, where the upper half of the bits changes."""
    bench = lane_bench(1, width=bits + 1, lookahead=False, gaps=0.0)
    pipeline, lanes = bench.pipeline, 1 << bits
    number = [pipeline.step(f"number{bit}", lambda data, bit=bit: data[bit], bench.data[0]) for bit in range(bits)]
    also = pipeline.step("also", lambda data: data[bits], bench.data[0])
    values = [value for value in range(lanes) if bits < 8 or (value + 1) % 16 < 3]
    found = bench.run([beat([value], 1, False) for value in (*values, lanes)],
                      below(pipeline, "below", number, lanes, also))
    assert found == [*(tuple(int(lane < value) for lane in range(lanes)) for value in values), (1,) * lanes]
