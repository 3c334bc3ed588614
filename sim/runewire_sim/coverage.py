"""Functional coverage: which rule of the grammar stood in which lane, across which beat boundary, stalled or not.

It is counted from the packets that went through the generated Verilog and agreed with the golden model, and from the
stalls that the simulator saw. Of a packet all counts up to its first error, which is the one that is reported; of
records each counts.
"""

from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain, product
from random import Random
from typing import NamedTuple

from runewire_model import Encoding, TranscoderParameters
from runewire_model.encodings.base import Rule

from .axi_stream import GAP_BEATS
from .design import VerilogDesign, generated
from .record_coverage import RecordGoal, packet_with, record_goals, records_met
from .results import Chunk, PacketEnd, Run
from .scoreboard import compare
from .simulators import simulate
from .stalls import Stalls
from .stimuli import random_packets

__all__ = ["Coverage", "Goal", "cover", "goals"]

ROUNDS = 16
"""Runs that aim at what is still missing, at most."""
PACKETS = 1000
"""Random packets before any is aimed."""
PAUSE = 0.8
"""Probability of a pause where stalls are wanted."""


STALLS = {"flowing": Stalls(), "after a gap": Stalls(PAUSE, 0.0), "while the output waits": Stalls(0.0, PAUSE)}
"""What a goal asks of the stalls, and the stalls under which to look for it."""
BEATS = ("in the first beat", "in a later beat")


class Goal(NamedTuple):
    """Something to be seen: ``rule`` beginning in input lane ``lane``, and what ``what`` says.

    ``stall`` is a key of `STALLS`, "" for any. ``item``: its place in the output beat, or None for any. ``at``: the
    boundary that lies after so many of its units, 0 for none, -1 for the packet's end, or None for any.
    ``later``: whether it begins in a beat that is not the packet's first, or None. ``edge``: which unit has which
    value, or None. ``order``: the title of the encoding that a byte order mark tells, or "" for any.
    """

    rule: Rule
    lane: int
    stall: str = ""
    at: int | None = None
    later: bool | None = None
    item: int | None = None
    edge: tuple[int, int] | None = None
    order: str = ""

    @property
    def kind(self) -> str:
        """Which of the crosses it is of."""
        if self.edge is not None:
            return "rule × lane × least and greatest value of each unit"
        if self.order:
            return "rule × lane × byte order"
        if self.item is not None:
            return "rule × lane × output lane × stall"
        return "rule × lane × beat boundary × first or later beat × stall"

    def __str__(self) -> str:
        words = [f"{self.rule.name} from lane {self.lane}"]
        if self.edge is not None:
            words.append(f"unit {self.edge[0] + 1} being {self.edge[1]:02X}")
        if self.order:
            words.append(f"in {self.order}")
        if self.later is not None:
            words.append(BEATS[self.later])
        if self.item is not None:
            words.append(f"to output lane {self.item}")
        if self.at is not None:
            size = len(self.rule.classes)
            words.append({-1: "before the packet's end", 0: "inside a beat", size: "at a beat's end"}.get(
                self.at, f"split after unit {self.at}"))
        return ", ".join(filter(None, [*words, self.stall]))


def _places(parameters: TranscoderParameters) -> int:
    """Places in a dense output beat; 0 where a unit's place is that of the input."""
    return 0 if parameters.in_place else parameters.lanes * parameters.slots


def _points(rule: Rule, lane: int, lanes: int) -> list[int]:
    """Where beats and the packet may end about a sequence of units that begins in ``lane``: values of `Goal.at`."""
    size, final = rule.units, rule.ended in ("end", "inside")
    ends = [] if rule.ended == "unit" else [-1]
    last = size - 1 if final else size
    inside = [] if final or lane + size >= lanes else [0]
    return [*ends, *inside, *(at for at in range(1, last + 1) if (lane + at) % lanes == 0)]


