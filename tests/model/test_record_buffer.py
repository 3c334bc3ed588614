"""The cycle model of a filter's record buffer: rows of a packet, hand-written runs, a sink of rejects that waits."""

import pytest
from runewire_model import ParameterError, parameters
from runewire_model.record_buffer import BufferRow, RecordBuffer, buffer_rows
from runewire_model.timeline import cycles
from runewire_model.timing import RecordBufferTiming

TIME = RecordBufferTiming(depth=16, records=32, queue=16, credits=8)
CORE = parameters("filter", lanes=4, longest=8, rejects=True)
GOOD, BAD = (BufferRow(4, last=True, judges=True, reject=reject, ends=False) for reject in (False, True))


def test_rows_of_a_packet() -> None:
    rows = buffer_rows(CORE, b"abcd\n\xFF\n" + b"e" * 9 + b"\n")
    assert [(row.size, row.last, row.judges, row.reject, row.ends, row.stays, row.bytes_left) for row in rows] == [
        (4, False, False, False, False, True, 4), (1, True, True, False, False, True, 1),
        (2, True, True, True, False, False, 0),
        (4, False, False, True, False, False, 0), (4, False, True, True, False, False, 0),
        (2, True, True, True, True, True, 0)]
    assert list(buffer_rows(CORE, b"")) == [BufferRow(0, last=True, judges=True, reject=False, ends=True)]


def shown(rows: list[BufferRow], most: int = 60) -> tuple[list[int], RecordBuffer]:
    """The cycles in which good rows are at the output; rows come while there are any, and the sink takes all."""
    left = len(rows)
    buffer = RecordBuffer(rows, TIME, lambda cycle: not left, lambda: 8, lambda cycle: False)
    found = []
    for cycle in range(most):
        found += [cycle] if buffer.shown else []
        buffer.step(cycle)
        left -= buffer.left == cycle
    return found, buffer


def test_a_record_of_one_row_takes_its_latency_and_one_of_two_waits_for_its_judgement() -> None:
    assert shown([GOOD])[0] == [TIME.latency]
    assert shown([GOOD._replace(last=False, judges=False), GOOD])[0] == [TIME.latency + 1, TIME.latency + 2]
    assert shown([GOOD, BAD, GOOD])[0] == [TIME.latency, TIME.latency + 2]
    assert shown([BAD])[1].rejects_taken == [TIME.latency + 5]


@pytest.mark.parametrize(("row", "time"), [(BAD, TIME._replace(depth=128)), (BAD._replace(last=False), TIME)],
                         ids=["short records", "a long record"])
def test_while_no_reject_is_taken_memories_fill_and_then_no_row_enters(
        row: BufferRow, time: RecordBufferTiming) -> None:
    waits = True
    buffer = RecordBuffer([row] * 300, time, lambda cycle: False, lambda: 8, lambda cycle: waits)
    for cycle in range(200):
        buffer.step(cycle)
    assert buffer.left < 60
    assert len(buffer.rejects_offered) == 1
    waits = False
    entered = buffer.left
    for cycle in range(200, 260):
        buffer.step(cycle)
    assert buffer.left > entered
    assert len(buffer.rejects_taken) > 30


def test_lengths_alone_do_not_say_how_long_packets_take() -> None:
    with pytest.raises(ParameterError, match="how long packets take depends on their bytes for this filter"):
        cycles(CORE, [8], TIME)
    assert cycles(CORE, [], TIME) == 0
