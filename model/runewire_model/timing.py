"""Timing of a core, for the cycle model: the length of each phase of a beat's way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

READ = 5
"""Cycles from a row's push until it is read from the buffer."""
OUTPUT = READ + 2
"""Cycles from a row's push until `valid` is high for it at the output."""

RECORD_BUFFER = 9
"""Cycles from a row's transfer into a record buffer to its first cycle at the good output, if nothing waits."""


class Timing(NamedTuple):
    """Timing of one core: cycles, but rows for ``depth`` and beats for ``lookahead``.

    ``entry``: from a transfer to the start of the pipeline, if the beat need not wait.
    ``decide``: from there until the rows that a beat fills are known and its credit may be returned. Negative where the
    beat is left out before it starts.
    ``push``: from there until a row of the beat is pushed, if it is pushed at once.
    ``late``: 1 if a packet's last row is pushed a cycle later (dense), else 0.
    ``depth``: rows of the output buffer, and credits.
    ``lookahead``: further beats of its packet that a beat waits for, unless the last one comes sooner.
    ``early``: cycles from the look at the credits until the beat that they allow is taken.
    ``skid``: whether a skid buffer for one row follows the output buffer.
    """

    entry: int
    decide: int
    push: int
    late: int
    depth: int
    lookahead: int
    early: int = 0
    skid: bool = False

    @property
    def latency(self) -> int:
        """Cycles from the transfer of a packet's last input beat until `valid` is high for its last output beat."""
        return self.entry + self.push + self.late + OUTPUT


class CompactTiming(NamedTuple):
    """Timing of one compact core, in cycles without a stall.

    ``lookahead``: further beats of its packet that a beat waits for, unless the last one comes sooner.
    ``registers``: cycles from there to the output.
    """

    lookahead: int
    registers: int

    @property
    def latency(self) -> int:
        """Cycles from the transfer of a packet's last input beat until `valid` is high for its last output beat. If the
        input beat ends two rows, the first of these counts."""
        return self.lookahead + self.registers


class RecordBufferTiming(NamedTuple):
    """Timing of a filter's record buffer, in rows.

    ``depth``: rows of its store. ``records``: rows of its judgements. ``queue``: rows of the queue before the rejects.
    ``credits``: of the packer that follows, which must be left when a row leaves the store.
    """

    depth: int
    records: int
    queue: int
    credits: int

    @property
    def latency(self) -> int:
        """Cycles from a row's transfer until `valid` is high for it at the good output, if its record ends with it."""
        return RECORD_BUFFER


class RecordReportTiming(NamedTuple):
    """Timing of a core with a record report. ``core``: of the core alone. ``queue``: from an input beat to its row in
    the report's queue. ``rows``: from a turn of that row to a beat of the report."""

    core: Timing
    queue: Timing
    rows: Timing

    @property
    def latency(self) -> int:
        """Cycles from the transfer of a packet's last input beat until `valid` is high for its last output beat."""
        return self.core.latency


class JoinedTiming(NamedTuple):
    """Timing of cores that follow each other, for example a packer and a decoder: the timing of the first ones, and of
    the last."""

    before: AnyTiming
    core: OneTiming

    @property
    def latency(self) -> int:
        """Cycles from the transfer of a packet's last input beat until `valid` is high for its last output beat."""
        return self.before.latency + self.core.latency


OneTiming = Timing | CompactTiming | RecordBufferTiming | RecordReportTiming
AnyTiming = OneTiming | JoinedTiming


def each(time: AnyTiming) -> list[OneTiming]:
    """The timing of each core, in the order of a beat's way."""
    return [*each(time.before), time.core] if isinstance(time, JoinedTiming) else [time]


def joined(times: Sequence[AnyTiming]) -> AnyTiming:
    """The timing of cores that follow each other."""
    first, *rest = (one for time in times for one in each(time))
    found: AnyTiming = first
    for one in rest:
        found = JoinedTiming(found, one)
    return found
