"""Waiting beats of the cycle model: before a core's input, in the lines of its input stage, and in a byte line.

A line of one place, and the beats A and B of a packet, B its last:

    cycle     0    1    2    3
    comes     A    -    B    -
    held           A    A    B
    leaves              A    B

A leaves with the beat that it waits for, B at once. The model counts the line's length elsewhere: A leaves in cycle 1,
B in cycle 2.
"""

from collections import deque
from collections.abc import Iterable, Iterator

from .packet_beats import MOST_CARRIED, Beat

NEVER_LEAVES = Beat(last=False, rows=(), returns=False)
"""A byte that a text without an end leaves in a byte line."""


class Waiting:
    """The beats that are still to come. ``next``: the next one of the input; extra beats go before it."""

    def __init__(self, beats: Iterable[Beat]) -> None:
        self._beats = iter(beats)
        self._extra: deque[Beat] = deque()
        self.next: Beat | None = None
        self._advance()

    def _advance(self) -> None:
        self.next = next(self._beats, None)
        while self.next is not None and self.next.extra:
            self._extra.append(self.next)
            self.next = next(self._beats, None)

    def take(self, *, offered: bool) -> Beat | None:
        """The beat that enters, if one can. ``offered``: `valid` is high for the next one of the input."""
        if self._extra:
            return self._extra.popleft()
        beat = self.next
        if beat is not None and offered:
            self._advance()
            return beat
        return None

    @property
    def empty(self) -> bool:
        """Whether no beat is left."""
        return self.next is None and not self._extra


class Lines:
    """The lines in which beats wait for further ones of their packet: for the carry of segments, and for lookahead."""

    def __init__(self, carry: int, lookahead: int) -> None:
        """``lookahead``: of both lines."""
        self._carry, self._ahead = carry, lookahead - carry
        self._carried: deque[Beat] = deque()
        self._held: deque[Beat] = deque()

    def enter(self, beat: Beat | None, cycle: int) -> Iterator[tuple[Beat, int]]:
        """The beats that leave because ``beat`` comes, each with its cycle; the lines' length is not in it. None: no
        beat comes."""
        if beat is None:
            return
        line = self._carried
        line.append(beat)
        # A packet's beats all move on with its last one.
        while line and (not self._carry or beat.ends or beat.extra or len(line) > self._carry):
            wait = len(line) - 1
            left = line.popleft()
            if left.dropped:
                yield left, cycle - wait
            else:
                yield from self._look_ahead(left, cycle - wait)

    def _look_ahead(self, beat: Beat, cycle: int) -> Iterator[tuple[Beat, int]]:
        held = self._held
        held.append(beat)
        while held and (beat.last or len(held) > self._ahead):
            wait = len(held) - 1
            yield held.popleft(), cycle - wait


class ByteLine(Lines):
    """The byte line of a core: `runewire_rtl.segments.byte_line` has its rules. The line for lookahead follows.

    Its input beats have no rows: the beats that leave come in another order, the end of a segment before the bytes that
    stay for the next one.
    """

    def __init__(self, beats: Iterable[Beat], lookahead: int) -> None:
        """``beats``: as they leave. ``lookahead``: of both lines."""
        super().__init__(MOST_CARRIED, lookahead)
        self._bytes = deque[Beat]()
        # Each end with the number of bytes that leave before it.
        self._ends = deque[tuple[Beat, int]]()
        for beat in beats:
            if beat.extra:
                self._ends.append((beat, len(self._bytes)))
            else:
                self._bytes.append(beat)
        self._entered = 0
        self._places: list[Beat | None] = [None] * MOST_CARRIED

    def enter(self, beat: Beat | None, cycle: int) -> Iterator[tuple[Beat, int]]:
        places, item = self._places, None
        if beat is not None and beat.extra:
            item, sent = self._ends.popleft()
            at = self._entered - sent
        elif beat is not None and not beat.dropped:
            at, item = 0, self._bytes.popleft() if self._bytes else NEVER_LEAVES
            self._entered += 1
        else:
            # An end moves on with all before it, whether a byte comes or not.
            at = next((at for at, each in enumerate(places) if each is not None and each.extra), MOST_CARRIED)
        self._places = [*places[:at], item, *places[at:]]
        left = self._places.pop()
        if left is not None:
            # A segment's end comes a cycle after its last beat.
            yield from self._look_ahead(left, cycle - 1 - MOST_CARRIED)
