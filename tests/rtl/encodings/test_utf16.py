"""Parts of UTF-16 in hardware."""

import pytest
from amaranth.hdl import Module, Signal
from runewire_rtl.encodings.utf16 import one_less, one_more


@pytest.mark.parametrize("width", [1, 4, 5])
def test_the_plane_is_one_more_than_a_pair_has_and_back(cycles, width: int) -> None:
    number, less, more = Signal(width, name="number"), Signal(width, name="less"), Signal(width + 1, name="more")
    m = Module()
    m.d.comb += [less.eq(one_less(number)), more.eq(one_more(number))]
    numbers = range(1 << width)
    assert cycles(m, [[(number, value)] for value in numbers], [less, more]) == [
        ((value - 1) % (1 << width), value + 1) for value in numbers]
