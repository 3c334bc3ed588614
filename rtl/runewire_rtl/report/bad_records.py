"""Ill-formed records of a beat: their errors, in the lanes where these show, before each record has a cycle.

Four lanes, and the packet ``61 FF 0A 62`` ``0A E2 0A FF`` with the delimiter 0A:

    lane               0    1    2    3         0    1    2    3
    byte               61   FF   0A   62        0A   E2   0A   FF
    ends               0    0    1    0         1    0    1    0     a record does
    first              0    1    0    0         0    1    0    1     its first error in this beat shows here
    number             0    0    0    1         0    0    0    1     of ill-formed records that end in lanes before
    rows               1                        1                    ill-formed records that end in the beat
    rest               0                        1                    the record under way has an error from this beat

The first error of an ill-formed record has the number of its record. ``FF`` in the last lane has number 1, but no
ill-formed record of that number ends in the beat: the record continues. Its kind and offset are fields of the beat.

Throughput: one beat per cycle.

Limits: kind and distance of a fault are exact in the first fault of a record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import or_

from amaranth.hdl import Cat, Const, Mux, Value
from runewire_model.report import Sidebands

from ..encodings.base import Faults
from ..input.input_stage import InputStage
from ..packing.numbering import add
from ..pipeline import Pipeline, Timed, stage
from ..segments.text_error import begins, closes, flow
from ..splitting.finding import exactly_two, joined, number_bits, numbers_before
from ..splitting.trees import outermost
from ..stream_shapes import KIND_WIDTH
from .packet_counters import number as flag_number
from .record_flags import Records


@dataclass(frozen=True)
class BadRecords:
    """The ill-formed records of a beat. ``faults``: kind and distance of each lane's fault. ``marks``: each lane's bits
    of `lane_marks`. ``fields``: of the beat, by name (`fields`)."""

    faults: Sequence[Timed]
    marks: Sequence[Timed]
    fields: dict[str, Timed]


def lane_marks(lanes: int) -> int:
    """Bits of a lane: a record ends; the first error of a record in this beat shows; and the lane's number."""
    return 2 + number_bits(lanes)


def fields(lanes: int, *, marked: bool, flow_bits: int | None = None) -> dict[str, int]:
    """Widths of a beat's fields.

    ``rows``: the number of ill-formed records that end in it. ``one``: at most one. ``two``: two. ``some``: any.
    ``count``: the number of records that end. ``any_end``, ``last_end``: whether one does, and the lane of the last.
    ``rest``: the record that continues has its first error of this beat after the last end, or no record ends;
    ``rest_kind``, ``rest_offset``: its kind and its offset, if a record ends. ``text_ends``: the next beat begins a
    text. ``packet_ends``: the packet ends; with ``marked`` cores and flows alone, for others it is the same. With
    flows, whose numbers have ``flow_bits``: ``begins``: the packet begins; ``units``: the number of units; ``flow``.
    """
    bits, numbers = number_bits(lanes), max(2, lanes).bit_length()
    return {"rows": numbers, "one": 1, "two": 1, "some": 1, "count": numbers, "any_end": 1, "last_end": bits, "rest": 1,
            "rest_kind": KIND_WIDTH, "rest_offset": bits, "text_ends": 1,
            **({"packet_ends": 1} if marked or flow_bits is not None else {}),
            **({} if flow_bits is None else {"begins": 1, "units": numbers}),
            **({"flow": flow_bits} if flow_bits else {})}


def field_widths(entry: InputStage, lanes: int, sidebands: Sidebands) -> dict[str, int]:
    """`fields` of the core whose beats are at ``entry``."""
    return fields(lanes, marked=entry.pipeline.mark is not None,
                  flow_bits=None if sidebands.flows is None else sidebands.flow_bits)


