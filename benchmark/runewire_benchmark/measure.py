"""Timing: warmed up, repeated, the candidates in turn, with the median and the spread of what was seen."""

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

Key = TypeVar("Key")

SAMPLE_NS = 3_000_000
"""A sample lasts at least about this long: a shorter call is made several times over."""
TRIAL_NS = 100_000
"""A trial, which tells how long a call takes, lasts at least this long: clocks may count in microseconds."""
TRIAL_CALLS = 10_000
"""The most calls of a trial, however short."""
BUDGET_NS = 500_000_000
"""The samples of one candidate take about this long at most: a slow one gets fewer, but never below 3."""

FEWEST_REPEATS = 3


@dataclass(frozen=True)
class Sample:
    """Nanoseconds that the calls of one sample took in all, and what each returned."""

    nanoseconds: int
    answer: int


Run = Callable[[int], Sample]
"""Makes so many calls, at least one, and times them."""


def timed(call: Callable[[], int], clock: Callable[[], int] = time.process_time_ns) -> Run:
    """`call`, timed by a clock that counts nanoseconds: the processor time of all threads of this process.

    What else runs on the machine does not count, and a call that took more than one thread would gain nothing.
    """
    def run(times: int) -> Sample:
        start = clock()
        for _ in range(times):
            answer = call()
        return Sample(clock() - start, answer)

    return run


@dataclass(frozen=True)
class Timing:
    """Seconds a call took, the median of `repeats` samples and their quartiles, and what it returned."""

    median: float
    low: float
    high: float
    repeats: int
    answer: int


def _timing(seconds: list[float], answer: int) -> Timing:
    low, median, high = statistics.quantiles(seconds, n=4, method="inclusive")
    return Timing(median, low, high, len(seconds), answer)


def measure(runs: Mapping[Key, Run], repeat: int) -> dict[Key, Timing]:
    """Take up to `repeat` samples (at least 3) of each.

    Each is called once to warm up, and then in a trial, to see how long a call takes. Then all of them take turns,
    each round beginning with another one, so that what disturbs the machine for a while disturbs all alike.
    """
    loops: dict[Key, int] = {}
    repeats: dict[Key, int] = {}
    answers: dict[Key, int] = {}
    for key, run in runs.items():
        answers[key] = run(1).answer
        calls = 1
        while (took := run(calls).nanoseconds) < TRIAL_NS and calls < TRIAL_CALLS:
            calls *= 10
        took = max(took, TRIAL_NS)
        loops[key] = max(1, SAMPLE_NS * calls // took)
        affordable = BUDGET_NS * calls // (took * loops[key])
        repeats[key] = max(FEWEST_REPEATS, min(repeat, affordable))
    samples: dict[Key, list[float]] = {key: [] for key in runs}
    order = list(runs)
    collecting = gc.isenabled()
    gc.disable()
    try:
        for turn in range(max(repeats.values(), default=0)):
            first = turn % len(order)
            for key in order[first:] + order[:first]:
                if turn < repeats[key]:
                    samples[key].append(runs[key](loops[key]).nanoseconds / loops[key] / 1e9)
    finally:
        if collecting:
            gc.enable()
    return {key: _timing(seconds, answers[key]) for key, seconds in samples.items()}
