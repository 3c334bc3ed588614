"""The goals of functional coverage of cores with flows: texts cut in segments.

A core of four lanes, and the € of a text cut in two, after another flow's segment:

    3:61 E2 82+    cut after the second byte of a rule, the segment's last byte in lane 2; it leaves two bytes
    1:41           a segment of another flow
    3:AC           begins with two carried bytes, ends in lane 0 of its first beat, and closes the text

The cut is no error, but a sequence that the text's end cuts short is one.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from runewire_model import Encoding, TranscoderParameters
from runewire_model.encodings.base import Rule

NEXT, OTHERS, SINGLE = (
    "then its flow's next segment", "then other flows' segments", "in segments of one byte, one after another")
"""The packets after a cut."""
WELL_FORMED, BEFORE, AFTER = "well-formed", "ill-formed before the cut", "ill-formed after the cut"
"""The verdict of a record that a segment's end cuts, and where its first error begins."""
DELIMITER, TEXT_END, EMPTY_END = "its delimiter", "the text's end", "an empty segment"
"""What ends such a record."""
NO_ERROR, IN_FIRST, IN_LATER, CARRIED, KNOWN = (
    "no error yet", "the first error in the text's first segment", "the first error in a later segment",
    "the first error begins in an earlier segment", "the error of an earlier segment")
"""What a segment's report has, by where the text's first error is."""
CLOSES = -1
"""`SegmentGoal.left` of a segment that closes its text."""
ADDED = "added"
"""`MarkGoal.order` of a mark that the core adds."""
BYTES = {1: b"\x41\x98\xC3\xE2\xF0", 2: b"\x41\xD8\xDC", 4: b"\0\x41"}
"""By the bytes of a unit, bytes that make up unfinished characters of each length, and complete ones."""
SAME = 12
"""Bytes of a segment above which the lengths that it may leave depend only on its length in whole units."""


class CutGoal(NamedTuple):
    """A goal: a sequence of ``rule``, cut ``at`` that many bytes by the end of a segment whose last byte is in input
    ``lane``.

    ``at`` may be the sequence's length. ``then``: `NEXT`, `OTHERS`, or `SINGLE`, where each byte is a segment and
    ``at`` is 0. ``stall``: the stall of the next segment's first beat.
    """

    rule: Rule
    at: int
    lane: int
    then: str
    stall: str = ""

    @property
    def kind(self) -> str:
        """Name of the cross that the goal belongs to."""
        if self.then == SINGLE:
            return "rule in segments of one byte × stall"
        return "rule × byte before a segment's end × its lane × next packet × stall"

    def __str__(self) -> str:
        if self.then == SINGLE:
            return ", ".join(filter(None, [f"{self.rule.name} {self.then}", self.stall]))
        what = f"{self.rule.name} cut after byte {self.at} by a segment's end in lane {self.lane}"
        return ", ".join(filter(None, [what, self.then, self.stall]))


class SegmentGoal(NamedTuple):
    """A goal: a segment that begins with ``carried`` bytes of the segment before and leaves ``left`` to the next.

    ``first``: it begins a text. ``last``: input lane of its last byte, None for an empty segment. ``later``: that is in
    a beat after its first. ``left`` is `CLOSES` if the text ends. ``stall``: of its first beat.
    """

    first: bool
    carried: int
    last: int | None
    later: bool
    left: int
    stall: str = ""

    @property
    def kind(self) -> str:
        """Name of the cross that the goal belongs to."""
        return "segment's carried bytes × last lane × first or later beat × bytes left or text's end × stall"

    def __str__(self) -> str:
        beat = "a later" if self.later else "its first"
        size = "empty" if self.last is None else f"to lane {self.last} of {beat} beat"
        return ", ".join(filter(None, [
            f"{'first' if self.first else 'later'} segment {size}", f"{self.carried} bytes carried",
            "closes the text" if self.left == CLOSES else f"leaves {self.left} bytes", self.stall]))


class MarkGoal(NamedTuple):
    """A goal: a byte order mark in ``order`` at a text's start, cut after ``at`` bytes by a segment's end.

    ``order`` is `ADDED` and ``at`` 0 for an added mark, whose segment is empty.
    """

    order: str
    at: int
    then: str
    stall: str = ""

    @property
    def kind(self) -> str:
        """Name of the cross that the goal belongs to."""
        return "byte order mark × byte before a segment's end × next packet × stall"

    def __str__(self) -> str:
        cut = f"{self.order} mark cut after byte {self.at}"
        what = "added mark in an empty segment" if self.order == ADDED else cut
        return ", ".join(filter(None, [what, self.then, self.stall]))


