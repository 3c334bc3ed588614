"""Functional coverage of records: first and last lane, beat boundary, and verdict.

Four lanes, the delimiter 0A, and the packet ``61 0A FF 62 63 0A`` in two beats:

    61 0A           from lane 0 to lane 1, inside a beat, well-formed
    FF 62 63 0A     from lane 2 to lane 1, across beats, ill-formed
"""

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import NamedTuple

from runewire_model import TranscoderParameters
from runewire_model.records import ill_formed_records, split_records


class RecordGoal(NamedTuple):
    """A goal: a record from input lane ``first`` to input lane ``last``.

    ``across``: it ends in a later beat. ``bad``: it is ill-formed. ``final``: the packet's end ends it, without a
    delimiter. ``stall``: the stall of the beat in which it ends, "" for any.
    """

    first: int
    last: int
    across: bool
    bad: bool
    final: bool
    stall: str = ""

    @property
    def kind(self) -> str:
        """Name of the cross that the goal belongs to."""
        return "record's first lane × its last × beat boundary × verdict × end × stall"

    def __str__(self) -> str:
        return ", ".join(filter(None, [
            f"{'ill' if self.bad else 'well'}-formed record from lane {self.first} to lane {self.last}",
            "across beats" if self.across else "inside a beat",
            "before the packet's end" if self.final else "with its delimiter", self.stall]))


def record_goals(parameters: TranscoderParameters) -> Iterator[RecordGoal]:
    """All goals of a core about records, under any stall; none without records, nor for units of several bytes."""
    if parameters.sidebands.records is None or parameters.reads.unit_bytes > 1:
        return
    lanes, either = range(parameters.lanes), (False, True)
    for first, last, across, bad, final in product(lanes, lanes, either, either, either):
        there = last - first + 1 + across * parameters.lanes
        # The delimiter itself is well-formed.
        if there > (bad and not final) and (not bad or parameters.reads.wrong) and (across or last >= first):
            yield RecordGoal(first, last, across, bad, final)


def records_met(parameters: TranscoderParameters, packet: bytes) -> Iterator[tuple[RecordGoal, int]]:
    """The records of a packet, each with the beat in which it ends."""
    delimiter, lanes = parameters.sidebands.records, parameters.lanes
    if delimiter is None or parameters.reads.unit_bytes > 1:
        return
    start = 0
    verdicts = ill_formed_records(parameters.reads, packet, delimiter)
    for record, bad in zip(split_records(packet, delimiter), verdicts, strict=True):
        end = start + len(record) - 1
        across = start // lanes != end // lanes
        yield RecordGoal(start % lanes, end % lanes, across, bad, record[-1] != delimiter), end // lanes
        start = end + 1


def packet_with(parameters: TranscoderParameters, goal: RecordGoal, random: Random) -> bytes:
    """A packet that contains such a record."""
    delimiter, lanes = parameters.sidebands.records, parameters.lanes
    assert delimiter is not None
    plain = bytes({*b"abc"} - {delimiter})

    def text(size: int) -> bytes:
        return bytes(random.choices(plain, k=size))

    before = bytearray(random.choices(bytes([*plain, delimiter]), k=goal.first + lanes * random.randrange(2)))
    before[-1:] = bytes([delimiter] * bool(before))
    size = goal.last - goal.first + 1 + goal.across * lanes - (not goal.final)
    wrong = b""
    if goal.bad:
        wrong = random.choice([each for each in parameters.reads.wrong if len(each) <= size and delimiter not in each])
    at = random.randint(0, size - len(wrong))
    record = text(at) + wrong + text(size - len(wrong) - at)
    if not goal.final:
        record += bytes([delimiter]) + text(random.randrange(3))
    return bytes(before) + record