def goals(parameters: TranscoderParameters) -> list[Goal | RecordGoal]:
    """All that is to be seen of a core."""
    encoding, lanes = parameters.reads, parameters.lanes
    found: list[Goal | RecordGoal] = [
        goal._replace(stall=stall) for goal, stall in product(record_goals(parameters), STALLS)]
    reached = sorted(_ways(parameters))
    for rule, lane in product(encoding.rules, range(lanes)):
        points: list[int | None] = [None] if encoding.most_units == 1 else [*_points(rule, lane, lanes)]
        found += [Goal(rule, lane, stall, at, later) for at, later, stall in product(points, (False, True), STALLS)
                  if _can_stall(parameters, stall, later or (at is not None and at > 0))]
        items = [place for at, place in reached if at == lane]
        found += [Goal(rule, lane, stall, item=item) for item, stall in product(items, STALLS)]
        found += [Goal(rule, lane, order=order.title) for order in encoding.orders if encoding.orders[1:]]
        found += [Goal(rule, lane, edge=(unit, value)) for unit, values in enumerate(rule.classes)
                  for value in sorted({values[0], values[-1]})]
    return found


def _can_stall(parameters: TranscoderParameters, stall: str, later: bool) -> bool:
    """Whether a beat may be under the stall: before a packet's first there is a cycle for a mark that is added, and a
    gap does not show. ``later``: it is not the first."""
    return later or not parameters.mark or stall != "after a gap"


