"""Timed values meet at the same beat, whatever the plan."""


import pytest
from amaranth.hdl import Cat, Fragment, Module, Signal
from runewire_rtl.pipeline import BeatFlags, Pipeline, Plan

PLANS = list(Plan)


@pytest.mark.parametrize("plan", PLANS)
def test_operands_of_different_steps_meet_at_the_same_beat(lane_bench, beat, plan: Plan) -> None:
    bench = lane_bench(2, plan)
    pipeline = bench.pipeline
    slow = bench.data[1]
    for _ in range(5):
        slow = pipeline.step("slow", lambda v: v ^ 0x5A, slow)
    both = pipeline.step("both", lambda fast, slow: Cat(fast, slow), bench.data[0], slow)
    later = pipeline.step("later", lambda v: v, both, after=9)
    assert (both.step, later.step) == (6, 10)
    beats = [beat([i, 255 - i, 0], 3, False) for i in range(40)]
    want = [i | (255 - i ^ 0x5A) << 8 for i in range(40)]
    assert bench.run(beats, [both, later]) == [(value, value) for value in want]


def test_a_value_is_not_known_before_its_step(lane_bench) -> None:
    bench = lane_bench(1)
    value = bench.pipeline.step("value", lambda v: v, bench.data[0])
    with pytest.raises(AssertionError, match=r"value is available at step 1, not at 0"):
        value.at(0)
    Fragment.get(bench.m, None)


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("step", range(9))
def test_before_register_is_the_first_step_that_a_register_follows(plan: Plan, step: int) -> None:
    m = Module()
    pipeline = Pipeline(m, plan, BeatFlags(Signal(), Signal()))
    Fragment.get(m, None)
    crossing = [plan.registers_before(s + 1) > plan.registers_before(s) for s in range(20)]
    assert pipeline.before_register(step) == crossing.index(True, step)


def test_steps_of_one_name_keep_apart(lane_bench) -> None:
    bench = lane_bench(1)
    names = [bench.pipeline.step("same", lambda v: v, bench.data[0]).at(1).name for _ in range(3)]
    assert len(set(names)) == 3
    Fragment.get(bench.m, None)


def test_last_counts_only_with_valid(cycles) -> None:
    m = Module()
    valid = Signal()
    last = Signal()
    pipeline = Pipeline(m, Plan.FAST, BeatFlags(valid, last))
    stimuli = [[(valid, v), (last, t)] for v, t in ((0, 1), (1, 0), (1, 1), (0, 0))]
    assert cycles(m, stimuli, [pipeline.last.at(0)]) == [(0,), (0,), (1,), (0,)]


@pytest.mark.parametrize("plan", PLANS)
def test_parts_of_a_value_come_lowest_first_and_at_its_step(lane_bench, beat, plan: Plan) -> None:
    bench = lane_bench(1, plan, width=32, lookahead=False)
    value = bench.pipeline.step("value", lambda v: v ^ 0x0F0F0F0F, bench.data[0])
    for width in (1, 8, 16):
        parts = value.parts(width)
        assert [(part.step, part.shape.width) for part in parts] == [(value.step, width)] * (32 // width)
    assert value.parts(32) == [value]
    late = bench.pipeline.step("late", lambda low, high: Cat(high, low), *value.parts(16), after=6)
    beats = [beat([0x12345678 + 0x01010101 * i], 1, False) for i in range(30)]
    rows = bench.run(beats, [*value.parts(8), late])
    for item, (*octets, swapped) in zip(beats, rows, strict=True):
        number = item.data[0] ^ 0x0F0F0F0F
        assert bytes(octets) == number.to_bytes(4, "little")
        assert swapped == (number >> 16 | number << 16) & 0xFFFFFFFF
