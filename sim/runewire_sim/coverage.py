"""Functional coverage: which rule of the grammar stood in which lane, across which beat boundary, stalled or not.

It is counted from the packets that went through the generated Verilog and agreed with the golden model, and from the
stalls that the simulator saw. Of a packet all counts up to its first error, which is the one that is reported.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random
from struct import iter_unpack, pack
from typing import NamedTuple

from runewire_model import DecoderParameters, EncoderParameters, Parameters

from .axis import GAP_BEATS
from .design import Design, generated
from .results import Chunk, PacketEnd
from .scoreboard import compare
from .simulators import simulate
from .stalls import Stalls
from .stimuli import random_packets

__all__ = ["RULES", "SCALAR_RULES", "Coverage", "Goal", "Rule", "cover", "goals", "rules"]

ROUNDS = 16
"""Runs that aim at what is still missing, at most."""
PACKETS = 1000
"""Random packets before any is aimed."""
PAUSE = 0.8
"""Probability of a pause where stalls are wanted."""


def _row(text: str) -> tuple[range, ...]:
    """The byte classes of a row such as "E0 A0..BF"."""
    ends = ([int(end, 16) for end in word.split("..")] for word in text.split())
    return tuple(range(end[0], end[-1] + 1) for end in ends)


@dataclass(frozen=True, eq=False)
class Rule:
    """A way for a sequence to be. ``classes``: the values of each of its bytes, or of an encoder's scalar.

    ``faulty``: it is an error. ``ended``: what cuts it short, "byte" or "end" (the packet's), "" when it is whole.
    """

    name: str
    classes: tuple[range, ...]
    faulty: bool = False
    ended: str = ""


WELL_FORMED = (
    "00..7F", "C2..DF 80..BF", "E0 A0..BF 80..BF", "E1..EC 80..BF 80..BF", "ED 80..9F 80..BF", "EE..EF 80..BF 80..BF",
    "F0 90..BF 80..BF 80..BF", "F1..F3 80..BF 80..BF 80..BF", "F4 80..8F 80..BF 80..BF")
"""The rows of RFC 3629, section 4."""
WRONG_VALUE = {
    "C0..C1 80..BF": "overlong", "E0 80..9F 80..BF": "overlong", "F0 80..8F 80..BF 80..BF": "overlong",
    "ED A0..BF 80..BF": "surrogate", "F4 90..BF 80..BF 80..BF": "too large",
    "F5..F7 80..BF 80..BF 80..BF": "too large"}
WRONG_BYTE = {"F8..FF": "header bits", "80..BF": "too long"}


def _rules() -> Iterator[Rule]:
    rows = [*WELL_FORMED, *WRONG_VALUE]
    for text in WELL_FORMED:
        yield Rule(text, _row(text))
    for text, kind in {**WRONG_VALUE, **WRONG_BYTE}.items():
        yield Rule(f"{text} ({kind})", _row(text), True)
    begun = dict.fromkeys(" ".join(text.split()[:size]) for size in (1, 2, 3) for text in rows
                          if len(text.split()) > size)
    for text, ended in product(begun, ("byte", "end")):
        yield Rule(f"{text} (too short, then {'a byte' if ended == 'byte' else 'the end'})", _row(text), True, ended)


RULES = tuple(_rules())
"""The rows of the grammar; sequences of a wrong value; bytes that begin nothing; each row cut short after each byte."""
SCALAR_RULES = (
    Rule("0..7F", (range(0x80),)), Rule("80..7FF", (range(0x80, 0x800),)),
    Rule("800..D7FF", (range(0x800, 0xD800),)), Rule("E000..FFFF", (range(0xE000, 0x10000),)),
    Rule("10000..10FFFF", (range(0x10000, 0x110000),)),
    Rule("D800..DFFF (surrogate)", (range(0xD800, 0xE000),), True),
    Rule("110000..1FFFFF (too large)", (range(0x110000, 0x200000),), True),
    Rule("200000..FFFFFFFF (too large)", (range(0x200000, 2**32),), True),
)
"""An encoder's scalars, by the bytes that they become, and what is none."""
STALLS = {"flowing": Stalls(), "after a gap": Stalls(PAUSE, 0.0), "while the output waits": Stalls(0.0, PAUSE)}
"""What a goal asks of the stalls, and the stalls under which to look for it."""
BEATS = ("in the first beat", "in a later beat")


class Goal(NamedTuple):
    """Something to be seen: ``rule`` beginning in input lane ``lane``, and what ``what`` says.

    ``stall`` is a key of `STALLS`, "" for any. ``item``: its number in the output beat, or None for any. ``at``: the
    boundary that lies after so many of its bytes, 0 for none, -1 for the packet's end, or None for any.
    ``later``: whether it begins in a beat that is not the packet's first, or None. ``edge``: which byte has which
    value, or None.
    """

    rule: Rule
    lane: int
    stall: str = ""
    at: int | None = None
    later: bool | None = None
    item: int | None = None
    edge: tuple[int, int] | None = None

    @property
    def kind(self) -> str:
        """Which of the crosses it is of."""
        if self.edge is not None:
            return "rule × lane × least and greatest value of each byte"
        if self.item is not None:
            return "rule × lane × output lane × stall"
        return "rule × lane × beat boundary × first or later beat × stall"

    def __str__(self) -> str:
        words = [f"{self.rule.name} from lane {self.lane}"]
        if self.edge is not None:
            words.append(f"byte {self.edge[0] + 1} being {self.edge[1]:02X}")
        if self.later is not None:
            words.append(BEATS[self.later])
        if self.item is not None:
            words.append(f"to output lane {self.item}")
        if self.at is not None:
            size = len(self.rule.classes)
            words.append({-1: "before the packet's end", 0: "inside a beat", size: "at a beat's end"}.get(
                self.at, f"split after byte {self.at}"))
        return ", ".join(filter(None, [*words, self.stall]))


def rules(parameters: Parameters) -> tuple[Rule, ...]:
    """The rules of a core's input."""
    return SCALAR_RULES if isinstance(parameters, EncoderParameters) else RULES


def _items(parameters: Parameters) -> int:
    """Places in a dense output beat; 0 where an item's place is that of the input."""
    if isinstance(parameters, EncoderParameters):
        return parameters.output_bytes
    if isinstance(parameters, DecoderParameters) and parameters.packing == "dense":
        return parameters.lanes
    return 0


def _points(rule: Rule, lane: int, lanes: int) -> list[int]:
    """Where beats and the packet may end about a sequence of bytes that begins in ``lane``: values of `Goal.at`."""
    size = len(rule.classes)
    ends = [] if rule.ended == "byte" else [-1]
    last = size - 1 if rule.ended == "end" else size
    inside = [] if rule.ended == "end" or lane + size >= lanes else [0]
    return [*ends, *inside, *(at for at in range(1, last + 1) if (lane + at) % lanes == 0)]


def goals(parameters: Parameters) -> list[Goal]:
    """All that is to be seen of a core."""
    lanes = parameters.lanes
    scalars = isinstance(parameters, EncoderParameters)
    found = []
    for rule, lane in product(rules(parameters), range(lanes)):
        points: list[int | None] = [None] if scalars else [*_points(rule, lane, lanes)]
        found += [Goal(rule, lane, stall, at, later) for at, later, stall in product(points, (False, True), STALLS)]
        found += [Goal(rule, lane, stall, item=item) for item, stall in product(range(_items(parameters)), STALLS)]
        found += [Goal(rule, lane, edge=(byte, value)) for byte, values in enumerate(rule.classes)
                  for value in sorted({values[0], values[-1]})]
    return found


@cache
def _candidates() -> list[list[Rule]]:
    """For each first byte, the rules that a sequence which begins so may follow, longest first."""
    return [sorted((rule for rule in RULES if byte in rule.classes[0]), key=lambda rule: -len(rule.classes))
            for byte in range(256)]


def _rule_at(packet: bytes, start: int) -> Rule:
    """The rule of the sequence that begins there: structure first, as the first error has it."""
    for rule in _candidates()[packet[start]]:
        stop = start + len(rule.classes)
        if stop <= len(packet) and all(map(range.__contains__, rule.classes, packet[start:stop])):
            if not rule.ended:
                return rule
            if rule.ended == "end" and stop == len(packet):
                return rule
            if rule.ended == "byte" and stop < len(packet) and packet[stop] & 0xC0 != 0x80:
                return rule
    raise AssertionError(f"no rule for {packet[start : start + 4].hex()}")  # the rules leave nothing out


def _stalls(end: PacketEnd, beat: int) -> Iterator[str]:
    """The `STALLS` that a beat was under."""
    gap = beat < GAP_BEATS and end.gaps >> beat & 1
    if gap:
        yield "after a gap"
    if end.waits:
        yield "while the output waits"
    elif not gap and beat < GAP_BEATS:
        yield "flowing"


class Coverage:
    """What has been seen of the `goals` of a core."""

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters
        self.seen = dict.fromkeys(goals(parameters), 0)
        """How often each goal was met."""

    @property
    def holes(self) -> list[Goal]:
        """What has not been seen."""
        return [goal for goal, count in self.seen.items() if not count]

    def add(self, packet: bytes, end: PacketEnd) -> None:
        """Enter a packet that went through the core with the right result."""
        for goal in self.met(packet, end):
            self.seen[goal] += 1

    def met(self, packet: bytes, end: PacketEnd) -> Iterator[Goal]:
        """The goals that a packet meets, one as often as it does."""
        scalars = isinstance(self._parameters, EncoderParameters)
        return filter(self.seen.__contains__, (self._scalars if scalars else self._octets)(packet, end))

    def _octets(self, packet: bytes, end: PacketEnd) -> Iterator[Goal]:
        lanes, items = self._parameters.lanes, _items(self._parameters)
        stripped = getattr(self._parameters, "bom", "keep") == "strip" and packet.startswith(b"\xEF\xBB\xBF")
        start, item = 0, -int(stripped)
        while start < len(packet):
            rule = _rule_at(packet, start)
            size = len(rule.classes)
            lane, beat = start % lanes, start // lanes
            over = start + size == len(packet)
            points = [at for at in range(1, size + (not over)) if (lane + at) % lanes == 0]
            if over:
                points.append(-1)
            for at in points or [0]:
                for stall in _stalls(end, beat if at <= 0 else (start + at) // lanes):
                    yield Goal(rule, lane, stall, at, beat > 0)
            if items and item >= 0:
                for stall in _stalls(end, beat):
                    yield Goal(rule, lane, stall, item=item % items)
            for at in range(size):
                yield Goal(rule, lane, edge=(at, packet[start + at]))
            if rule.faulty:
                return
            start += size
            item += 1

    def _scalars(self, packet: bytes, end: PacketEnd) -> Iterator[Goal]:
        lanes, items = self._parameters.lanes, _items(self._parameters)
        item = 0
        for number, (scalar,) in enumerate(iter_unpack("<I", packet)):
            [rule] = (rule for rule in SCALAR_RULES if scalar in rule.classes[0])
            lane, beat = number % lanes, number // lanes
            for stall in _stalls(end, beat):
                yield Goal(rule, lane, stall, None, beat > 0)
                yield Goal(rule, lane, stall, item=item % items)
            yield Goal(rule, lane, edge=(0, scalar))
            if rule.faulty:
                return
            item += len(chr(scalar).encode())


class _Aim:
    """Makes a packet for a goal."""

    def __init__(self, parameters: Parameters, random: Random) -> None:
        self._parameters = parameters
        self._random = random

    def packet(self, goal: Goal) -> bytes:
        """A packet that meets the goal under the right stalls."""
        random, lanes = self._random, self._parameters.lanes
        items = _items(self._parameters)
        beats = random.randint(1, 2) if goal.later or (goal.later is None and random.random() < 0.5) else 0
        if isinstance(self._parameters, EncoderParameters):
            count = goal.lane + lanes * beats
            if goal.item is not None:
                # Enough scalars before it for their bytes to come to any number.
                count = goal.lane + 2 * lanes
                total = next(size for size in range(count + random.randrange(count), 4 * count + 1)
                             if size % items == goal.item)
            else:
                total = count + random.randint(0, 3 * count)
            scalars = [self._scalar(size) for size in self._sizes(count, total)]
            scalars += [self._bytes(goal)[0], *(self._scalar(1) for _ in range(random.randrange(3)))]
            return pack(f"<{len(scalars)}I", *scalars)
        if goal.item is None:
            total = goal.lane + lanes * beats
            count = random.randint(-(-total // 4), total)
        else:
            count = goal.item + items * random.randint(1, 2)
            total = next(size for size in range(count + random.randrange(count), 4 * count + 1)
                         if size % lanes == goal.lane)
        text = b"".join(self._character(size) for size in self._sizes(count, total))
        text += bytes(self._bytes(goal))
        if goal.rule.ended == "end" or goal.at == -1:
            return text
        after = random.randint(goal.at is not None or goal.rule.ended == "byte", 3)
        return text + b"".join(self._character(random.randint(1, 4)) for _ in range(after))

    def _sizes(self, count: int, total: int) -> list[int]:
        """``count`` numbers from 1 to 4 that add up to ``total``."""
        sizes = [1] * count
        for at in self._random.sample(range(3 * count), total - count):
            sizes[at // 3] += 1
        return sizes

    def _bytes(self, goal: Goal) -> list[int]:
        chosen = [self._random.choice(values) for values in goal.rule.classes]
        if goal.edge is not None:
            chosen[goal.edge[0]] = goal.edge[1]
        return chosen

    def _character(self, size: int) -> bytes:
        rule = self._random.choice([rule for rule in RULES if not rule.faulty and len(rule.classes) == size])
        return bytes(map(self._random.choice, rule.classes))

    def _scalar(self, size: int) -> int:
        rule = self._random.choice({1: SCALAR_RULES[:1], 2: SCALAR_RULES[1:2], 3: SCALAR_RULES[2:4],
                                    4: SCALAR_RULES[4:5]}[size])
        return self._random.choice(rule.classes[0])


def cover(parameters: Parameters, seed: int = 0, design: Design | None = None) -> tuple[Coverage, str | None]:
    """Send packets through the core's Verilog until all of its goals are met, or `ROUNDS` are over.

    First come random packets, then such as aim at the holes. Gives what was seen, and what went wrong in one line, if
    anything did: then the packets of that run do not count. ``design``: in place of the generated core.
    Raises MissingToolError and SimulationError.
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

            with simulate(design, packets, stalls) as run:
                report = compare(parameters, packets, run, on_chunk=keep)
            if report.first_difference is not None:
                return coverage, f"packet {packets[report.first_difference.packet].hex()}: " \
                                 f"{report.first_difference.what}"
            if report.protocol_errors:
                return coverage, report.protocol_errors[0]
            for packet, end in zip(packets, ends, strict=True):
                coverage.add(packet, end)
    return coverage, None
