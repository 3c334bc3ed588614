"""One flag for many lanes: a replica for a few lanes each, in a fan-out tree."""

from itertools import pairwise

import pytest
from amaranth.hdl import Fragment
from runewire_rtl.pipeline import Broadcast, fan_out_tree
from runewire_rtl.pipeline.layout_policy import TUNED


@pytest.mark.parametrize("first", [TUNED.branch, TUNED.at_once])
@pytest.mark.parametrize("count", [1, 2, 4, 5, 8, 9, 16, 32, 100])
def test_no_level_makes_too_many_replicas_of_one(count: int, first: int) -> None:
    sizes = fan_out_tree(count, first)
    assert sizes[-1] == count
    assert sizes[0] <= first
    assert all(more <= TUNED.branch * fewer for fewer, more in pairwise(sizes))


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
