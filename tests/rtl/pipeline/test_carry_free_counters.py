"""Counters without carry chains count like ordinary ones."""

import random

import pytest
from amaranth.hdl import Const, Module, Signal
from runewire_rtl.pipeline.carry_free_counters import Thermometer, incremented


@pytest.mark.parametrize("width", range(1, 7))
def test_incremented_wraps(cycles, width: int) -> None:
    m = Module()
    value = Signal(width)
    result = Signal(width)
    m.d.comb += result.eq(incremented(value))
    stimuli = [[(value, number)] for number in range(1 << width)]
    assert cycles(m, stimuli, [result]) == [((number + 1) % (1 << width),) for number in range(1 << width)]


@pytest.mark.parametrize(("size", "init", "most"), [(3, 0, 2), (4, 4, 2), (16, 0, 1), (16, 16, 2), (40, 40, 2)])
def test_a_thermometer_counts_in_unary(cycles, size: int, init: int, most: int) -> None:
    counter = Thermometer(size, clear=Const(0), init=init, most=most)
    rng = random.Random(size)
    count, stimuli, want = init, [], [((1 << init) - 1,)]
    for number in range(36 * size):
        rises = number // (6 * size) % 2
        moves = [(up, down) for up in range(most + 1) for down in (0, 1) if 0 <= count + up - down <= size]
        # Mostly one kind of change, now and then another.
        liked = [(up, down) for up, down in moves if (up > down) == rises] if rng.random() < 0.9 else moves
        up, down = rng.choice(liked or moves)
        bits = rng.choice([flags for flags in range(1 << most) if flags.bit_count() == up])
        stimuli.append([(counter.up, bits), (counter.down, down)])
        want.append(((1 << count) - 1,))
        count += up - down
    assert len(set(want)) == size + 1
    assert cycles(counter, stimuli, [counter.level]) == want[:-1]


@pytest.mark.parametrize(("size", "init"), [(3, 0), (16, 16), (40, 40), (64, 0)])
def test_a_thermometer_that_is_cleared_begins_anew(cycles, size: int, init: int) -> None:
    clear = Signal()
    counter = Thermometer(size, clear=clear, init=init)
    moves = counter.down if init else counter.up
    stimuli = [[(moves, int(3 <= cycle < 5)), (clear, int(12 <= cycle < 14))] for cycle in range(20)]
    levels = [level for (level,) in cycles(counter, stimuli, [counter.level])]
    first = (1 << init) - 1
    changed = (1 << (init - 2 if init else 2)) - 1
    assert [levels[cycle] for cycle in (2, 11, 19)] == [first, changed, first]
