"""Functional coverage: rules of the grammar by lane, beat boundary and stall.

Counted are packets whose results from the generated Verilog agree with the golden model, with the stalls that the
simulator saw. A packet counts up to its first error, which is the reported one; every record counts.
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
"""Runs that aim at holes, at most."""
PACKETS = 1000
"""Random packets before the first aimed one."""
PAUSE = 0.8
"""Probability of a pause in runs with stalls."""


STALLS = {"flowing": Stalls(), "after a gap": Stalls(PAUSE, 0.0), "while the output waits": Stalls(0.0, PAUSE)}
"""The stall of a goal, and the stalls of the runs that aim at it."""
BEATS = ("in the first beat", "in a later beat")


class Goal(NamedTuple):
    """A coverage goal: a sequence of ``rule`` that begins in input lane ``lane``, with further conditions.

    ``stall``: a key of `STALLS`, "" for any. ``at``: units before the beat boundary inside the sequence, 0 for no
    boundary, -1 for the packet's end, None for any. ``later``: whether the sequence begins in a beat after the packet's
    first, None for any. ``item``: place in the output beat, None for any. ``edge``: a unit and its value, None for any.
    ``order``: the title of the encoding that the byte order mark names, "" for any.
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
        """Name of the cross that the goal belongs to."""
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
    """Places in a dense output beat; 0 if units stay in the lanes of the input."""
    return 0 if parameters.in_place else parameters.lanes * parameters.slots


def _points(rule: Rule, lane: int, lanes: int) -> list[int]:
    """Possible values of `Goal.at` for a sequence that begins in ``lane``."""
    size, final = rule.units, rule.ended in ("end", "inside")
    ends = [] if rule.ended == "unit" else [-1]
    last = size - 1 if final else size
    inside = [] if final or lane + size >= lanes else [0]
    return [*ends, *inside, *(at for at in range(1, last + 1) if (lane + at) % lanes == 0)]


def goals(parameters: TranscoderParameters) -> list[Goal | RecordGoal]:
    """All goals of a core."""
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
    """Whether a beat can have the stall; ``later``: it is not its packet's first.

    Before a packet's first beat, a core that adds a byte order mark takes a cycle, which hides a gap.
    """
    return later or not parameters.mark or stall != "after a gap"


