"""Functional coverage of cores with flows: what the segments of a run meet, and segments that aim at a goal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from runewire_model import FirstError, Flow, TranscoderParameters
from runewire_model.encodings.base import Rule
from runewire_model.records import ends_with, split_records

from .coverage_goals import error_free, fits, least
from .interleaving import interleaved
from .results import PacketEnd
from .rule_reader import RuleReader
from .segment_goals import (
    ADDED,
    AFTER,
    BEFORE,
    CARRIED,
    CLOSES,
    DELIMITER,
    EMPTY_END,
    IN_FIRST,
    IN_LATER,
    KNOWN,
    NEXT,
    NO_ERROR,
    OTHERS,
    SINGLE,
    TEXT_END,
    WELL_FORMED,
    AnySegmentGoal,
    CutGoal,
    ErrorGoal,
    MarkGoal,
    RecordCutGoal,
    SegmentGoal,
    carries,
    marks_of,
    reached,
    steps,
)
from .segments import Segment
from .stimuli import with_records


class _Piece(NamedTuple):
    """A segment of a text: its bytes, its number in the run, and its end."""

    data: bytes
    number: int
    end: PacketEnd


@dataclass
class _Text:
    """A text under way: the golden model, the segments so far, and the bytes that the last one leaves."""

    flow: Flow
    pieces: list[_Piece] = field(default_factory=list)
    left: int = 0
    error: FirstError | None = None


class SegmentsMet:
    """Finds the goals that the segments of a run meet, each with the packet's end that decides its stall."""

    def __init__(self, parameters: TranscoderParameters) -> None:
        self._parameters = parameters
        self._reader = RuleReader(parameters.reads)
        self._marks = marks_of(parameters)

    def met(self, segments: Sequence[Segment], ends: Sequence[PacketEnd]) -> Iterator[tuple[AnySegmentGoal, PacketEnd]]:
        """The goals of a run after a reset; ``ends`` of all packets."""
        texts: dict[int, _Text] = {}
        for number, (segment, end) in enumerate(zip(segments, ends, strict=True)):
            text = texts.setdefault(segment.flow, _Text(Flow(self._parameters)))
            for goal in self._segment(text, segment):
                yield goal, end
            text.pieces.append(_Piece(segment, number, end))
            if not segment.more:
                yield from self._text(text.pieces)
                del texts[segment.flow]

    def _segment(self, text: _Text, segment: Segment) -> Iterator[AnySegmentGoal]:
        """The goals of a segment alone."""
        width, first, size = self._parameters.input_bytes, not text.pieces, len(segment)
        before = sum(len(piece.data) for piece in text.pieces)
        error = text.flow.segment(segment, segment.more).error
        carried, text.left = text.left, text.left + size - len(text.flow.answered.piece)
        last = (size - 1) % width if size else None
        yield SegmentGoal(first, carried, last, size > width, text.left if segment.more else CLOSES)
        if error is None:
            said = NO_ERROR
        elif text.error is not None:
            said = KNOWN
        elif error.offset * self._parameters.reads.unit_bytes < before:
            said = CARRIED
        else:
            said = IN_FIRST if first else IN_LATER
        text.error = error
        yield ErrorGoal(said, segment.more)

    def _text(self, pieces: Sequence[_Piece]) -> Iterator[tuple[AnySegmentGoal, PacketEnd]]:
        """The goals of a complete text about its cuts."""
        text = b"".join(piece.data for piece in pieces)
        starts = [0]
        for piece in pieces:
            starts.append(starts[-1] + len(piece.data))
        cuts = [(at, before, after) for at, before, after in zip(starts[1:], pieces, pieces[1:], strict=False)]
        yield from self._cut_rules(text, pieces, cuts)
        yield from self._cut_marks(text, pieces, cuts)
        if self._parameters.sidebands.records is not None:
            yield from self._cut_records(text, cuts)

    def _cut_rules(self, text: bytes, pieces: Sequence[_Piece], cuts: Sequence[tuple[int, _Piece, _Piece]],
                   ) -> Iterator[tuple[CutGoal, PacketEnd]]:
        """Of each sequence up to the text's first error, the cuts inside it and at its end."""
        parameters, width = self._parameters, self._parameters.input_bytes
        reads = parameters.reads.order_of(text)
        # Each byte's segment, for sequences that come byte by byte.
        owners = [piece for piece in pieces for _ in piece.data]
        for rule, start, stop in self._sequences(text):
            for at, before, after in cuts:
                if start < at <= stop and before.data:
                    goal = CutGoal(rule, at - start, (len(before.data) - 1) % width, _then(before, after))
                    yield goal, after.end
            own = owners[start:stop]
            if all(len(piece.data) == 1 and piece.number == own[0].number + at for at, piece in enumerate(own)):
                yield CutGoal(rule, 0, 0, SINGLE), own[-1].end
            if rule.fault or not fits(parameters, parameters.reads.pack(reads.unpack(text[start:stop]))):
                return

    def _sequences(self, text: bytes) -> Iterator[tuple[Rule, int, int]]:
        """The rule of each sequence, and its first and last place in bytes."""
        reads = self._parameters.reads
        units, total = reads.unpack(text), reads.units(len(text))
        start = 0
        while start < total:
            rule = self._reader.rule(units, start, total)
            stop = start + rule.units
            yield rule, start * reads.unit_bytes, min(stop * reads.unit_bytes, len(text))
            start = stop

    def _cut_marks(self, text: bytes, pieces: Sequence[_Piece], cuts: Sequence[tuple[int, _Piece, _Piece]],
                   ) -> Iterator[tuple[MarkGoal, PacketEnd]]:
        for title, mark in self._marks.items():
            if text.startswith(mark):
                for at, before, after in cuts:
                    if 0 < at <= len(mark) and before.data:
                        yield MarkGoal(title, at, _then(before, after)), after.end
        if self._parameters.mark and not pieces[0].data and pieces[1:]:
            yield MarkGoal(ADDED, 0, _then(pieces[0], pieces[1])), pieces[1].end

    def _cut_records(self, text: bytes, cuts: Sequence[tuple[int, _Piece, _Piece]],
                     ) -> Iterator[tuple[RecordCutGoal, PacketEnd]]:
        reads, delimiter = self._parameters.reads.order_of(text), self._parameters.sidebands.records
        assert delimiter is not None
        start = 0
        for record in split_records(text, delimiter, reads):
            stop, ended = start + len(record), ends_with(reads, record, delimiter)
            inside = [cut for cut in cuts if start < cut[0] < stop + (not ended)]
            if inside:
                at, before, after = inside[-1]
                error = reads.first_error(record)
                found = WELL_FORMED
                if error is not None:
                    found = BEFORE if start + error.offset * reads.unit_bytes < at else AFTER
                ends = DELIMITER if ended else EMPTY_END if at == stop else TEXT_END
                yield RecordCutGoal(found, ends, _then(before, after)), after.end
            start = stop


