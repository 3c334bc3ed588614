"""Row numbers go on as rows are ended, and each lane is written to its own."""

import random

import pytest
from runewire_rtl.pipeline import Plan
from runewire_rtl.rows import address, counted, row_or_next, rows_under_way

MOVES = random.Random(7).choices([0, 1, 1, 2], k=200)


@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize("apart", [False, True], ids=["at_once", "in_two_parts"])
def test_the_row_under_way_goes_on_by_what_a_beat_ends(lane_bench, beat, plan: Plan, apart: bool) -> None:
    bench = lane_bench(1, plan, gaps=0.0)
    pipeline = bench.pipeline
    moves = pipeline.step("moves", lambda data: data[:2].any(), bench.data[0])
    twice = pipeline.step("twice", lambda data: data[1], bench.data[0])
    step = pipeline.before_register(moves.step)
    rows = rows_under_way(pipeline, moves, twice, 32, step + (plan.value if apart else 0))
    seen = bench.run([beat([number, 0], 1, False) for number in MOVES], rows)
    # What stands in the pipeline before the first beat moves nothing.
    assert seen == [(sum(MOVES[:index]) % 32, (sum(MOVES[:index]) + 1) % 32) for index in range(len(MOVES))]


def test_events_are_counted_modulo_the_rows(lane_bench, beat) -> None:
    bench = lane_bench(1, gaps=0.0)
    event = bench.pipeline.step("event", lambda data: data[0], bench.data[0])
    row = counted(bench.pipeline, "row", event, event.step, 32)
    events = [number & 1 for number in MOVES]
    assert bench.run([beat([number, 0], 1, False) for number in events], [row]) == [
        (sum(events[:index]) % 32,) for index in range(len(events))]


def test_the_worked_example(lane_bench, beat) -> None:
    """Row 5 is under way: A in lane 3 goes there, B and C to row 6, and lane 2 is not written."""
    bench = lane_bench(4)
    pipe = bench.pipeline
    row, following = (pipe.step("row", lambda data, n=n: n | data & 0, bench.data[0]) for n in (5, 6))
    wrapped = [pipe.step("wrapped", lambda data: data[0], bench.data[lane]) for lane in range(4)]
    present = [pipe.step("present", lambda data: data[1], bench.data[lane]) for lane in range(4)]
    where = [address(pipe, f"where_l{lane}", [present[lane]], row, following, wrapped[lane], choose=row_or_next)
             for lane in range(4)]
    (lanes,) = bench.run([beat([3, 3, 1, 2, 0], 15, True)], where)
    # Bits from the top: enable of bank 1, of bank 0, and the address, of as many bits as it takes.
    width = where[0].shape.width - 2
    found = [(value & (1 << width) - 1, value >> width) for value in lanes]
    assert found == [(3, 0b01), (3, 0b01), (3, 0b00), (2, 0b10)]
