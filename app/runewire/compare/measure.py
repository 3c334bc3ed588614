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
BUDGET_NS = 500_000_000
"""The samples of one candidate take about this long at most: a slow one gets fewer, but never below 3."""

FEWEST_REPEATS = 3


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


def measure(
    calls: Mapping[Key, Callable[[], int]],
    repeat: int,
    clock: Callable[[], int] = time.process_time_ns,
) -> dict[Key, Timing]:
    """Time every call up to `repeat` times (at least 3), by a clock that counts nanoseconds.

    The clock is processor time, of all threads: what else runs on the machine does not count, and a call that
    took more than one thread would gain nothing by it.
    Each is called once to warm up and once to see how long it takes. Then all of them take turns, each round
    beginning with another one, so that what disturbs the machine for a while disturbs all alike.
    """
    loops: dict[Key, int] = {}
    repeats: dict[Key, int] = {}
    answers: dict[Key, int] = {}
    for key, call in calls.items():
        answers[key] = call()
        start = clock()
        call()
        once = max(1, clock() - start)
        loops[key] = max(1, SAMPLE_NS // once)
        affordable = BUDGET_NS // (once * loops[key])
        repeats[key] = max(FEWEST_REPEATS, min(repeat, affordable))
    samples: dict[Key, list[float]] = {key: [] for key in calls}
    order = list(calls)
    collecting = gc.isenabled()
    gc.disable()
    try:
        for turn in range(max(repeats.values(), default=0)):
            first = turn % len(order)
            for key in order[first:] + order[:first]:
                if turn >= repeats[key]:
                    continue
                call, count = calls[key], loops[key]
                start = clock()
                for _ in range(count):
                    call()
                samples[key].append((clock() - start) / count / 1e9)
    finally:
        if collecting:
            gc.enable()
    return {key: _timing(seconds, answers[key]) for key, seconds in samples.items()}
