"""Timing: warm-up, repetition, alternating candidates; the median and the spread of the samples."""

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

Key = TypeVar("Key")

SAMPLE_NS = 3_000_000
"""Minimum duration of a sample; shorter calls are repeated."""
TRIAL_NS = 100_000
"""Minimum duration of a trial, which estimates a call's duration: clocks may count in microseconds."""
TRIAL_CALLS = 10_000
"""Maximum number of calls in a trial."""
BUDGET_NS = 500_000_000
"""Maximum duration of one candidate's samples: a slow one gets fewer, but at least 3."""

FEWEST_REPEATS = 3


@dataclass(frozen=True)
class Sample:
    """Total nanoseconds of one sample's calls, and the return value of each."""

    nanoseconds: int
    answer: int


Run = Callable[[int], Sample]
"""Makes the given number of calls, at least one, and times them."""


def timed(
    call: Callable[[], Any], clock: Callable[[], int] = time.process_time_ns, said: Callable[[Any], int] = int,
) -> Run:
    """`call`, timed by a clock that counts nanoseconds: by default the processor time of all threads of this process.

    Other programs on the machine do not count, and a call with several threads gains nothing. `said` makes the answer
    of the last call's result, after the clock.
    """
    def run(times: int) -> Sample:
        start = clock()
        for _ in range(times):
            made = call()
        return Sample(clock() - start, said(made))

    return run


@dataclass(frozen=True)
class CallTime:
    """Seconds per call, the median of `repeats` samples and their quartiles, and the return value."""

    median: float
    low: float
    high: float
    repeats: int
    answer: int


def _timing(seconds: list[float], answer: int) -> CallTime:
    low, median, high = statistics.quantiles(seconds, n=4, method="inclusive")
    return CallTime(median, low, high, len(seconds), answer)


def measure(runs: Mapping[Key, Run], repeat: int) -> dict[Key, CallTime]:
    """Take up to `repeat` samples (at least 3) of each.

    Each is called once to warm up, and then in a trial, which estimates a call's duration. Then all alternate, and each
    round begins with another one. So a temporary disturbance of the machine affects all alike.
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
