"""Functional coverage of cores that work on records: splitters, filters, record reports.

A splitter of four lanes, the delimiter 0A, and the packet ``61 0A 62 63 64 0A`` in two beats:

    61 0A          from lane 0 to lane 1, inside a beat
    62 63 64 0A    from lane 2 to lane 1, across beats
    first beat     one record ends in it

A record of the filter is output, or rejected: ill-formed, too long, or both.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import NamedTuple

from runewire_model import ENCODINGS, TranscoderParameters
from runewire_model.records import split_records
from runewire_model.splitting import record_packets

from .axi_stream import GAP_BEATS
from .results import PacketEnd, RejectedRecord
from .stalls import PAUSE, Stalls

MOST_LONG = 1 << 16
"""Greatest ``longest`` of which longer records are a goal."""
QUEUE = 48
"""Rows or records: more than a queue of a filter or of a record report holds, with those on their way."""
DELIMITED, FINAL, CUT = "with its delimiter", "before the packet's end", "cut"
"""How a record's packet ends."""
STAYS, ILL_FORMED, LONG, BOTH = "well-formed", "ill-formed", "too long", "ill-formed and too long"
"""What a filter finds of a record."""
OUTPUT_WAITS, REJECTS_WAIT, REPORT_WAITS = (
    "while the output waits", "while the rejects wait", "while the record report waits")
ANY = ""
"""Any stall."""
FURTHER = {REJECTS_WAIT: Stalls(rejects=PAUSE), REPORT_WAITS: Stalls(records=PAUSE)}
"""Stalls of the streams that only some cores have."""


class LineGoal(NamedTuple):
    """A goal: a record's packet, or a filter's record, from input lane ``first`` to input lane ``last``.

    ``across``: it ends in a later beat. ``ends``: one of `DELIMITED`, `FINAL`, `CUT`. ``found``: of the filter, what it
    finds; "after a cut" of a splitter, where the record began in an earlier packet. ``stall``: of the beat in which it
    ends, "" for any.
    """

    first: int
    last: int
    across: bool
    ends: str
    found: str = ""
    stall: str = ANY

    @property
    def kind(self) -> str:
        """Name of the cross that the goal belongs to."""
        return "record's first lane × its last × beat boundary × end × verdict or cut × stall"

    def __str__(self) -> str:
        return ", ".join(filter(None, [
            f"record from lane {self.first} to lane {self.last}", "across beats" if self.across else "inside a beat",
            self.ends, self.found, self.stall]))


class BeatGoal(NamedTuple):
    """A goal: ``many`` of ``what`` end in an input beat."""

    what: str
    many: int
    stall: str = ANY

    @property
    def kind(self) -> str:
        """Name of the cross that the goal belongs to."""
        return "number of records that end in a beat"

    def __str__(self) -> str:
        return f"{self.many} {self.what} end in a beat"


class DroppedGoal(NamedTuple):
    """A goal: an empty record in lane ``lane``, which is dropped."""

    lane: int
    stall: str = ANY

    @property
    def kind(self) -> str:
        """Name of the cross that the goal belongs to."""
        return "empty record that is dropped × its lane"

    def __str__(self) -> str:
        return f"empty record in lane {self.lane}, dropped"


class QueueGoal(NamedTuple):
    """A goal: a packet with more of ``what`` than a queue holds, while these wait."""

    what: str
    stall: str

    @property
    def kind(self) -> str:
        """Name of the cross that the goal belongs to."""
        return "full queue × stall"

    def __str__(self) -> str:
        return f"more {self.what} than their queue holds, {self.stall}"


AnyLineGoal = LineGoal | BeatGoal | DroppedGoal | QueueGoal
"""A goal of this module."""
GOOD_ROWS, REJECTED_ROWS, SHORT_RECORDS = "rows of good records", "rows of rejected records", "records of one row"
BAD_RECORDS, PACKETS, RECORDS = "ill-formed records", "packets", "records"