def _then(before: _Piece, after: _Piece) -> str:
    return NEXT if after.number == before.number + 1 else OTHERS


def random_segments(parameters: TranscoderParameters, texts: Sequence[bytes], random: Random) -> list[Segment]:
    """The texts cut anywhere, after a random one of their marks."""
    marks, delimiter = [*marks_of(parameters).values()], parameters.sidebands.records
    given = [random.choice(marks) + text if marks and random.random() < 0.3 else text for text in texts]
    if delimiter is not None:
        given = [with_records(random, text, parameters.input_bytes, bytes([delimiter])) for text in given]
    return [*interleaved(given, parameters, random)]


class SegmentAim:
    """Makes segments that meet a goal, given the right stalls. Each text is closed."""

    def __init__(self, parameters: TranscoderParameters, random: Random) -> None:
        self._parameters, self._random = parameters, random
        self._reads, self._width = parameters.reads, parameters.input_bytes
        self._flows = parameters.sidebands.flows or 1
        self._whole = error_free(parameters)

    def whole(self, text: bytes) -> Segment:
        """A text in one segment."""
        return Segment(text, self._random.randrange(self._flows))

    def segments(self, goal: AnySegmentGoal) -> list[Segment]:
        """Segments that meet the goal."""
        match goal:
            case CutGoal():
                return self._cut(goal)
            case SegmentGoal():
                return self._segment(goal)
            case MarkGoal():
                return self._mark(goal)
            case RecordCutGoal():
                return self._record(goal)
            case ErrorGoal():
                return self._error(goal)

    def _joined(self, parts: Sequence[bytes], then: str = NEXT, cut: int | None = None) -> list[Segment]:
        """The ``parts`` of a text as segments of a flow; after part number ``cut`` comes what ``then`` says."""
        flow = self._random.randrange(self._flows)
        found = [Segment(part, flow, at < len(parts) - 1) for at, part in enumerate(parts)]
        if then != OTHERS or cut is None:
            return found
        other = self._random.choice([each for each in range(self._flows) if each != flow])
        text = self._sequence(self._random.choice(self._reads.rules))
        at = self._random.randint(0, len(text))
        return [*found[: cut + 1], Segment(text[:at], other, True), *found[cut + 1 :], Segment(text[at:], other)]

    def _text(self, size: int) -> bytes:
        """Well-formed text of ``size`` units."""
        found = b""
        while (left := size - self._reads.units(len(found))) > 0:
            rule = self._random.choice([rule for rule in self._whole if rule.units <= left])
            found += self._well_formed(rule)
        return found

    def _well_formed(self, rule: Rule) -> bytes:
        found = self._sequence(rule)
        return found if fits(self._parameters, found) else self._reads.pack(least(rule))

    def _sequence(self, rule: Rule) -> bytes:
        units = self._reads.pack([self._random.choice(values) for values in rule.classes])
        inside = self._random.randrange(1, self._reads.unit_bytes) if rule.ended == "inside" else 0
        return units + self._random.randbytes(inside)

    def _cut(self, goal: CutGoal) -> list[Segment]:
        random, rule, unit = self._random, goal.rule, self._reads.unit_bytes
        sequence = self._sequence(rule)
        if rule.ended == "inside" and goal.at > rule.units * unit - unit:
            sequence = sequence[: rule.units * unit - unit] + random.randbytes(
                random.randint(goal.at % unit, unit - 1))
        after = b"" if rule.ended in ("end", "inside") else self._text(random.randint(rule.ended == "unit", 3))
        if goal.then == SINGLE:
            return self._joined([self._text(random.randrange(3)), *(bytes([byte]) for byte in sequence), after])
        size = -(-max(0, goal.lane + 1 - goal.at) // unit) + random.randrange(2 * self._width // unit)
        before = self._text(size)
        text, at = before + sequence + after, len(before) + goal.at
        # The segment before decides in which lane this one ends.
        start = (at - goal.lane - 1) % self._width
        parts = [text[:start], text[start:at], text[at:]] if start else [text[:at], text[at:]]
        return self._joined(parts, goal.then, len(parts) - 2)

    def _segment(self, goal: SegmentGoal) -> list[Segment]:
        random, reads, order = self._random, self._reads, self._reads.orders[0]
        least_size = 0 if goal.last is None else goal.last + 1 + goal.later * self._width
        sizes = [least_size + more for more in (range(0, 4 * self._width, self._width) if goal.later else (0,))
                 if goal.left == CLOSES or goal.left in carries(reads, goal.carried, least_size + more)]
        size = random.choice(sizes)
        layers = reached(order, goal.carried, size)
        ends = sorted(state for state in layers[-1] if goal.left in (CLOSES, len(state)))
        state, path = random.choice(ends), bytearray()
        for layer in reversed(layers[:-1]):
            ways = sorted((start, byte) for start in layer for byte, there in steps(order, start).items()
                          if there == state)
            state, byte = random.choice(ways)
            path.insert(0, byte)
        parts = [] if goal.first else [self._text(random.randrange(3)) + state]
        parts.append(bytes(path))
        return self._joined(parts if goal.left == CLOSES else [*parts, self._text(random.randrange(2))])

    def _mark(self, goal: MarkGoal) -> list[Segment]:
        if goal.order == ADDED:
            return self._joined([b"", self._text(self._random.randrange(3))], goal.then, 0)
        text = marks_of(self._parameters)[goal.order] + self._text(self._random.randrange(3))
        return self._joined([text[: goal.at], text[goal.at :]], goal.then, 0)

    def _record(self, goal: RecordCutGoal) -> list[Segment]:
        random, delimiter = self._random, self._parameters.sidebands.records
        assert delimiter is not None
        letter, end = (self._reads.encode([unit]) for unit in (ord("b") if delimiter == ord("a") else ord("a"),
                                                               delimiter))
        wrong = random.choice([each for each in self._reads.wrong if end not in each])
        start = random.choice((b"", letter + end)) + (wrong if goal.found == BEFORE else b"") + letter
        rest = (wrong + letter if goal.found == AFTER else b"") + (
            end + letter if goal.ends == DELIMITER else b"" if goal.ends == EMPTY_END else letter)
        return self._joined([start, rest], goal.then, 0)

    def _error(self, goal: ErrorGoal) -> list[Segment]:
        random, text = self._random, self._text(self._random.randrange(3))
        wrong = random.choice(self._reads.wrong)
        last = [self._text(1)] if goal.more else []
        match goal.error:
            case error if error == NO_ERROR:
                parts = [text]
            case error if error == IN_FIRST:
                parts = [wrong + text]
            case error if error == IN_LATER:
                parts = [text, wrong + text]
            case error if error == KNOWN:
                parts = [wrong + self._text(2), text]
            case _:
                wrong = random.choice([each for each in self._reads.wrong if len(each) > 1])
                cut = random.randrange(1, len(wrong))
                parts = [wrong[:cut], wrong[cut:] + self._text(2)]
        return self._joined([*parts, *last])