class _RuleReader:
    """Which rules the sequences of a packet follow: structure first, as the first error has it."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._rules = sorted(encoding.rules, key=lambda rule: -len(rule.classes))
        self._beginning: dict[int, list[Rule]] = {}

    def rule(self, units: list[int], start: int, total: int) -> Rule:
        """The rule of the sequence that begins there, in a packet of ``total`` units, the last perhaps incomplete."""
        if start == len(units):
            return next(rule for rule in self._rules if rule.ended == "inside" and not rule.classes)
        for rule in self._candidates(units[start]):
            stop = start + len(rule.classes)
            if stop <= len(units) and all(map(range.__contains__, rule.classes, units[start:stop])):
                if not rule.ended:
                    return rule
                if rule.ended == "end" and stop == total:
                    return rule
                if rule.ended == "inside" and stop == len(units) < total:
                    return rule
                if rule.ended == "unit" and stop < len(units) and units[stop] not in self._encoding.goes_on:
                    return rule
        raise AssertionError(f"no rule for {units[start : start + 4]}")  # the rules leave nothing out

    def _candidates(self, unit: int) -> list[Rule]:
        """The rules that a sequence which begins so may follow, longest first."""
        if self._encoding.unit_bytes > 1:
            return [rule for rule in self._rules if rule.classes and unit in rule.classes[0]]
        if unit not in self._beginning:
            self._beginning[unit] = [rule for rule in self._rules if rule.classes and unit in rule.classes[0]]
        return self._beginning[unit]


def _stalls(parameters: TranscoderParameters, end: PacketEnd, beat: int) -> Iterator[str]:
    """The `STALLS` that a beat was under."""
    gap = beat < GAP_BEATS and end.gaps >> beat & 1 and _can_stall(parameters, "after a gap", beat > 0)
    if gap:
        yield "after a gap"
    if end.waits:
        yield "while the output waits"
    elif not gap and beat < GAP_BEATS:
        yield "flowing"


class Coverage:
    """What has been seen of the `goals` of a core."""

    def __init__(self, parameters: TranscoderParameters) -> None:
        self._parameters = parameters
        self._reader = _RuleReader(parameters.reads)
        self.seen = dict.fromkeys(goals(parameters), 0)
        """How often each goal was met."""

    @property
    def holes(self) -> list[Goal | RecordGoal]:
        """What has not been seen."""
        return [goal for goal, count in self.seen.items() if not count]

    def add(self, packet: bytes, end: PacketEnd) -> None:
        """Enter a packet that went through the core with the right result."""
        for goal in self.met(packet, end):
            self.seen[goal] += 1

    def met(self, packet: bytes, end: PacketEnd) -> Iterator[Goal | RecordGoal]:
        """The goals that a packet meets, one as often as it does."""
        return filter(self.seen.__contains__, chain(self._goals(packet, end), self._records(packet, end)))

    def _records(self, packet: bytes, end: PacketEnd) -> Iterator[RecordGoal]:
        for goal, beat in records_met(self._parameters, packet):
            for stall in _stalls(self._parameters, end, beat):
                yield goal._replace(stall=stall)

    def _goals(self, packet: bytes, end: PacketEnd) -> Iterator[Goal]:
        parameters = self._parameters
        encoding, lanes, places = parameters.reads, parameters.lanes, _places(parameters)
        mark = encoding.mark(packet) if parameters.bom != "keep" else b""
        order = encoding.order_of(packet)
        units = encoding.unpack(packet)
        total = encoding.units(len(packet))
        # A mark that is left out takes no place, and one that is added comes first.
        start, item = 0, parameters.mark_units - (_made(parameters, mark) if mark else 0)
        while start < total:
            rule = self._reader.rule(units, start, total)
            size = rule.units
            lane, beat = start % lanes, start // lanes
            for at in self._ends(lane, size, start + size == total):
                for stall in _stalls(parameters, end, beat if at is None or at <= 0 else (start + at) // lanes):
                    yield Goal(rule, lane, stall, at, beat > 0)
            if places and item >= 0:
                for stall in _stalls(parameters, end, beat):
                    yield Goal(rule, lane, stall, item=item % places)
            yield Goal(rule, lane, order=order.title)
            for at in range(len(rule.classes)):
                yield Goal(rule, lane, edge=(at, units[start + at]))
            sequence = encoding.pack(units[start : start + size])
            if rule.fault or not _fits(parameters, sequence):
                return
            if places:
                item += _made(parameters, sequence)
            start += size

    def _ends(self, lane: int, size: int, over: bool) -> list[int | None]:
        """Values of `Goal.at` for a sequence of so many units; ``over``: the packet ends with it."""
        if self._parameters.reads.most_units == 1:
            return [None]
        points: list[int | None] = [
            at for at in range(1, size + (not over)) if (lane + at) % self._parameters.lanes == 0]
        if over:
            points.append(-1)
        return points or [0]


def _fits(parameters: TranscoderParameters, sequence: bytes) -> bool:
    """Whether the target has the scalar of a well-formed sequence: else it is an error too."""
    return not parameters.narrows or parameters.reads.decode(sequence)[0] <= parameters.writes.greatest


def _made(parameters: TranscoderParameters, sequence: bytes) -> int:
    """Units of the target that a well-formed sequence makes, which it has."""
    target = parameters.writes
    return 1 if target.most_units == 1 else target.units(len(target.encode(parameters.reads.decode(sequence))))


def _least(rule: Rule) -> list[int]:
    """The sequence of a rule whose units have their least values."""
    return [values[0] for values in rule.classes]


def _whole(parameters: TranscoderParameters) -> list[Rule]:
    """The rules of sequences that need not be errors."""
    return [rule for rule in parameters.reads.rules
            if not rule.fault and _fits(parameters, parameters.reads.pack(_least(rule)))]


def _ways(parameters: TranscoderParameters) -> dict[tuple[int, int], list[Rule]]:
    """For each lane and place of the output that text can come to, the fewest well-formed sequences before it."""
    lanes, places = parameters.lanes, _places(parameters)
    steps = [(rule, len(rule.classes), _made(parameters, parameters.reads.pack(_least(rule))))
             for rule in _whole(parameters)] if places else []
    ways: dict[tuple[int, int], list[Rule]] = {(0, parameters.mark_units % places): []} if places else {}
    reached = deque(ways)
    while reached:
        lane, place = here = reached.popleft()
        for rule, size, made in steps:
            there = (lane + size) % lanes, (place + made) % places
            if there not in ways:
                ways[there] = [*ways[here], rule]
                reached.append(there)
    return ways


class _Aim:
    """Makes a packet for a goal."""

    def __init__(self, parameters: TranscoderParameters, random: Random) -> None:
        self._parameters = parameters
        self._encoding = parameters.reads
        self._random = random
        self._whole = _whole(parameters)
        self._ways = _ways(parameters)

    def packet(self, goal: Goal | RecordGoal) -> bytes:
        """A packet that meets the goal under the right stalls."""
        if isinstance(goal, RecordGoal):
            return packet_with(self._parameters, goal, self._random)
        random, lanes = self._random, self._parameters.lanes
        if goal.item is None:
            beats = random.randint(1, 2) if goal.later or (goal.later is None and random.random() < 0.5) else 0
            if goal.order and goal.order != self._encoding.orders[0].title:
                return self._told(goal, goal.lane + lanes * max(beats, 1))
            before = self._filling(goal.lane + lanes * beats)
        else:
            before = random.sample(way := self._ways[goal.lane, goal.item], len(way))
            if not _can_stall(self._parameters, goal.stall, later=False):
                # Some beats more, after which lane and place are the same.
                plain = next(rule for rule in self._whole if rule.units == 1)
                before = [plain] * (lanes * _places(self._parameters)) + before
        units = [unit for rule in before for unit in self._text(rule)]
        units += self._units(goal.rule, goal.edge)
        if goal.rule.ended == "inside":
            return self._encoding.pack(units) + random.randbytes(random.randrange(1, self._encoding.unit_bytes))
        if goal.rule.ended != "end" and goal.at != -1:
            after = random.randint(goal.at is not None or goal.rule.ended == "unit", 3)
            units += [unit for rule in random.choices(self._whole, k=after) for unit in self._text(rule)]
        return self._encoding.pack(units)

    def _told(self, goal: Goal, size: int) -> bytes:
        """A packet whose byte order a mark tells, with ``size`` units before those of the goal's rule."""
        (order,) = (order for order in self._encoding.orders if order.title == goal.order)
        (mark,) = order.byte_order_marks
        rules = [*self._filling(size - 1), goal.rule]
        after = [ord("A")] * (goal.rule.ended not in ("end", "inside"))
        inside = self._random.randbytes(1) if goal.rule.ended == "inside" else b""
        return mark + order.pack([unit for rule in rules for unit in self._units(rule)] + after) + inside

    def _filling(self, size: int) -> list[Rule]:
        """Rules of sequences that have so many units."""
        rules: list[Rule] = []
        while size:
            rules.append(self._random.choice([rule for rule in self._whole if len(rule.classes) <= size]))
            size -= len(rules[-1].classes)
        return rules

    def _text(self, rule: Rule) -> list[int]:
        """A sequence of the rule that is no error."""
        units = self._units(rule)
        return units if _fits(self._parameters, self._encoding.pack(units)) else _least(rule)

    def _units(self, rule: Rule, edge: tuple[int, int] | None = None) -> list[int]:
        chosen = [self._random.choice(values) for values in rule.classes]
        if edge is not None:
            chosen[edge[0]] = edge[1]
        return chosen


