"""Counters of a record report: sums of any width, marked if they do not fit, and from zero after a reset."""

from random import Random

import pytest
from amaranth.hdl import Const
from runewire_rtl.pipeline.restart import Restart
from runewire_rtl.report.record_counters import CHUNK, Update, counter, packets

RESET = [0x1000] * 8


def turn(by: int, plus: int, *, leaves: bool = True, clears: bool = False) -> int:
    """The bits of a turn; bit 12 is the reset."""
    return leaves | (leaves and clears) << 1 | (by if leaves else 0) << 2 | plus << 5


@pytest.mark.parametrize("width", [4, CHUNK, CHUNK + 1, CHUNK + 3])
def test_the_sum_of_each_turn_is_right_or_marked(lane_bench, beat, width: int) -> None:
    """A counter that no longer fits by far, a reset, then others that are cleared sooner or later."""
    bench, random = lane_bench(1, width=13, lookahead=False, gaps=0.0), Random(width)
    pipeline = bench.pipeline
    pipeline.restart = Restart(Const(0), bench.data[0].at(0)[12])
    leaves, clears, by, plus = (
        pipeline.step(name, lambda data, low=low, high=high: data[low:high], bench.data[0])
        for name, low, high in (("leaves", 0, 1), ("clears", 1, 2), ("by", 2, 5), ("plus", 5, 8)))
    number = counter(pipeline, "number", Update(leaves, clears, by), plus, width)
    most = (1 << width) - 1
    turns, expected = [], list[tuple[int, bool] | None]()
    lengths = [most // 6 + 3, *(random.randrange(1, 12) for _ in range(20)), most // 6 + 3, 3]
    for part, length in enumerate(lengths):
        count = 0
        for place in range(length):
            ends, by_now, more = random.random() < 0.8, 7 if length > 12 else random.randrange(8), random.randrange(8)
            last = place == length - 1 and part > 0
            turns.append(turn(by_now, more, leaves=ends or last, clears=last))
            expected.append((count + more, count + more > most))
            count += by_now if ends or last else 0
        if not part:
            turns += RESET
            expected += [None] * len(RESET)
    found = bench.run([beat([each], 1, False) for each in turns], [number])
    for (value,), wanted in zip(found, expected, strict=True):
        if wanted is not None:
            total, beyond = wanted
            assert value >> width == beyond
            assert beyond or value == total


def test_packets_are_counted_from_zero_after_a_reset(lane_bench, beat) -> None:
    """Enough of them before it that both chunks have counted."""
    bench = lane_bench(1, width=13, lookahead=False, gaps=0.0)
    pipeline = bench.pipeline
    pipeline.restart = Restart(Const(0), bench.data[0].at(0)[12])
    ends = pipeline.step("ends", lambda data: data[0], bench.data[0])
    before, after = [1] * 300, [1, 0, 1, 1] * 80
    found = bench.run([beat([each], 1, False) for each in (*before, *RESET, *after)],
                      [packets(pipeline, ends, 2 * CHUNK)])
    assert [value for (value,) in found[: len(before)]] == [*range(300)]
    assert [value for (value,) in found[-len(after) :]] == [sum(after[:at]) for at in range(len(after))]