class _RuleReader:
    """Finds the rule of a sequence: structure before value, as for the first error."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._rules = sorted(encoding.rules, key=lambda rule: -len(rule.classes))
        self._beginning: dict[int, list[Rule]] = {}

    def rule(self, units: list[int], start: int, total: int) -> Rule:
        """The rule of the sequence at ``start``, in a packet of ``total`` units, the last one perhaps incomplete."""
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
        """The rules of sequences that begin with ``unit``, longest first."""
        if self._encoding.unit_bytes > 1:
            return [rule for rule in self._rules if rule.classes and unit in rule.classes[0]]
        if unit not in self._beginning:
            self._beginning[unit] = [rule for rule in self._rules if rule.classes and unit in rule.classes[0]]
        return self._beginning[unit]


def _stalls(parameters: TranscoderParameters, end: PacketEnd, beat: int) -> Iterator[str]:
    """The keys of `STALLS` that apply to a beat."""
    gap = beat < GAP_BEATS and end.gaps >> beat & 1 and _can_stall(parameters, "after a gap", beat > 0)
    if gap:
        yield "after a gap"
    if end.waits:
        yield "while the output waits"
    elif not gap and beat < GAP_BEATS:
        yield "flowing"


class Coverage:
    """The goals of a core, and how often each was met."""

    def __init__(self, parameters: TranscoderParameters) -> None:
        self._parameters = parameters
        self._reader = _RuleReader(parameters.reads)
        self.seen = dict.fromkeys(goals(parameters), 0)
        """How often each goal was met."""

    @property
    def holes(self) -> list[Goal | RecordGoal]:
        """Goals that were not met."""
        return [goal for goal, count in self.seen.items() if not count]

    def add(self, packet: bytes, end: PacketEnd) -> None:
        """Count a packet with a right result."""
        for goal in self.met(packet, end):
            self.seen[goal] += 1

    def met(self, packet: bytes, end: PacketEnd) -> Iterator[Goal | RecordGoal]:
        """The goals that a packet meets, each as often as it meets it."""
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
        # A stripped byte order mark takes no place, and an added one comes first.
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
        """Values of `Goal.at` for a sequence of ``size`` units; ``over``: the packet ends with it."""
        if self._parameters.reads.most_units == 1:
            return [None]
        points: list[int | None] = [
            at for at in range(1, size + (not over)) if (lane + at) % self._parameters.lanes == 0]
        if over:
            points.append(-1)
        return points or [0]


def _fits(parameters: TranscoderParameters, sequence: bytes) -> bool:
    """Whether the target has the scalar of a well-formed sequence; if not, it is an error too."""
    return not parameters.narrows or parameters.reads.decode(sequence)[0] <= parameters.writes.greatest


def _made(parameters: TranscoderParameters, sequence: bytes) -> int:
    """Units of the target for a well-formed sequence."""
    target = parameters.writes
    return 1 if target.most_units == 1 else target.units(len(target.encode(parameters.reads.decode(sequence))))


def _least(rule: Rule) -> list[int]:
    """The sequence of a rule with the least value of each unit."""
    return [values[0] for values in rule.classes]


def _whole(parameters: TranscoderParameters) -> list[Rule]:
    """Rules that have sequences without error."""
    return [rule for rule in parameters.reads.rules
            if not rule.fault and _fits(parameters, parameters.reads.pack(_least(rule)))]


def _ways(parameters: TranscoderParameters) -> dict[tuple[int, int], list[Rule]]:
    """For each reachable pair of input lane and output place, the shortest list of well-formed rules before it."""
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
    """Makes packets that meet a goal."""

    def __init__(self, parameters: TranscoderParameters, random: Random) -> None:
        self._parameters = parameters
        self._encoding = parameters.reads
        self._random = random
        self._whole = _whole(parameters)
        self._ways = _ways(parameters)

    def packet(self, goal: Goal | RecordGoal) -> bytes:
        """A packet that meets the goal, given the right stalls."""
        if isinstance(goal, RecordGoal):
            return packet_with(self._parameters, goal, self._random)
        random, lanes = self._random, self._parameters.lanes
        if goal.item is None:
            beats = random.randint(1, 2) if goal.later or (goal.later is None and random.random() < 0.5) else 0
            if goal.order and goal.order != self._encoding.orders[0].title:
                return self._ordered(goal, goal.lane + lanes * max(beats, 1))
            before = self._filling(goal.lane + lanes * beats)
        else:
            before = random.sample(way := self._ways[goal.lane, goal.item], len(way))
            if not _can_stall(self._parameters, goal.stall, later=False):
                # Beats that change neither lane nor place.
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

    def _ordered(self, goal: Goal, size: int) -> bytes:
        """A packet in the goal's byte order, which begins with its mark and ``size`` units before the goal's rule."""
        (order,) = (order for order in self._encoding.orders if order.title == goal.order)
        (mark,) = order.byte_order_marks
        rules = [*self._filling(size - 1), goal.rule]
        after = [ord("A")] * (goal.rule.ended not in ("end", "inside"))
        inside = self._random.randbytes(1) if goal.rule.ended == "inside" else b""
        return mark + order.pack([unit for rule in rules for unit in self._units(rule)] + after) + inside

    def _filling(self, size: int) -> list[Rule]:
        """Rules of well-formed sequences of ``size`` units together."""
        rules: list[Rule] = []
        while size:
            rules.append(self._random.choice([rule for rule in self._whole if len(rule.classes) <= size]))
            size -= len(rules[-1].classes)
        return rules

    def _text(self, rule: Rule) -> list[int]:
        """A random sequence of the rule that is no error."""
        units = self._units(rule)
        return units if _fits(self._parameters, self._encoding.pack(units)) else _least(rule)

    def _units(self, rule: Rule, edge: tuple[int, int] | None = None) -> list[int]:
        chosen = [self._random.choice(values) for values in rule.classes]
        if edge is not None:
            chosen[edge[0]] = edge[1]
        return chosen


def cover(parameters: TranscoderParameters, seed: int = 0, design: VerilogDesign | None = None,
          play: Callable[[VerilogDesign, list[bytes], Stalls], Run] = simulate) -> tuple[Coverage, str | None]:
    """Simulate the core's Verilog until all of its goals are met, or for `ROUNDS`.

    Random packets come first, then packets that aim at holes. Returns the coverage, and the first error in one line or
    None; the run with an error does not count. ``design``: default, the generated core. ``play``: the simulator. Raises
    MissingToolError and SimulationError.
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
