import pytest
from runewire_benchmark.measure import BUDGET_NS, SAMPLE_NS, TRIAL_CALLS, Run, Sample, measure, timed


class Lab:
    """A clock that only advances when something is called, and records the caller."""

    def __init__(self) -> None:
        self.now = 0
        self.called: list[str] = []

    def clock(self) -> int:
        return self.now

    def run(self, name: str, *nanoseconds: int) -> Run:
        durations = list(nanoseconds)

        def work() -> int:
            self.called.append(name)
            self.now += durations.pop(0) if len(durations) > 1 else durations[0]
            return len(name)

        return timed(work, self.clock)


def test_median_and_quartiles_leave_the_warm_up_out() -> None:
    lab = Lab()
    unit = SAMPLE_NS
    run = lab.run("a", 900 * unit, 3 * unit, *(n * unit for n in (5, 1, 4, 2, 3)))
    timing = measure({"a": run}, 5)["a"]
    assert timing.median == pytest.approx(3 * unit / 1e9)
    assert (timing.low, timing.high) == (pytest.approx(2 * unit / 1e9), pytest.approx(4 * unit / 1e9))
    assert timing.repeats == 5
    assert timing.answer == 1


def test_candidates_take_turns_and_each_round_begins_with_another() -> None:
    lab = Lab()
    measure({name: lab.run(name, SAMPLE_NS) for name in "abc"}, 4)
    assert "".join(lab.called) == "aabbcc" + "abc" + "bca" + "cab" + "abc"


def test_short_call_is_made_often_enough_for_a_sample() -> None:
    lab = Lab()
    timing = measure({"a": lab.run("a", SAMPLE_NS // 10)}, 3)["a"]
    assert len(lab.called) == 2 + 3 * 10
    assert timing.median == pytest.approx(SAMPLE_NS / 10 / 1e9)


@pytest.mark.parametrize(("duration", "repeats"), [
    (SAMPLE_NS, 9), (BUDGET_NS // 5, 5), (BUDGET_NS, 3), (40 * BUDGET_NS, 3),
])
def test_slow_candidate_gets_fewer_repeats_but_three(duration: int, repeats: int) -> None:
    lab = Lab()
    found = measure({"slow": lab.run("slow", duration), "quick": lab.run("quick", SAMPLE_NS)}, 9)
    assert (found["slow"].repeats, found["quick"].repeats) == (repeats, 9)
    assert lab.called.count("slow") == 2 + repeats


def test_clock_that_stands_still_is_survived() -> None:
    assert measure({"a": timed(lambda: 1, lambda: 0)}, 3)["a"].median == 0


def test_call_that_is_shorter_than_a_tick_is_tried_many_times_over() -> None:
    asked: list[int] = []

    def run(times: int) -> Sample:
        asked.append(times)
        return Sample(times * 300 // 1000 * 1000, 7)  # 300 ns a call, by a clock that counts microseconds

    timing = measure({"a": run}, 3)["a"]
    assert asked == [1, 1, 10, 100, 1000, *[SAMPLE_NS // 300] * 3]
    assert max(asked[:5]) <= TRIAL_CALLS
    assert timing.median == pytest.approx(300e-9)
    assert timing.answer == 7


def test_nothing_takes_no_time() -> None:
    assert measure({}, 3) == {}
