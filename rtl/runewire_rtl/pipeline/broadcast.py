"""A value that every lane needs, and its replicas."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Module, Signal, Value

from .layout_policy import TUNED, Policy
from .pipeline import Timed


def fan_out_tree(count: int, first: int, policy: Policy = TUNED) -> list[int]:
    """Sizes of a fan-out tree's levels, the last of which has ``count`` replicas: no signal drives half the chip.

    The first level has at most ``first`` replicas. With the tuned policy, 16 replicas take two levels, of 4 and 16.
    """
    return [count] if count <= first else [*fan_out_tree(-(-count // policy.branch), first, policy), count]


def replicas(m: Module, flags: Sequence[Value], name: str, count: int, policy: Policy) -> list[Signal]:
    """``count`` replicas of ``flags``, one cycle later. Synthesis keeps them separate; each flag has its equal
    share."""
    copies = [Signal(len(flags[0]), name=f"{name}{index}", reset_less=True, attrs=policy.keep)
              for index in range(count)]
    m.d.sync += [copy.eq(flags[index * len(flags) // count]) for index, copy in enumerate(copies)]
    return copies


class Broadcast:
    """A value that every lane needs: ``broadcast[lane]`` is the replica for that lane.

    The pipeline's policy decides how many lanes share a replica. A replica is made for its first user, in that user's
    stage, and named after the first of its lanes. With ``tree`` replicas are made level by level, in `steps` levels;
    otherwise all at once.
    """

    def __init__(self, name: str, value: Timed, lanes: int, *, after: int = 0, tree: bool = False) -> None:
        self.pipeline = value.pipeline
        self.name = name
        self.lanes = lanes
        self.after = after
        self.share = self.pipeline.policy.lanes
        self.count = -(-lanes // self.share)
        self._levels = self._sizes(self.pipeline.policy, lanes)[:-1] if tree else []
        self._last = [value]
        self._replicas: dict[int, Timed] = {}

    @staticmethod
    def _sizes(policy: Policy, lanes: int) -> list[int]:
        return fan_out_tree(-(-lanes // policy.lanes), policy.at_once, policy)

    @classmethod
    def steps(cls, policy: Policy, lanes: int) -> int:
        """Steps from a value to its replicas in ``lanes`` lanes, with a tree."""
        return len(cls._sizes(policy, lanes))

    def __getitem__(self, lane: int) -> Timed:
        for level, size in enumerate(self._levels):
            self._last = [self._replica(f"{self.name}_level{level}", index, size) for index in range(size)]
        self._levels = []
        index = lane // self.share
        if index not in self._replicas:
            self._replicas[index] = self._replica(self.name, index, self.count)
        return self._replicas[index]

    def _replica(self, name: str, index: int, count: int) -> Timed:
        """Replica ``index`` of ``count``, driven by one of the level before."""
        lane = index * self.count // count * self.share
        return self.pipeline.replica(f"{name}_l{lane}", self._last[index * len(self._last) // count], self.after)
