"""Waiting beats of the cycle model: before a core's input, and in the lines of its input stage.

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

from .packet_beats import Beat


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

    def enter(self, beat: Beat, cycle: int) -> Iterator[tuple[Beat, int]]:
        """The beats that leave because ``beat`` comes, each with its cycle; the lines' length is not in it."""
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
