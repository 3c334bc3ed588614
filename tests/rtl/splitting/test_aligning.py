"""Parts of the aligning that only many lanes or long records use."""

from random import Random

import pytest
from amaranth.hdl import Const
from runewire_rtl.pipeline.restart import Restart
from runewire_rtl.splitting.aligning import Turn, _moved, _nth_row, same_slot
from runewire_rtl.splitting.finding import number_bits, numbers_before


@pytest.mark.parametrize("lanes", [2, 8, 32])
def test_the_lanes_of_a_slot_are_those_with_its_number(lane_bench, beat, lanes: int) -> None:
    bits = number_bits(lanes)
    bench = lane_bench(lanes, width=2 + bits, gaps=0.0)
    slot = bench.data.values[lanes].part(0, bits)
    none = bench.pipeline.step("none", lambda: Const(0, 1))
    turn = Turn(bench.source, none, none, slot, bench.data.beat(), {})
    random = Random(lanes)
    beats = [[random.randrange(4 * lanes) for _ in range(lanes)] + [number % lanes] for number in range(3 * lanes)]
    found = bench.run([beat(each, 0, False) for each in beats], list(same_slot(turn)))
    assert found == [tuple(int(marks >> 2 == slot) for marks in each) for *each, slot in beats]


@pytest.mark.parametrize("lanes", [2, 8, 32])
def test_each_byte_moves_down_around_the_end(lane_bench, beat, lanes: int) -> None:
    bench = lane_bench(lanes, gaps=0.0)
    begin = bench.data.values[lanes].part(0, number_bits(lanes)).parts(1)
    moved = _moved(bench.pipeline, bench.data.beat(), begin)
    data = [*range(100, 100 + lanes)]
    assert bench.run([beat([*data, by], 0, False) for by in range(lanes)], moved) == [
        (*data[by:], *data[:by]) for by in range(lanes)]


@pytest.mark.parametrize("rows", [1, 2, 16, 32, 64])
def test_the_last_row_of_a_long_record_is_found(lane_bench, beat, rows: int) -> None:
    bench = lane_bench(1, lookahead=False)
    last = bench.pipeline.step("record_ends", lambda data: data[0], bench.data[0])
    sizes = [rows - 1, rows, rows + 1, 3 * rows, 1, 2 * rows - 1]
    found = bench.run([beat([int(row == size - 1)], 1, False) for size in sizes for row in range(size)],
                      [_nth_row(bench.pipeline, last, rows)])
    assert found == [(int(row % rows == rows - 1),) for size in sizes for row in range(size)]


def test_after_a_reset_the_rows_of_a_record_are_counted_anew(lane_bench, beat) -> None:
    """Bit 1 of a beat is the reset, which comes within a record."""
    bench = lane_bench(1, lookahead=False, gaps=0.0)
    bench.pipeline.restart = Restart(Const(0), bench.data[0].at(0)[1])
    last = bench.pipeline.step("record_ends", lambda data: data[0], bench.data[0])
    before, reset, after = [0, 0], [2] * 8, [0, 0, 0, 1, 0, 0]
    fourth = _nth_row(bench.pipeline, last, 4)
    found = bench.run([beat([each], 1, False) for each in (*before, *reset, *after)], [fourth])
    assert found[-len(after) :] == [(0,), (0,), (0,), (1,), (0,), (0,)]


@pytest.mark.parametrize("lanes", [1, 4, 8, 32])
def test_each_lane_has_the_number_of_slots_before_it(lane_bench, beat, lanes: int) -> None:
    bench = lane_bench(lanes, width=1, lookahead=False, gaps=0.0)
    numbers, total = numbers_before(bench.pipeline, bench.data.values)
    parts = [*numbers, [bit.settled(bench.pipeline, "total") for bit in total]]
    random = Random(lanes)
    beats = [[1] * lanes, *([random.getrandbits(1) for _ in range(lanes)] for _ in range(60))]
    found = bench.run([beat(each, 0, False) for each in beats], [bit for number in parts for bit in number])
    for each, row in zip(beats, found, strict=True):
        rest = iter(row)
        assert [sum(next(rest) << at for at in range(len(number))) for number in parts] == [
            sum(each[:lane]) for lane in range(lanes + 1)]
