"""The cycle model of a filter's record buffer: rows of records in, good rows and rejected ones out.

A row of one beat, in a record of its own, while nothing waits:

    cycle         0       1     2       3         4         5      6        7     8       9
    row           taken   push  judged  compared  readable  fetch  fetched  sent  judged  at the output

The hardware has the same registers: `runewire_rtl.filtering` describes them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from .filtering import TEXT
from .port_cycles import Port
from .records import split_records
from .timing import RecordBufferTiming

if TYPE_CHECKING:
    from .transcoder import TranscoderParameters

HOLLOW = b"\0"
"""The byte that a packet without bytes gets before the buffer."""


class BufferRow(NamedTuple):
    """A row at the buffer. ``size``: its bytes. ``last``: it ends its record. ``judges``: its record's judgement is
    known with it. ``reject``: the record is rejected. ``ends``: it ends its packet."""

    size: int
    last: bool
    judges: bool
    reject: bool
    ends: bool

    @property
    def stays(self) -> bool:
        """Whether the row goes to the good output: a packet's end does in any case."""
        return not self.reject or self.ends

    @property
    def bytes_left(self) -> int:
        """Its bytes at the good output."""
        return 0 if self.reject else self.size


def buffer_rows(parameters: TranscoderParameters, packet: bytes) -> Iterator[BufferRow]:
    """The rows of a packet at the buffer, record by record."""
    sidebands, lanes = parameters.sidebands, parameters.lanes
    assert sidebands.filter is not None
    assert sidebands.longest is not None
    if not packet:
        yield BufferRow(0, last=True, judges=True, reject=False, ends=True)
    at = 0
    for record in split_records(packet, sidebands.filter):
        at += len(record)
        reject = len(record) > sidebands.longest or TEXT.first_error(record) is not None
        for start in range(0, len(record), lanes):
            last = start + lanes >= len(record)
            yield BufferRow(min(lanes, len(record) - start), last, last or start + lanes >= sidebands.longest, reject,
                            last and at == len(packet))


class RecordBuffer:
    """The record buffer of the cycle model: a stream of rows in, the good rows out.

    ``source``: no row comes in this cycle. ``credits_left``: those that the packer after it has left; its port never
    makes a row wait. ``rejects_sink``: the rejected row at the port stays; None without that port. ``shown``: a good
    row is at the output. ``left``: the last cycle in which a row was taken. ``rejects_offered``, ``rejects_taken``: of
    each rejected row, the first cycle at the port and the cycle of its handshake.
    """

    def __init__(self, rows: Iterable[BufferRow], time: RecordBufferTiming, source: Callable[[int], bool],
                 credits_left: Callable[[], int], rejects_sink: Callable[[int], bool] | None) -> None:
        self._todo = iter(rows)
        self._time = time
        self._source, self._credits_left, self._rejects_sink = source, credits_left, rejects_sink
        self._judgements = _Level()
        self._rejects, self._port = _Queue(time.queue), Port()
        self._stored: deque[BufferRow] = deque()
        # A row on its way through each register: entering, and after the store.
        self._entering: BufferRow | None = None
        self._leaving: deque[BufferRow | None] = deque([None] * 4)
        # Numbers of rows that were taken, pushed, judged and fetched; fetched before the last cycle.
        self._taken = self._pushed = self._judged = self._fetched = self._left = 0
        self._told: int | None = None
        self._room = self._more = self._room_behind = True
        self._some = self.shown = False
        self._compared = 0
        self.left = -1
        self.rejects_offered, self.rejects_taken = self._port.offered, self._port.taken

    def step(self, cycle: int) -> None:
        time = self._time
        # The queue's first: the store sees its registers, and the packer's.
        behind = self._room_behind and self._rejects.room
        self._room_behind = self._credits_left() >= time.credits
        _, sent, _, pushed = self._leaving
        if self._rejects_sink is not None:
            take = self._rejects.shown and self._port.room
            self._port.step(cycle, take, self._rejects_sink(cycle))
            self._rejects.step(pushed is not None and pushed.reject, take)

        fetches = self._some and behind
        self._some = self._compared > self._fetched + fetches
        self._compared = self._judged
        takes = self._room and not self._source(cycle)
        self._room = self._more and self._taken + takes - self._left < time.depth
        self._more = self._judgements.count < time.records // 2
        self._left = self._fetched
        row = self._entering
        self._judgements.step(row is not None and row.last, sent is not None and sent.last)
        if self._told is not None:
            self._judged = self._told
        self._pushed += row is not None
        self._told = self._pushed if row is not None and row.judges else None
        self._leaving.pop()
        self._leaving.appendleft(self._stored.popleft() if fetches else None)
        self.shown = self._leaving[-1] is not None and self._leaving[-1].stays
        self._fetched += fetches
        self._entering = None
        if takes:
            self._entering = next(self._todo)
            self._stored.append(self._entering)
            self._taken += 1
            self.left = cycle


class _Level:
    """A number that shows each change two cycles later."""

    def __init__(self) -> None:
        self.count = 0
        self._change = 0

    def step(self, up: bool, down: bool) -> None:
        self.count += self._change
        self._change = up - down


class _Queue:
    """A queue: ``depth`` rows of memory, and the first value in a register."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._level = _Level()
        self._waiting = 0
        self._some = self._fetched = self._gone = self.shown = False

    @property
    def room(self) -> bool:
        return self._level.count < self._depth // 2

    def step(self, push: bool, pop: bool) -> None:
        moves = not self.shown or pop
        free = not self._fetched or moves
        fetches = self._some and free
        self._some = self._waiting > fetches
        self._waiting += push - fetches
        self._level.step(push, self._gone)
        self._gone = fetches
        if moves:
            self.shown = self._fetched
        if free:
            self._fetched = fetches
