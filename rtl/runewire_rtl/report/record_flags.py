"""Records inside a packet: which lanes end one, and whether that record is ill-formed.

The beat ``E2 0A 41 0A`` of four lanes, with the delimiter 0A, in the middle of a packet:

    lane            0    1    2    3
    byte            E2   0A   41   0A
    ill-formed      1    0    0    0     something is wrong here
    ends            0    1    0    1     a record does
    so far          1    1    0    0     an ill-formed subpart since the record began, in this beat
    marks           0    3    0    1     ends it, and it is ill-formed

A record that continues in the next beat takes with it whether it is ill-formed so far. The delimiter is an ASCII byte,
which ends every sequence. So a fault shows in the record in which it begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Signal

from ..input.input_stage import InputStage
from ..pipeline import Broadcast, Lanes, Timed, stage
from ..pipeline.gates import cleared
from ..segments.record_context import RecordContext

FAR = 32
"""Number of lanes from which on a flag has replicas; the users of fewer lanes are placed close together."""


RecordState = Callable[[InputStage, Sequence[Timed], Timed, Timed], RecordContext]
"""Makes the state of the record under way, as `record_context` does."""


@dataclass(frozen=True)
class Records:
    """``ends``: lanes that end a record. ``bad``: lanes that end an ill-formed record. ``so_far``: lanes of which an
    earlier one in the same record and beat, or they themselves, are ill-formed. ``delimiters``: for each lane flags
    that are all set if it is a delimiter. ``final``: the lane of the packet's last byte. ``tail``: the flags of a
    text's last record without delimiter, if the text may have several packets; such a record has none in a lane."""

    ends: Sequence[Timed]
    bad: Sequence[Timed]
    so_far: Sequence[Timed]
    delimiters: Sequence[Sequence[Timed]]
    final: Sequence[Timed]
    tail: Timed | None = None

    def marks(self, bytes_kept: Lanes | None = None) -> list[Timed]:
        """The two record flags of each byte. Of a unit of several bytes the last one that is kept has them."""
        keep = [] if bytes_kept is None else bytes_kept.beat()
        size = keep[0].shape.width if keep else 1
        if size == 1:
            return [bit for pair in zip(self.ends, self.bad, strict=True) for bit in pair]
        pipeline = keep[0].pipeline
        return [pipeline.step(f"mark{at}_l{lane}",
                              lambda flag, keep, at=at: flag & keep[at] & ~keep[at + 1 :].any(), flag, kept)
                for lane, (kept, *flags) in enumerate(zip(keep, self.ends, self.bad, strict=True))
                for at in range(size) for flag in flags]