def cover(parameters: TranscoderParameters, seed: int = 0, design: VerilogDesign | None = None,
          play: Callable[[VerilogDesign, list[bytes], Stalls], Run] = simulate) -> tuple[Coverage, str | None]:
    """Send packets through the core's Verilog until all of its goals are met, or `ROUNDS` are over.

    First come random packets, then such as aim at the holes. Gives what was seen, and what went wrong in one line, if
    anything did: then the packets of that run do not count. ``design``: in place of the generated core.
    ``play``: what simulates them. Raises MissingToolError and SimulationError.
    """
    design = design or generated(parameters)
    coverage = Coverage(parameters)
    aim = _Aim(parameters, Random(f"{seed} {parameters!r}"))
    for number in range(ROUNDS + 1):
        holes = coverage.holes
        if not holes:
            break
        for at, (stall, pauses) in enumerate(STALLS.items()):
            if number:
                packets = [aim.packet(goal) for goal in holes if goal.stall in (stall, "")]
            else:
                packets = list(random_packets(parameters, PACKETS, seed + at, longest=4 * parameters.lanes))
            stalls = Stalls(pauses.source, pauses.sink, seed + len(STALLS) * number + at)
            ends: list[PacketEnd] = []

            def keep(chunk: Chunk, ends: list[PacketEnd] = ends) -> None:
                if chunk.end is not None:
                    ends.append(chunk.end)

            with play(design, packets, stalls) as run:
                report = compare(parameters, packets, run, on_chunk=keep)
            if report.first_difference is not None:
                return coverage, f"packet {packets[report.first_difference.packet].hex()}: " \
                                 f"{report.first_difference.what}"
            if report.protocol_errors:
                return coverage, report.protocol_errors[0]
            for packet, end in zip(packets, ends, strict=True):
                coverage.add(packet, end)
    return coverage, None
