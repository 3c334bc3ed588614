"""The cycle model of one core: the cycles in which its beats enter and its rows leave.

`timeline` has the rules, and joins several cores.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .beat_lines import Lines, Waiting
from .packet_beats import Beat
from .timing import READ, CompactTiming, RecordReportTiming, Timing

Pauses = Callable[[int], bool]
"""Whether a side pauses in a cycle: the source keeps `valid` low for a new beat, or the sink keeps `ready` low."""

CREDIT_LOOP = 3
"""Cycles from a transfer, a read or a returned credit until the credit count shows it."""


@dataclass(frozen=True)
class Transfers:
    """The beats of one stream: for each the first cycle with `valid` high, and the cycle of its handshake."""

    offered: list[int]
    taken: list[int]

    @property
    def waits(self) -> list[range]:
        """Cycles in which `valid` is high and `ready` low: stalls by the core at the input, by the sink at the
        output."""
        return [range(*pair) for pair in zip(self.offered, self.taken, strict=True) if pair[0] < pair[1]]

    @property
    def gaps(self) -> list[range]:
        """Cycles between two beats with `valid` low: pauses of the source at the input, of the core at the output."""
        pairs = zip(self.taken, self.offered[1:], strict=False)
        return [range(before + 1, after) for before, after in pairs if before + 1 < after]


class Together:
    """A compact core: a global stall. All registers wait while the output does, and for one more cycle while the second
    of two rows is output.

    Pipeline positions are counted in the cycles without a stall.
    """

    def __init__(self, beats: Iterable[Beat], time: CompactTiming, lines: Lines, source: Pauses,
                 sink: Pauses) -> None:
        self.input, self.output = Transfers([], []), Transfers([], [])
        self._time, self._lines = time, lines
        self._source, self._sink = source, sink
        self._waiting = Waiting(beats)
        self._offered = False
        self._skid: Beat | None = None
        self._starts: dict[int, Beat] = {}
        self._now = 0
        self.left = -1
        self.shown = self._rest = False

    @property
    def unfinished(self) -> bool:
        """Whether beats are still to come."""
        return not self._waiting.empty

    def step(self, cycle: int) -> None:
        ready = not self._sink(cycle)
        if self.shown and ready:
            self.output.taken.append(cycle)
        self._offer(cycle)
        passed = self._skid or self._take(cycle)
        self._skid = None
        if self.shown and not ready:
            self._skid = passed
            return
        if self._rest:
            self._skid = passed
            rows, self._rest = 1, False
        else:
            rows = self._move(passed)
            self._rest = rows == 2
        self.shown = rows > 0
        if self.shown:
            self.output.offered.append(cycle + 1)

    def _offer(self, cycle: int) -> None:
        if self._waiting.next is not None and not self._offered and not self._source(cycle):
            self._offered = True
            self.input.offered.append(cycle)

    def _take(self, cycle: int) -> Beat | None:
        """The beat that is taken in this cycle: an input beat, or one that stalls the input: an added mark, an extra
        one."""
        beat = self._waiting.take(offered=self._offered)
        if beat is not None and not beat.mark and not beat.extra:
            self.input.taken.append(cycle)
            self.left = cycle
            self._offered = False
        return beat

    def _move(self, passed: Beat | None) -> int:
        """Advance the pipeline by one step, with the beat that enters. Returns the number of rows that it ends."""
        for beat, step in self._lines.enter(passed, self._now):
            self._starts[step + self._time.lookahead] = beat
        left = self._starts.pop(self._now - self._time.registers + 1, None)
        self._now += 1
        return 0 if left is None else len(left.rows)


class Free:
    """A core without a global stall: only beats at the input wait, for credits, and rows in the buffer.

    ``report``: the core's record report, which asks for a credit of its own.
    """

    def __init__(self, beats: Iterable[Beat], time: Timing, lines: Lines, source: Pauses, sink: Pauses,
                 report: RecordReport | None = None) -> None:
        self._way = way = Way(time)
        ways = [way] if report is None else [way, report.way]
        self._report = report
        self._entering, self._leaving = Entering(beats, ways, lines, source), Leaving(way, sink)
        self.input, self.output = self._entering.beats, self._leaving.rows

    @property
    def shown(self) -> bool:
        """Whether a row is at the output."""
        return self._leaving.shown

    @property
    def left(self) -> int:
        """The last cycle in which an input beat was taken completely."""
        return self._entering.left

    @property
    def credits(self) -> int:
        """The credits that the input sees."""
        return self._way.credit

    @property
    def unfinished(self) -> bool:
        """Whether beats are still to come."""
        return self._entering.unfinished

    def step(self, cycle: int) -> None:
        if self._report is not None:
            self._report.step(cycle)
        self._entering.step(cycle)
        self._leaving.step(cycle)


class RecordReport:
    """A record report behind its core: a queue with a row for each beat, then a turn for each ill-formed record.

    ``turns``: of the core's beats, in order. ``sink``: the stream's.
    """

    def __init__(self, turns: Iterable[Beat], time: RecordReportTiming, sink: Pauses) -> None:
        self.way = Way(time.queue, in_place=True)
        self._turns = Free(turns, time.rows, Lines(0, 0), lambda cycle: not self._queue.shown, sink)
        self._queue = Leaving(self.way, lambda cycle: self._turns.left != cycle)
        self.output = self._turns.output

    def step(self, cycle: int) -> None:
        # A turn sees the beat that the queue shows since the cycle before.
        self._turns.step(cycle)
        self._queue.step(cycle)


class Way:
    """The state between the two sides of a core: beats in the pipeline, and credits on their way back.

    ``pushes``: the cycles in which rows are pushed, in order. ``credits``: the change of the credit count, by the cycle
    in which the input sees it. ``credit``: the count at the input. ``in_place``: each beat is one row, unless it is
    left out.
    """

    def __init__(self, time: Timing, *, in_place: bool = False) -> None:
        self.time = time
        self.pushes: deque[int] = deque()
        self.credits = defaultdict[int, int](int)
        self.credit = time.depth
        self._in_place = in_place

    def start(self, beat: Beat, cycle: int) -> None:
        """The beat enters the pipeline."""
        one_row = self._in_place and not beat.dropped
        self.pushes.extend(cycle + self.time.push + delay for delay in ((0,) if one_row else beat.rows))
        if beat.returns and not one_row:
            self.credits[cycle + self.time.decide + CREDIT_LOOP] += 1


class Entering:
    """The input side: beats are taken against a credit of each way, and held until their lookahead is complete. All
    ways have the same lines."""

    def __init__(self, beats: Iterable[Beat], ways: Sequence[Way], lines: Lines, source: Pauses) -> None:
        self.beats = Transfers([], [])
        self._ways, self._lines = ways, lines
        self._source = source
        self._waiting = Waiting(beats)
        self._offered = False
        self._entry = ways[0].time.entry
        self._early = ways[0].time.early
        self._seen = deque([ways[0].credit] * self._early)
        self.left = -1

    def step(self, cycle: int) -> None:
        waiting = self._waiting
        for way in self._ways:
            way.credit += way.credits.pop(cycle, 0)
        if waiting.next is not None and not self._offered and not self._source(cycle):
            self._offered = True
            self.beats.offered.append(cycle)
        self._seen.append(min(way.credit for way in self._ways))
        accepts = self._seen.popleft() >= CREDIT_LOOP + self._early
        beat = waiting.take(offered=self._offered) if accepts else None
        if beat is None:
            return
        if not beat.idle:
            for way in self._ways:
                way.credits[cycle + CREDIT_LOOP] -= 1
            for left, start in self._lines.enter(beat, cycle + self._entry):
                for way in self._ways:
                    way.start(left, start)
        # A beat at the input waits while its packet's mark goes first, or extra beats of the packet before.
        if not beat.mark and not beat.extra:
            self.beats.taken.append(cycle)
            self.left = cycle if beat.leaves else self.left
            self._offered = False

    @property
    def unfinished(self) -> bool:
        return not self._waiting.empty


class Leaving:
    """The output side: rows become readable, are fetched, shown and taken. At most one is fetched and one shown.

    With a skid buffer a row that is shown leaves the output buffer in any case, and waits in the skid buffer if the
    output is not ready. The next one is at the output when that one is gone.
    """

    def __init__(self, way: Way, sink: Pauses) -> None:
        self.rows = Transfers([], [])
        self._way = way
        self._sink = sink
        self._readable = 0
        self._fetched = self._shown = self._waits = False

    @property
    def shown(self) -> bool:
        """Whether a row is at the output."""
        return self._shown or self._waits

    def step(self, cycle: int) -> None:
        rows, pushes = self.rows, self._way.pushes
        fetched, shown = self._fetched, self._shown
        taken = ready = not self._sink(cycle)
        if self.shown and taken:
            rows.taken.append(cycle)
        if self._way.time.skid:
            # The output buffer sees that no row waits, and not whether the output is ready.
            ready = not self._waits
            self._waits = self.shown and not taken
        if (fetched or (shown and not ready)) and not self._waits and (taken or not shown):
            rows.offered.append(cycle + 1)
        if pushes and pushes[0] + READ <= cycle:
            pushes.popleft()
            self._readable += 1
        stalled = shown and fetched and not ready
        reads = self._readable > 0 and not stalled
        if reads:
            self._way.credits[cycle + CREDIT_LOOP] += 1
            self._readable -= 1
        self._shown, self._fetched = fetched or (shown and not ready), reads or stalled