@stage("records")
def find_records(
    entry: InputStage, ill_formed: Lanes, delimiter: int, units: Lanes | None = None, state: RecordState | None = None,
) -> Records:
    """The records of a beat; without a beat they may be anything. ``ill_formed``: lanes of which each record has one if
    it is ill-formed, and none else.

    ``units``: the units, in their packet's byte order, if they have several bytes. ``state``: of the record under way,
    if a text may have several packets.
    """
    pipeline, packet_ends = entry.pipeline, entry.final
    assert packet_ends is not None, "records need an input that looks ahead"
    if state is not None:
        # A packet's end ends no record.
        packet_ends = pipeline.step("no_end", lambda: Const(0, 1))
    lanes = ill_formed.width
    data = units or entry.data
    halves = [Lanes.map(f"delimiter{low}", lambda b, low=low: b[low : low + 4] == delimiter >> low & 15, data)
              for low in (0, 4)]
    there = entry.there
    whole = there if units is None else _upper_zero(units, entry.whole)
    last = Broadcast("packet_ends", packet_ends, lanes, tree=True)
    ends, finals = [], []
    for lane in range(lanes):
        # The packet's last byte: present, and none after it.
        behind = [there[lane + 1]] if lane + 1 < lanes else []
        final = pipeline.step(f"final_l{lane}", lambda there, final, *behind: there & final & ~Cat(behind).any(),
                              there[lane], last[lane], *behind)
        finals.append(final)
        ends.append(pipeline.step(
            f"ends_l{lane}", lambda low, high, there, final: (low & high & there) | final,
            *(half[lane] for half in halves), whole[lane], final))
    after, begun = _scan(ends, ill_formed.beat())
    # The state at the end of the beat, for a record that continues.
    any_end = pipeline.step("any_end", lambda *ends: Cat(ends).any(), *begun[-1:][: lanes - 1], ends[-1])
    rest = pipeline.step("rest", lambda after, end: after & ~end, after[-1], ends[-1])
    tail = None
    if state is not None:
        context = state(entry, ends, any_end, rest)
        under_way, tail = context.bad, context.tail
    else:
        step = pipeline.state_step(max(any_end.step, rest.step))
        open_bad = Signal(name="open_bad", reset_less=True)
        with pipeline.m.If(pipeline.valid.at(step)):
            pipeline.m.d.sync += open_bad.eq(
                cleared(rest.at(step) | (open_bad & ~any_end.at(step)), pipeline.last.at(step)))
        under_way = Timed(pipeline, step, open_bad, "open_bad")
    before = Broadcast("open_bad", under_way, lanes, tree=True)
    bad = []
    for lane in range(lanes):
        # No record ends before the first lane.
        bad.append(pipeline.step(
            f"bad_l{lane}", lambda end, after, before, *begun: end & (after | (before & ~Cat(begun).any())),
            ends[lane], after[lane], before[lane], *begun[max(0, lane - 1) : lane]))
    delimiters = [[half[lane] for half in (*halves, whole)] for lane in range(lanes)]
    return Records(ends, bad, after, delimiters, finals, tail)


def _upper_zero(units: Lanes, whole: Lanes) -> Lanes:
    """Whole units without a bit above the lowest eight."""
    width, group = units[0].shape.width, units.pipeline.policy.lut_inputs
    parts = [Lanes.map(f"upper{low}", lambda unit, low=low: unit[low : low + group].any(), units)
             for low in range(8, width, group)]
    if len(parts) >= group:
        parts = [Lanes.map(f"upper_of{low}", lambda *some: Cat(some).any(), *parts[low : low + group])
                 for low in range(0, len(parts), group)]
    return Lanes.map("upper_zero", lambda whole, *some: whole & ~Cat(some).any(), whole, *parts)


def _scan(ends: Sequence[Timed], bad: Sequence[Timed]) -> tuple[list[Timed], list[Timed]]:
    """For each lane, whether a lane of its record so far is ``bad``; and for each lane but the first, whether a record
    ended before it in the beat.

    Adjacent ranges of lanes are joined, so ranges double at each step. The whole upper range depends on two flags of
    the lower one; long ranges use replicas of them."""
    pipeline = ends[0].pipeline
    after = list(bad)
    # The lane after the end of a record begins one.
    begun = list(ends[:-1])
    size = 1
    while size < len(after):
        for first in range(size, len(after), 2 * size):
            flags = [after[first - 1], begun[max(0, first - 2)]]
            copies = [[flag] * size for flag in flags] if size < FAR else [
                Broadcast(f"{name}{size}_of_l{first}", flag, size)
                for name, flag in zip(("so_far", "begun"), flags, strict=True)]
            for lane in range(first, first + size):
                own = begun[lane - 1]
                whole, cut = (copy[lane - first] for copy in copies)
                after[lane] = pipeline.step(f"so_far{size}_l{lane}", lambda own, cut, whole: own | (whole & ~cut),
                                            after[lane], own, whole)
                if first > 1:
                    begun[lane - 1] = pipeline.step(f"begun{size}_l{lane}", lambda own, cut: own | cut, own, cut)
        size *= 2
    return after, begun
