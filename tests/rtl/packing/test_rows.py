"""Row numbers rise as rows end, and each lane is written to its own row."""

import random

import pytest
from amaranth.hdl import Const
from runewire_rtl.packing.rows import address, bank_addresses, bank_enables, counted, rows_under_way
from runewire_rtl.pipeline import Plan
from runewire_rtl.pipeline.restart import Restart

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
    # Values in the pipeline before the first beat have no effect.
    assert seen == [(sum(MOVES[:index]) % 32, (sum(MOVES[:index]) + 1) % 32) for index in range(len(MOVES))]


def test_events_are_counted_modulo_the_rows(lane_bench, beat) -> None:
    bench = lane_bench(1, gaps=0.0)
    event = bench.pipeline.step("event", lambda data: data[0], bench.data[0])
    row = counted(bench.pipeline, "row", event, event.step, 32)
    events = [number & 1 for number in MOVES]
    assert bench.run([beat([number, 0], 1, False) for number in events], [row]) == [
        (sum(events[:index]) % 32,) for index in range(len(events))]


@pytest.mark.parametrize("apart", [False, True], ids=["at_once", "in_two_parts"])
def test_after_a_reset_rows_and_events_are_counted_from_zero(lane_bench, beat, apart: bool) -> None:
    """Bit 2 of a beat is the reset. The last beats in it end no row, so none is under way when it is over."""
    bench = lane_bench(1, gaps=0.0)
    pipeline = bench.pipeline
    pipeline.restart = Restart(Const(0), bench.data[0].at(0)[2])
    moves = pipeline.step("moves", lambda data: data[:2].any(), bench.data[0])
    twice = pipeline.step("twice", lambda data: data[1], bench.data[0])
    step = pipeline.before_register(moves.step)
    counts = [*rows_under_way(pipeline, moves, twice, 32, step + (pipeline.plan.value if apart else 0)),
              counted(pipeline, "row", moves, step, 32)]
    before, reset = MOVES[:36], [*(4 | number for number in MOVES[:6]), *[4] * 6]
    seen = bench.run([beat([number, 0], 1, False) for number in (*before, *reset, *MOVES)], counts)
    assert all(count > 3 for count in seen[len(before) - 6])
    assert seen[len(before) + len(reset) :] == [
        (sum(MOVES[:index]) % 32, (sum(MOVES[:index]) + 1) % 32, sum(map(bool, MOVES[:index])) % 32)
        for index in range(len(MOVES))]


def test_the_worked_example(lane_bench, beat) -> None:
    """Row 5 is under way: A is in lane 3 of it, B and C are in row 6, and lane 2 is not written."""
    bench = lane_bench(4)
    pipe = bench.pipeline
    row, following = (pipe.step("row", lambda data, n=n: n | data & 0, bench.data[0]) for n in (5, 6))
    reached, wrapped, full = (
        [pipe.step(f"{name}_l{lane}", lambda data, bit=bit: data[bit], bench.data[lane]) for lane in range(4)]
        for bit, name in enumerate(("reached", "wrapped", "full")))
    odd = row.part(0, 1)
    enables = [pipe.step(f"enables_l{lane}", bank_enables, reached[lane], wrapped[lane], full[lane], odd)
               for lane in range(4)]
    # Lanes 0 and 1 are below the end of the beat's items, lanes 0 to 2 below their start, and it fills a row.
    ((*found, even_row, odd_row),) = bench.run(
        [beat([0b111, 0b111, 0b110, 0b100, 0], 15, True)], [*enables, *bank_addresses(row, following)])
    assert (even_row, odd_row) == (3, 2)
    assert found == [0b01, 0b01, 0b00, 0b10]


def test_an_address_enables_its_rows_bank(lane_bench, beat) -> None:
    bench = lane_bench(1, gaps=0.0)
    present, row = (bench.pipeline.step(name, lambda data, low=low, high=high: data[low:high], bench.data[0])
                    for name, low, high in (("present", 0, 1), ("row", 1, 6)))
    numbers = [(1, 5), (1, 6), (0, 6)]
    found = bench.run([beat([there | row << 1, 0], 1, False) for there, row in numbers],
                      [address(bench.pipeline, "where", present, row)])
    assert found == [(2 | 0b10 << 4,), (3 | 0b01 << 4,), (3,)]