@stage("bad_records")
def find_bad_records(entry: InputStage, faults: Faults, records: Records, sidebands: Sidebands) -> BadRecords:
    """The ill-formed records that end in each beat: how many, and where their first errors show."""
    pipeline, lanes = entry.pipeline, faults.any.width
    bad, of_flows = list(records.bad), {}
    if sidebands.flows is not None:
        assert records.tail is not None
        # A text's last record without delimiter ends after the last lane, in which then no record ends.
        bad[-1] = pipeline.step("bad_or_tail", or_, bad[-1], records.tail.part(1, 1))
        of_flows = {"packet_ends": pipeline.last, "begins": begins(pipeline),
                    "units": flag_number(pipeline, "units", entry.there.beat())}
        number = flow(entry, sidebands)
        of_flows |= {} if number is None else {"flow": number}
    ends, fault = records.ends, faults.any.beat()
    first = [fault[0]]
    for lane in range(1, lanes):
        first.append(pipeline.step(f"first_l{lane}", lambda fault, before, end: fault & ~(before & ~end), fault[lane],
                                   records.so_far[lane - 1], ends[lane - 1]))
    numbers, total = numbers_before(pipeline, bad)
    widths = field_widths(entry, lanes, sidebands)
    rows = [bit.settled(pipeline, f"rows_bit{at}")
            for at, bit in enumerate(add(pipeline, "rows", total, width=widths["rows"]))]
    width = number_bits(lanes)
    absent = pipeline.step("no_number", lambda: Const(0, 1))
    errors = [joined(pipeline, f"fault_l{lane}", [flags[lane] for flags in (*faults.kind, *faults.back)])
              for lane in range(lanes)]
    count = flag_number(pipeline, "ends", ends)
    any_end, last_end = outermost(pipeline, "last_end", ends, highest=True)
    kind, offset = _rest(pipeline, first, errors, last_end)
    found = {
        "rows": _extended(pipeline, "rows", joined(pipeline, "rows", rows), widths["rows"]),
        "one": pipeline.step("one", lambda *high: ~Cat(high).any(), *rows[1:]),
        "two": exactly_two(pipeline, rows),
        "some": pipeline.step("some", lambda *bits: Cat(bits).any(), *rows),
        "count": _extended(pipeline, "count", count, widths["count"]),
        "any_end": any_end, "last_end": joined(pipeline, "last_end", last_end),
        "rest": pipeline.step("rest", lambda so_far, end: so_far & ~end, records.so_far[-1], ends[-1]),
        "rest_kind": kind, "rest_offset": offset,
        "text_ends": pipeline.over if sidebands.flows is None else closes(entry, sidebands, 0),
        **({} if pipeline.mark is None else {"packet_ends": pipeline.last}), **of_flows,
    }
    if "units" in found:
        found["units"] = _extended(pipeline, "units", found["units"], widths["units"])
    marks = [bit for end, flag, number in zip(ends, first, numbers, strict=True)
             for bit in (end, flag, *number, *[absent] * (width - len(number)))]
    return BadRecords(errors, marks, found)


def _extended(pipeline: Pipeline, name: str, value: Timed, width: int) -> Timed:
    """A value with zeros above, if it has fewer bits."""
    zeros = Const(0, width - value.shape.width)
    return pipeline.step(name, lambda value: Cat(value, zeros), value) if len(zeros) else value


def _rest(pipeline: Pipeline, first: Sequence[Timed], errors: Sequence[Timed],
          last_end: Sequence[Timed]) -> tuple[Timed, Timed]:
    """Kind and offset of the last of the ``first`` errors, if the record with it begins after ``last_end``."""
    level = [pipeline.step(f"rest_l{lane}", lambda flag, error: Cat(flag, error), flag, error)
             for lane, (flag, error) in enumerate(zip(first, errors, strict=True))]
    while len(level) > 1:
        level = [pipeline.step(f"rest_of{len(level)}_{at}",
                               lambda low, high: Cat(low[0] | high[0], Mux(high[0], high[1:], low[1:]), high[0]),
                               *level[at : at + 2]) for at in range(0, len(level), 2)]
    node = level[0]
    distance = errors[0].shape.width - KIND_WIDTH
    bits = len(last_end)

    def offset(node: Value, *end: Value) -> Value:
        return (node[1 + KIND_WIDTH + distance :] + Cat(~bit for bit in end))[:bits]

    begin = pipeline.step("rest_past_end", offset, node, *last_end)
    back = node.part(1 + KIND_WIDTH, distance)
    return (node.part(1, KIND_WIDTH),
            pipeline.step("rest_offset", lambda begin, back: (begin - back)[:bits], begin, back))

