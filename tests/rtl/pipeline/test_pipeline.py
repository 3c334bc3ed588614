"""Timed values meet at the same beat, whatever the plan; lanes remember a packet and forget it at its end."""

from itertools import pairwise

import pytest
from amaranth.hdl import Cat, Fragment, Module, Signal
from runewire_rtl.pipeline import BeatFlags, Broadcast, Lanes, Pipeline, Plan, fan_out_tree
from runewire_rtl.pipeline.layout_policy import TUNED

PLANS = list(Plan)


def test_plans_by_name() -> None:
    plans = [Plan.of(name) for name in ("fast", "balanced", "compact")]
    assert plans == [Plan.FAST, Plan.BALANCED, Plan.COMPACT]


@pytest.mark.parametrize(("plan", "steps"), [(Plan.FAST, 1), (Plan.BALANCED, 2), (Plan.COMPACT, 6)])
def test_a_plan_has_a_register_every_so_many_steps(plan: Plan, steps: int) -> None:
    assert [plan.registers_before(step) for step in range(13)] == [step // steps for step in range(13)]


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
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("steps", [0, 1])
def test_back_reaches_into_the_packet_and_no_further(
    lane_bench, cut_packets, mixed_packets, plan: Plan, lanes: int, steps: int
) -> None:
    bench = lane_bench(lanes, plan)
    values = bench.data
    for _ in range(steps):
        values = Lanes.map("copy", lambda v: v, values)
    results = [value for distance in (1, 2, 3) for value in values.back(distance).values]
    packets = [packet for packet in mixed_packets(60, 1) if packet]
    beats = cut_packets(packets, lanes)
    starts, position = [], 0
    for item in beats:
        starts.append(position)
        position = 0 if item.last else position + lanes
    stream: list[int] = []
    want = []
    for item, start in zip(beats, starts, strict=True):
        stream = stream[:start] + list(item.data)
        before = [0, 0, 0, *stream]
        want.append(tuple(before[start + lane + 3 - distance]
                          for distance in (1, 2, 3) for lane in range(lanes + 1)))
    assert bench.run(beats, results) == want


def test_ahead_and_beat_take_the_lanes_they_say(lane_bench, beat) -> None:
    bench = lane_bench(4)
    results = [*bench.data.ahead().values, *bench.data.beat()]
    assert bench.run([beat([1, 2, 3, 4, 5], 15, True)], results) == [(2, 3, 4, 5, 1, 2, 3, 4)]


def test_a_map_covers_the_lanes_that_all_operands_have(lane_bench, beat) -> None:
    bench = lane_bench(2)
    sums = Lanes.map("sum", lambda here, after: here + after, bench.data, bench.data.ahead())
    assert len(sums.values) == 2
    assert bench.run([beat([1, 20, 50], 3, True)], sums.values) == [(21, 70)]


@pytest.mark.parametrize("first", [TUNED.branch, TUNED.at_once])
@pytest.mark.parametrize("count", [1, 2, 4, 5, 8, 9, 16, 32, 100])
def test_no_level_makes_too_many_replicas_of_one(count: int, first: int) -> None:
    sizes = fan_out_tree(count, first)
    assert sizes[-1] == count
    assert sizes[0] <= first
    assert all(more <= TUNED.branch * fewer for fewer, more in pairwise(sizes))


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


@pytest.mark.parametrize(("lanes", "tree", "levels"), [(4, True, []), (32, True, []), (64, True, [4]), (64, False, [])])
def test_lanes_that_stand_together_share_a_replica(lane_bench, beat, lanes: int, tree: bool,
                                                   levels: list[int]) -> None:
    bench = lane_bench(1)
    value = Broadcast("flag", bench.data[0], lanes, tree=tree)
    replicas = [value[lane] for lane in range(lanes)]
    assert [replicas.index(replica) for replica in replicas] == [lane - lane % TUNED.lanes for lane in range(lanes)]
    steps = 1 + len(levels)
    assert {replica.step for replica in replicas} == {steps}
    if tree:
        assert Broadcast.steps(TUNED, lanes) == steps
    beats = [beat([number, 0], 1, False) for number in range(20)]
    assert bench.run(beats, replicas[:: TUNED.lanes]) == [(number,) * (lanes // TUNED.lanes) for number in range(20)]


def test_a_replica_is_made_for_its_first_user(lane_bench) -> None:
    bench = lane_bench(1)
    value = Broadcast("flag", bench.data[0], 8)
    assert (value[5].name, value[2].name, value[4].name) == ("flag_l4", "flag_l0", "flag_l4")
    assert value[4].at(1).attrs["keep"]
    Fragment.get(bench.m, None)