def line_goals(parameters: TranscoderParameters, stalls: Sequence[str]) -> Iterator[AnyLineGoal]:
    """All goals of a core. ``stalls``: the names of the usual ones."""
    sidebands, lanes = parameters.sidebands, parameters.lanes
    if parameters.splits:
        yield from _split_goals(parameters, stalls)
        drops = sidebands.empty == "drop"
        # Each beat ends a packet where every record is cut after a beat.
        least = int(sidebands.longest == lanes and sidebands.delimiter == "keep" and not drops)
        yield from (BeatGoal(PACKETS, count) for count in range(least, (lanes // 2 + 1 if drops else lanes) + 1))
    if parameters.filters:
        yield from _filter_goals(parameters, stalls)
        yield from (BeatGoal(RECORDS, count) for count in range(lanes + 1))
        yield from (QueueGoal(what, OUTPUT_WAITS) for what in (GOOD_ROWS, SHORT_RECORDS))
        if sidebands.rejects:
            yield QueueGoal(REJECTED_ROWS, REJECTS_WAIT)
    if sidebands.record_report and parameters.reads.unit_bytes == 1 and parameters.reads.wrong:
        yield QueueGoal(BAD_RECORDS, REPORT_WAITS)
        yield from (BeatGoal(BAD_RECORDS, count) for count in range(lanes // 2 + 2))


def _places(lanes: int) -> Iterator[tuple[int, int, bool, int]]:
    """First lane, last lane, whether across beats, and the fewest bytes of such a record."""
    for first, last, across in product(range(lanes), range(lanes), (False, True)):
        size = last - first + 1 + across * lanes
        if size > 0:
            yield first, last, across, size


def _split_goals(parameters: TranscoderParameters, stalls: Sequence[str]) -> Iterator[LineGoal | DroppedGoal]:
    """The packets of a splitter: all that its ``longest`` permits."""
    sidebands, lanes = parameters.sidebands, parameters.lanes
    drops, longest = sidebands.delimiter == "drop", sidebands.longest
    afters = ("", "after a cut") if longest else ("",)
    # Later beats have no record of gaps.
    usual = stalls if longest is None or longest < GAP_BEATS * lanes else [OUTPUT_WAITS]
    for (first, last, across, size), found, stall in product(_places(lanes), afters, stalls):
        # The delimiter takes a lane, also where it is dropped.
        least = 2 if (drops and found) or (sidebands.empty == "drop" and not found) else 1
        if size >= least and (longest is None or size <= longest + drops):
            yield LineGoal(first, last, across, DELIMITED, found, stall)
        if longest is None or size <= longest:
            yield LineGoal(first, last, across, FINAL, found, stall)
        cut = longest and ((last - first + 1) % lanes, across) == (0, first + longest > lanes)
        if cut and stall in usual:
            yield LineGoal(first, last, across, CUT, found, stall)
    if sidebands.empty == "drop":
        yield from (DroppedGoal(lane) for lane in range(lanes))


def _filter_goals(parameters: TranscoderParameters, stalls: Sequence[str]) -> Iterator[LineGoal]:
    """The records of a filter, each with what is found of it."""
    longest = parameters.sidebands.longest
    assert longest is not None
    rejected = [OUTPUT_WAITS] if not parameters.sidebands.rejects else [REJECTS_WAIT]
    for (first, last, across, size), ends in product(_places(parameters.lanes), (DELIMITED, FINAL)):
        if size <= longest:
            yield from (LineGoal(first, last, across, ends, STAYS, stall) for stall in stalls)
            if size > (ends == DELIMITED):
                usual = [stall for stall in stalls if stall != OUTPUT_WAITS]
                yield from (LineGoal(first, last, across, ends, ILL_FORMED, stall) for stall in (*usual, *rejected))
        if across and longest <= MOST_LONG:
            yield from (LineGoal(first, last, across, ends, found, stall)
                        for found, stall in product((LONG, BOTH), (ANY, *rejected)))


class LinesMet(NamedTuple):
    """A packet with a right result: its ends, one for each output packet, and its rejected records."""

    packet: bytes
    ends: Sequence[PacketEnd]
    rejects: Sequence[RejectedRecord]


def lines_met(parameters: TranscoderParameters, seen: LinesMet) -> Iterator[tuple[AnyLineGoal, PacketEnd, int]]:
    """The goals that a packet meets, each with the packet's end and the beat that decide its stall.

    Beat -1: the goal has its stall already.
    """
    nothing = PacketEnd(0, 0, 0, 0, 0)
    if parameters.splits:
        yield from _split_met(parameters, seen)
    if parameters.filters:
        yield from _filter_met(parameters, seen)
    if parameters.sidebands.record_report and parameters.reads.unit_bytes == 1:
        bad = parameters.compute(seen.packet).records
        delimiter = parameters.sidebands.records
        assert delimiter is not None
        ends = _stops(seen.packet, delimiter)
        beats = Counter((stop - 1) // parameters.lanes for stop, wrong in zip(ends, bad, strict=True) if wrong)
        for beat in range(-(-len(seen.packet) // parameters.lanes)):
            yield BeatGoal(BAD_RECORDS, beats[beat]), nothing, -1
        [end] = seen.ends
        if sum(bad) >= 2 * QUEUE and end.record_waits >= QUEUE:
            yield QueueGoal(BAD_RECORDS, REPORT_WAITS), end, -1


def _stops(packet: bytes, delimiter: int) -> list[int]:
    """The place after each record's last byte."""
    stops = [0]
    for record in split_records(packet, delimiter):
        stops.append(stops[-1] + len(record))
    return stops[1:]


def _split_met(parameters: TranscoderParameters, seen: LinesMet) -> Iterator[tuple[AnyLineGoal, PacketEnd, int]]:
    sidebands, lanes = parameters.sidebands, parameters.lanes
    found = list(record_packets(seen.packet, sidebands))
    beats = Counter(each.last // lanes for each in found)
    nothing = PacketEnd(0, 0, 0, 0, 0)
    for beat in range(-(-len(seen.packet) // lanes)):
        yield BeatGoal(PACKETS, beats[beat]), nothing, -1
    after = False
    for each, end in zip(found, seen.ends, strict=True):
        ends = CUT if each.cut else DELIMITED if seen.packet[each.last] == sidebands.split else FINAL
        beat = each.last // lanes - each.first // lanes
        yield (LineGoal(each.first % lanes, each.last % lanes, beat > 0, ends, "after a cut" if after else ""), end,
               beat)
        after = each.cut
    if sidebands.empty == "drop":
        start = 0
        for stop in _stops(seen.packet, sidebands.split or 0):
            if seen.packet[start:stop] == bytes([sidebands.split or 0]):
                yield DroppedGoal(start % lanes), nothing, -1
            start = stop


def _filter_met(parameters: TranscoderParameters, seen: LinesMet) -> Iterator[tuple[AnyLineGoal, PacketEnd, int]]:
    sidebands, lanes = parameters.sidebands, parameters.lanes
    assert sidebands.filter is not None
    [end] = seen.ends
    rejected = {each.record: each for each in parameters.rejects(seen.packet)}
    waits = dict(zip(rejected, seen.rejects, strict=True)) if sidebands.rejects else {}
    stops = _stops(seen.packet, sidebands.filter)
    rows = Counter[str]()
    start = 0
    for number, stop in enumerate(stops):
        record, reject = seen.packet[start:stop], rejected.get(number)
        found = STAYS if reject is None else LONG if reject.error is None else BOTH if reject.long else ILL_FORMED
        ends = DELIMITED if record[-1] == sidebands.filter else FINAL
        beat = (stop - 1) // lanes
        goal = LineGoal(start % lanes, (stop - 1) % lanes, beat > start // lanes, ends, found)
        if found in (LONG, BOTH):
            yield goal, end, -1
        elif found == STAYS:
            yield goal, end, beat
        else:
            yield goal, replace(end, waits=0), beat
        if reject is not None and (waits[number].waits if sidebands.rejects else end.waits):
            yield goal._replace(stall=REJECTS_WAIT if sidebands.rejects else OUTPUT_WAITS), end, -1
        rows[GOOD_ROWS if reject is None else REJECTED_ROWS] += -(-len(record) // lanes)
        rows[SHORT_RECORDS] += len(record) <= lanes
        start = stop
    for what in (GOOD_ROWS, SHORT_RECORDS):
        if rows[what] >= 2 * QUEUE and end.waits >= QUEUE:
            yield QueueGoal(what, OUTPUT_WAITS), end, -1
    if rows[REJECTED_ROWS] >= 2 * QUEUE and sum(each.waits for each in seen.rejects) >= QUEUE:
        yield QueueGoal(REJECTED_ROWS, REJECTS_WAIT), end, -1
    beats = Counter((stop - 1) // lanes for stop in stops)
    for beat in range(-(-len(seen.packet) // lanes)):
        yield BeatGoal(RECORDS, beats[beat]), end, -1


def lines_for(parameters: TranscoderParameters, goal: AnyLineGoal, random: Random) -> bytes:
    """A packet that meets the goal, given the right stalls."""
    return _Lines(parameters, random).packet(goal)


class _Lines:
    """Makes packets of records."""

    def __init__(self, parameters: TranscoderParameters, random: Random) -> None:
        sidebands = parameters.sidebands
        found = (sidebands.split, sidebands.filter, sidebands.records)
        delimiter = next(each for each in found if each is not None)
        self._parameters, self._random = parameters, random
        self._lanes, self._longest = parameters.lanes, sidebands.longest
        self._end = bytes([delimiter])
        self._plain = bytes({*b"abc"} - {delimiter})
        wrong = ENCODINGS["utf-8"].wrong if parameters.filters else parameters.reads.wrong
        self._wrong = [each for each in wrong if delimiter not in each]

    def packet(self, goal: AnyLineGoal) -> bytes:
        match goal:
            case LineGoal():
                return self._line(goal)
            case BeatGoal():
                return self._beat(goal)
            case DroppedGoal():
                return self._before(goal.lane) + self._end + self._text(self._random.randrange(3))
            case QueueGoal():
                return self._queue(goal)

    def _text(self, size: int) -> bytes:
        return bytes(self._random.choices(self._plain, k=size))

    def _before(self, lane: int) -> bytes:
        """Bytes before a record that begins in ``lane``."""
        size = lane + self._lanes * self._random.randrange(2)
        found = bytes(self._random.choices(self._plain + self._end, k=size))
        return found[:-1] + self._end if found else b""

    def _line(self, goal: LineGoal) -> bytes:
        longest, size = self._longest or 0, goal.last - goal.first + 1 + goal.across * self._lanes
        after = longest if goal.found == "after a cut" else 0
        if goal.ends == CUT:
            return self._before(goal.first) + self._text(after + longest + 1) + self._end
        if goal.found in (LONG, BOTH):
            size += max(0, -(-(longest + 1 - size) // self._lanes)) * self._lanes
        size -= goal.ends == DELIMITED
        wrong = b""
        if goal.found in (ILL_FORMED, BOTH):
            wrong = self._random.choice([each for each in self._wrong if len(each) <= size])
        at = self._random.randint(0, size - len(wrong))
        record = self._text(after + at) + wrong + self._text(size - len(wrong) - at)
        if goal.ends == DELIMITED:
            record += self._end + self._text(self._random.randrange(3))
        return self._before(goal.first) + record

    def _beat(self, goal: BeatGoal) -> bytes:
        lanes, count, end = self._lanes, goal.many, self._end
        bad, drops = goal.what == BAD_RECORDS, self._parameters.sidebands.empty == "drop"
        unit = self._random.choice([each for each in self._wrong if len(each) == 1]) if bad else self._text(1)
        if not bad and not drops:
            if count == 0:
                # A delimiter in the next beat, before a cut is due.
                return self._text(lanes) + (end if self._longest == lanes else self._text(lanes))
            return end * count + self._text(2 * lanes - count)
        if count == 0:
            return end * lanes
        if count > lanes // 2:
            return unit * lanes + end + (unit + end) * (lanes // 2 - 1) + unit * (lanes > 1)
        return (unit + end) * count + self._text(2 * lanes - 2 * count)

    def _queue(self, goal: QueueGoal) -> bytes:
        size = min(self._longest or 1, 8 * self._lanes)
        rows = -(-size // self._lanes)
        match goal.what:
            case what if what == GOOD_ROWS:
                record = self._text(size - 1)
            case what if what == REJECTED_ROWS:
                record = b"\xFF" + self._text(max(0, size - 2))
            case what if what == SHORT_RECORDS:
                record, rows = self._text(min(1, self._lanes - 1)), 1
            case _:
                record, rows = self._random.choice(self._wrong), 1
        return (record + self._end) * (2 * QUEUE // rows + 8)
