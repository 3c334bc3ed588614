"""Counters without carry chains count like others."""

import random

import pytest
from amaranth.hdl import Module, Signal
from runewire_rtl.counters import Thermometer, incremented


@pytest.mark.parametrize("width", range(1, 7))
def test_incremented_wraps(cycles, width: int) -> None:
    m, value, result = Module(), Signal(width), Signal(width)
    m.d.comb += result.eq(incremented(value))
    stimuli = [[(value, number)] for number in range(1 << width)]
    assert cycles(m, stimuli, [result]) == [((number + 1) % (1 << width),) for number in range(1 << width)]


@pytest.mark.parametrize(("size", "init"), [(3, 0), (4, 4), (16, 0), (16, 16)])
def test_a_thermometer_counts_in_unary(cycles, size: int, init: int) -> None:
    counter = Thermometer(size, init=init, most=2)
    rng = random.Random(size)
    count, stimuli, want = init, [], [((1 << init) - 1,)]
    for number in range(300):
        wanted = (0, 1, 2) if number // 50 % 2 else (-1, -1, 0)
        change = rng.choice([c for c in (*wanted, -1, 0, 1) if 0 <= count + c <= size])
        stimuli.append([(counter.change, change)])
        want.append(((1 << count) - 1,))
        count += change
    assert len(set(want)) == size + 1
    assert cycles(counter, stimuli, [counter.level]) == want[:-1]