class RecordCutGoal(NamedTuple):
    """A goal: a record with the verdict ``found`` that a segment's end cuts, and that ``ends`` ends.

    ``stall``: of the first beat after the cut.
    """

    found: str
    ends: str
    then: str
    stall: str = ""

    @property
    def kind(self) -> str:
        """Name of the cross that the goal belongs to."""
        return "record cut by a segment's end × verdict × end × next packet × stall"

    def __str__(self) -> str:
        return ", ".join(filter(None, [
            f"record cut by a segment's end, {self.found}, before {self.ends}", self.then, self.stall]))


class ErrorGoal(NamedTuple):
    """A goal: a segment whose report has what ``error`` says. ``more``: the text continues."""

    error: str
    more: bool
    stall: str = ""

    @property
    def kind(self) -> str:
        """Name of the cross that the goal belongs to."""
        return "report of a segment × text continues × stall"

    def __str__(self) -> str:
        return ", ".join(filter(None, [f"report of {self.error}", "more" if self.more else "text's end", self.stall]))


AnySegmentGoal = CutGoal | SegmentGoal | MarkGoal | RecordCutGoal | ErrorGoal
"""A goal of this module."""


def segment_goals(parameters: TranscoderParameters) -> Iterator[AnySegmentGoal]:
    """All goals of a core about segments, under any stall; none for a core without flows."""
    side, reads, lanes = parameters.sidebands, parameters.reads, range(parameters.input_bytes)
    if side.flows is None:
        return
    thens = (NEXT, OTHERS) if side.flows > 1 else (NEXT,)
    for rule in reads.rules:
        yield CutGoal(rule, 0, 0, SINGLE)
        yield from (CutGoal(rule, at, lane, then)
                    for at, lane, then in product(range(1, longest(reads, rule) + 1), lanes, thens))
    yield from _segments(parameters)
    yield from (MarkGoal(title, at, then) for (title, mark), then in product(marks_of(parameters).items(), thens)
                for at in range(1, len(mark) + 1))
    if parameters.mark:
        yield from (MarkGoal(ADDED, 0, then) for then in thens)
    if side.report != "none":
        yield from (ErrorGoal(error, more)
                    for error, more in product((NO_ERROR, IN_FIRST, IN_LATER, CARRIED, KNOWN), (False, True)))
    if side.records is not None:
        every = product((WELL_FORMED, BEFORE, AFTER), (DELIMITER, TEXT_END, EMPTY_END), thens)
        yield from (RecordCutGoal(*each) for each in every if each[:2] != (AFTER, EMPTY_END))


def marks_of(parameters: TranscoderParameters) -> dict[str, bytes]:
    """The byte order marks that matter to a core, by the title of their encoding."""
    reads = parameters.reads
    if parameters.bom == "keep" and not reads.orders[1:]:
        return {}
    return {order.title: mark for order in reads.orders for mark in order.byte_order_marks}


def longest(reads: Encoding, rule: Rule) -> int:
    """Bytes of the longest sequence of a rule."""
    return rule.units * reads.unit_bytes - (rule.ended == "inside")


def _segments(parameters: TranscoderParameters) -> Iterator[SegmentGoal]:
    """All segments that the encoding has."""
    reads, width = parameters.reads, parameters.input_bytes
    for first, carried in ((True, 0), *((False, carried) for carried in range(4))):
        if not any(carried in carries(reads, 0, size) for size in range(4)):
            continue
        for last, later in ((None, False), *product(range(width), (False, True))):
            size = 0 if last is None else last + 1 + later * width
            # Wider units leave the same bytes after one beat as after any number.
            for left in sorted({left for more in (range(0, 4 * width, width) if later else (0,))
                                for left in carries(reads, carried, size + more)}):
                yield SegmentGoal(first, carried, last, later, left)
            yield SegmentGoal(first, carried, last, later, CLOSES)


def carries(reads: Encoding, carried: int, size: int) -> set[int]:
    """The numbers of bytes that a segment of ``size`` bytes may leave after ``carried`` ones."""
    size = size if size <= SAME else SAME - 4 + size % 4
    return {len(state) for state in reached(reads.orders[0], carried, size)[-1]}


@cache
def reached(reads: Encoding, carried: int, size: int) -> tuple[frozenset[bytes], ...]:
    """The unfinished characters that may be under way after 0 to ``size`` bytes of `BYTES`, the first ones with
    ``carried`` bytes."""
    every = {b""}
    for _ in range(3):
        every |= {state for start in every for state in steps(reads, start).values()}
    found = [frozenset(state for state in every if len(state) == carried)]
    for _ in range(size):
        found.append(frozenset(state for start in found[-1] for state in steps(reads, start).values()))
    return tuple(found)


@cache
def steps(reads: Encoding, state: bytes) -> dict[int, bytes]:
    """The unfinished character after each byte of `BYTES` that follows ``state``."""
    found = {}
    for byte in BYTES[reads.unit_bytes]:
        after = state + bytes([byte])
        found[byte] = after[len(after) - reads.unfinished(after):]
    return found
