"""The beat counter: numbers of a packet's beat and of the beats before it, in chunks."""

import random

import pytest
from runewire_rtl.pipeline import Plan
from runewire_rtl.report.beat_counter import count_beats

REACH = 3


@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize("width", [1, 3, 4, 5, 8, 9, 12])
@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_beats_are_counted_up_to_the_greatest_number(lane_bench, beat, width: int, plan: Plan, gaps: float) -> None:
    """After the beat with the greatest number it saturates, and the bit above it is set."""
    rng = random.Random(width)
    bench = lane_bench(1, plan, width=1, lookahead=False, gaps=gaps)
    counts = count_beats(bench.pipeline, width, bench.pipeline.before_register(2 * plan.value), REACH)
    most = (1 << width) - 1
    lengths = [*(rng.randrange(1, 20) for _ in range(20)), min(most, 600) + 9, 1, 17, 2]
    beats, expected = [], []
    for length in lengths:
        for number in range(length):
            beats.append(beat([0], 1, number == length - 1))
            # Beats before the packet have no number.
            expected.append([number - distance if number >= distance else None for distance in range(REACH + 1)])
    found = bench.run(beats, counts)
    wrong = [
        f"beat {index}, {distance} before: {got} for {want}"
        for index, (row, wanted) in enumerate(zip(found, expected, strict=True))
        for distance, (got, want) in enumerate(zip(row, wanted, strict=True))
        if want is not None and (got & most, got >> width) != (min(want, most), want > most)]
    assert wrong == []


def test_every_chunk_is_zero_in_the_packet_after_a_long_one(lane_bench, simulate) -> None:
    """The chunks of a number of 28 bits are set as if the packet had millions of beats; then it ends."""
    bench = lane_bench(1, width=1, lookahead=False)
    pipeline = bench.pipeline
    number = count_beats(pipeline, 28, pipeline.before_register(2 * pipeline.plan.value), 0)[0]
    shown = number.at(number.step)
    valid, last = pipeline.valid.at(0), pipeline.last.at(0)
    found = []

    async def run(ctx) -> None:
        for signal, value in bench._drive([0], 1, False, valid=True):
            ctx.set(signal, value)
        await ctx.tick().repeat(8)
        ctx.set(shown, 0x2222222)
        await ctx.tick().repeat(4)
        found.append(ctx.get(shown))
        for ends in (True, False):
            for signal, value in bench._drive([0], 1, ends, valid=True):
                ctx.set(signal, value)
            await ctx.tick().repeat(1 if ends else 10)
        found.append(ctx.get(shown))
        assert ctx.get(valid) > ctx.get(last)

    simulate(bench.m, run)
    assert found[0] > 0x2000000
    assert 0 < found[1] < 10
