"""Finding: the rows that each beat ends, before they have a cycle of their own.

A row is one output beat. Four lanes, delimiter 0A, kept. The packet ``61 0A 62 63 64 65 66 0A`` has two beats:

    lane                    0    1    2    3         0    1    2    3
    byte                    61   0A   62   63        64   65   66   0A
    slot                    0    1    0    0         0    0    0    1     a record ends in the lane
    start                   1    0    1    0         0    0    0    0     and one begins
    number                  0    0    1    1         0    0    0    0     of records that end in lanes before
    full                    0                        1                    a record from before fills a row here
    rows                    1                        2

The rows of the second beat: ``62 63 64 65`` is full, as the record began in lane 2; and ``66 0A`` is the record's last.
A full row comes before all others of its beat. The last row of a packet that does not end with a delimiter comes after
all others. So only the delimiters are numbered.

If delimiters are dropped, a row ends before its slot. A full row is known when a further byte of the record comes, or
the delimiter: then the row is the record's last.

Throughput: one beat per cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Signal
from runewire_model.report import Sidebands

from ..input.input_stage import InputStage
from ..packing.numbering import Term, add, scan
from ..pipeline import Lanes, Pipeline, Timed, stage
from .trees import any_of, at_least, outermost


@dataclass(frozen=True)
class Found:
    """The rows that a beat ends.

    ``slots``: a row of a record ends with the delimiter in this lane. ``starts``: a record begins in this lane.
    ``numbers``: for each lane the number of slots in the lanes before it, as bits.
    ``fields``: of the beat, by name (`fields`).
    """

    slots: Sequence[Timed]
    starts: Sequence[Timed]
    numbers: Sequence[Sequence[Timed]]
    fields: dict[str, Timed]

    def marks(self, width: int) -> list[Timed]:
        """Slot, start and number of each lane, of which ``width`` bits."""
        absent = self.slots[0].pipeline.step("no_number", lambda: Const(0, 1))
        return [bit for slot, start, number in zip(self.slots, self.starts, self.numbers, strict=True)
                for bit in (slot, start, *number, *[absent] * (width - len(number)))]


FIRST_FIELDS = ("rows", "one", "two")
"""The fields that are needed before the others: the first ones of `fields`."""


def number_bits(lanes: int) -> int:
    """Bits of a lane's number."""
    return (lanes - 1).bit_length()


def fields(lanes: int) -> dict[str, int]:
    """Widths of a beat's fields.

    ``rows``: the number of its rows. ``one``: at most one. ``two``: two. ``some``: any. ``full``: the first of them is
    full and not its record's last. ``begun``: the bytes of its first row begin in the beat before, if no record
    begins before it. ``start``: the lane in which the record under way began. ``end``: the number of the packet's
    bytes in its last beat, modulo the lanes; if delimiters are kept, one less. ``tells``: the beat's last row ends the
    packet's last record.
    """
    bits = number_bits(lanes)
    return {"rows": max(2, lanes).bit_length(), "one": 1, "two": 1, "some": 1, "full": 1, "begun": 1, "start": bits,
            "end": bits, "tells": 1}


@stage("finding")
def find(entry: InputStage, sidebands: Sidebands) -> Found:
    """The rows that each beat ends: where, and how many."""
    pipeline, lanes, delimiter = entry.pipeline, entry.data.width, sidebands.split
    assert delimiter is not None
    keeps, there = sidebands.delimiter == "keep", entry.there
    data = Lanes(pipeline, "data", entry.data.beat(), lanes)
    halves = [Lanes.map(f"split{low}", lambda b, low=low: b[low : low + 4] == delimiter >> low & 15, data)
              for low in (0, 4)]
    delimits = Lanes.map("delimits", lambda low, high, there: low & high & there, *halves, there)
    text = Lanes.map("text", lambda low, high, there: ~(low & high) & there, *halves, there)
    goes_on = Lanes(pipeline, "goes_on", text.back(1).values, lanes)
    if sidebands.empty == "keep":
        slots = delimits
        starts = Lanes.map("starts", lambda text, delimits, on: (text | delimits) & ~on, text, delimits, goes_on)
    else:
        slots = Lanes.map("slots", lambda delimits, on: delimits & on, delimits, goes_on)
        starts = Lanes.map("starts", lambda text, on: text & ~on, text, goes_on)
    start = _start(pipeline, starts)
    last, begun = pipeline.last, goes_on[0]
    _, final = outermost(pipeline, "final", there.beat(), highest=True)
    behind = [there[lane + 1] for lane in range(lanes - 1)]
    ends = [[*behind[lane : lane + 1]] for lane in range(lanes)]
    open_end = any_of(pipeline, "open_end", [
        pipeline.step(f"open_end_l{lane}", lambda text, *after: text & ~Cat(after).any(), text[lane], *ends[lane])
        for lane in range(lanes)])
    told_end = any_of(pipeline, "told_end", [
        pipeline.step(f"told_end_l{lane}", lambda text, slot, *after: (text | slot) & ~Cat(after).any(), text[lane],
                      slots[lane], *ends[lane]) for lane in range(lanes)])
    rest = pipeline.step("rest", lambda last, end: last & end, last, open_end)
    some, first = outermost(pipeline, "first", delimits.beat(), highest=False)
    if keeps:
        full = _full_kept(pipeline, start, begun, (some, first), (last, final))
        end = joined(pipeline, "end", final)
        begun = pipeline.step("begun", lambda begun, *start: begun & Cat(start).any(), begun, *start)
    else:
        full = _full_dropped(pipeline, start, begun, (some, first), (last, final))
        end = pipeline.step("end", lambda *bits: (Cat(bits) + 1)[: len(bits)], *final)
    numbers, total = numbers_before(pipeline, slots.beat())
    widths = fields(lanes)
    rows = [bit.settled(pipeline, f"rows_bit{at}") for at, bit in enumerate(
        add(pipeline, "rows", total, [Term.of(full)], [Term.of(rest)], width=widths["rows"]))]
    return Found(slots.beat(), starts.beat(), numbers, {
        "rows": joined(pipeline, "rows", rows),
        "one": pipeline.step("one", lambda *high: ~Cat(high).any(), *rows[1:]),
        "two": exactly_two(pipeline, rows),
        "some": pipeline.step("some", lambda *bits: Cat(bits).any(), *rows),
        "full": full, "begun": begun, "start": joined(pipeline, "start", start), "end": end,
        "tells": pipeline.step("tells", lambda last, end: last & end, last, told_end),
    })


