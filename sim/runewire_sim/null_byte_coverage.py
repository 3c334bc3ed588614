"""Functional coverage of null bytes: by lane and place in the beat, and beats without any byte.

Four lanes, and the packet ``61 62`` in three beats:

    lane    0    1    2    3
            61   -    -    -     null bytes after the bytes of a beat, in lanes 1 to 3
            -    -    62   -     before them in lanes 0 and 1, after them in lane 3
            -    -    -    -     a packet's last beat, without a byte
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from runewire_model import TranscoderParameters

PLACES = ("before the bytes of a beat", "between the bytes of a beat", "after the bytes of a beat before the last")
"""Where a null byte is in its beat. After the bytes of a last beat any core takes them."""
EMPTY = ("a first beat without bytes", "a middle beat without bytes", "a last beat without bytes")
"""Beats without a byte, in packets of several beats."""


class NullByteGoal(NamedTuple):
    """A goal: a null byte in input byte lane ``lane`` at a place of `PLACES`, or a beat of `EMPTY`, where ``lane`` is
    None.

    ``stall``: the stall of the beat, "" for any.
    """

    where: str
    lane: int | None
    stall: str = ""

    @property
    def kind(self) -> str:
        """Name of the cross that the goal belongs to."""
        return "beat without bytes × stall" if self.lane is None else "null byte × its lane × place in the beat × stall"

    def __str__(self) -> str:
        what = self.where if self.lane is None else f"null byte in lane {self.lane} {self.where}"
        return ", ".join(filter(None, [what, self.stall]))


def null_byte_goals(parameters: TranscoderParameters) -> Iterator[NullByteGoal]:
    """All goals of a core about null bytes, under any stall; none for a core without null bytes anywhere."""
    if not parameters.holes:
        return
    last = parameters.input_bytes - 1
    before, between, after = PLACES
    for where, lanes in ((before, range(last)), (between, range(1, last)), (after, range(1, last + 1))):
        yield from (NullByteGoal(where, lane) for lane in lanes)
    yield from (NullByteGoal(where, None) for where in EMPTY)


def null_bytes_met(beats: Iterable[tuple[int, bool]], width: int) -> Iterator[tuple[NullByteGoal, int]]:
    """The null bytes of a packet, each with its beat. ``beats``: ``tkeep`` and ``tlast`` of each, ``width`` lanes."""
    before, between, after = PLACES
    for beat, (keep, last) in enumerate(beats):
        if not keep:
            if beat or not last:
                yield NullByteGoal(EMPTY[2 if last else min(beat, 1)], None), beat
            continue
        first, end = (keep & -keep).bit_length() - 1, keep.bit_length()
        for lane in range(width):
            if lane < first:
                yield NullByteGoal(before, lane), beat
            elif lane >= end:
                if not last:
                    yield NullByteGoal(after, lane), beat
            elif not keep >> lane & 1:
                yield NullByteGoal(between, lane), beat