def exactly_two(pipeline: Pipeline, rows: Sequence[Timed]) -> Timed:
    """Whether a beat has two rows; ``rows``: the bits of their number."""
    return pipeline.step("two", lambda *bits: Cat(bits) == 2, *rows)


def joined(pipeline: Pipeline, name: str, bits: Sequence[Timed]) -> Timed:
    """Bits as one value."""
    step = max([0, *(bit.step for bit in bits)])
    return Timed(pipeline, step, Cat(bit.at(step) for bit in bits), f"{name}_joined")


def _start(pipeline: Pipeline, starts: Lanes) -> list[Timed]:
    """The lane in which the record under way before a beat began. If none was under way it means nothing."""
    some, place = outermost(pipeline, "latest", starts.beat(), highest=True)
    if not place:
        return []
    step = pipeline.state_step(max(some.step, *(bit.step for bit in place)))
    found = []
    comes = Signal(name="start_comes")
    pipeline.m.d.comb += comes.eq(some.at(step) & pipeline.valid.at(step))
    for at, bit in enumerate(place):
        start = Signal(name=f"start_bit{at}", reset_less=True)
        with pipeline.m.If(comes):
            pipeline.m.d.sync += start.eq(bit.at(step))
        found.append(Timed(pipeline, step, start, f"start_bit{at}"))
    return found


Where = tuple[Timed, Sequence[Timed]]
"""A flag, and a lane as bits."""


def _full_kept(pipeline: Pipeline, start: Sequence[Timed], begun: Timed, first: Where, final: Where) -> Timed:
    """Whether a row is full in the lane before ``start``, or in the beat's last lane if that is 0, and its record goes
    on: no delimiter is before that place, and the packet does not end there."""
    begins = [pipeline.step(f"begins_bit{at}", lambda bit, begun: bit & begun, bit, begun)
              for at, bit in enumerate(start)]
    inside = pipeline.step("inside", lambda *bits: Cat(bits).any(), *begins)
    clear = at_least(pipeline, "first_after", first[1], begins)
    more = at_least(pipeline, "more_after", final[1], begins)
    free = pipeline.step("free", lambda some, inside, clear: ~some | (inside & clear), first[0], inside, clear)
    stays = pipeline.step("stays", lambda last, inside, more: ~last | (inside & more), final[0], inside, more)
    return pipeline.step("full", lambda free, stays: free & stays, free, stays)


def _full_dropped(pipeline: Pipeline, start: Sequence[Timed], begun: Timed, first: Where, final: Where) -> Timed:
    """Whether a row is full before lane ``start``, and its record goes on there."""
    clear = at_least(pipeline, "first_after", first[1], start, more=True)
    more = at_least(pipeline, "more_after", final[1], start)
    free = pipeline.step("free", lambda some, clear, begun: (~some | clear) & begun, first[0], clear, begun)
    stays = pipeline.step("stays", lambda last, more: ~last | more, final[0], more)
    return pipeline.step("full", lambda free, stays: free & stays, free, stays)


def numbers_before(pipeline: Pipeline, slots: Sequence[Timed]) -> tuple[list[list[Timed]], list[Term]]:
    """For each lane the number of slots before it, and the number of all: in groups of lanes, as many as a look-up
    table has inputs, then of the groups before."""
    lanes, group = len(slots), pipeline.policy.lut_inputs
    flags = [[Term.of(slot) for slot in slots[first : first + group]] for first in range(0, lanes, group)]
    counts = [add(pipeline, f"group{index}", *([flag] for flag in each), width=len(each).bit_length())
              for index, each in enumerate(flags)]
    before, total = scan(pipeline, counts)
    numbers = []
    for lane in range(lanes):
        base, inner = before[lane // group], flags[lane // group][: lane % group]
        number = add(pipeline, f"number_l{lane}", base, *([flag] for flag in inner), width=lane.bit_length())
        numbers.append([bit.settled(pipeline, f"number_l{lane}_bit{at}") for at, bit in enumerate(number)])
    return numbers, list(total)
