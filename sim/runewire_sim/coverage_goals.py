"""The goals of functional coverage: rules of the grammar by lane, beat boundary and stall."""

from collections import deque
from itertools import product
from typing import NamedTuple

from runewire_model import TranscoderParameters, ValidatorParameters
from runewire_model.encodings.base import Rule

from .line_coverage import FURTHER, OUTPUT_WAITS, REJECTS_WAIT, REPORT_WAITS, AnyLineGoal, line_goals
from .null_byte_coverage import EMPTY, NullByteGoal, null_byte_goals
from .record_coverage import RecordGoal, record_goals
from .segment_goals import AnySegmentGoal, segment_goals
from .stalls import PAUSE, Stalls

STALLS = {"flowing": Stalls(), "after a gap": Stalls(PAUSE, 0.0), OUTPUT_WAITS: Stalls(0.0, PAUSE)}
"""The stall of a goal, and the stalls of the runs that aim at it."""
NULL_BYTES = (0.3, 0.97)
"""Probabilities of a null byte in the runs that aim at these: some in a beat, and nearly all of a wide one."""
SHORT_PACKET = 64
"""Bytes of a packet besides some beats that goals of text may need."""
BEATS = ("in the first beat", "in a later beat")


class CoverageGoal(NamedTuple):
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


def output_places(parameters: TranscoderParameters) -> int:
    """Places in a dense output beat; 0 if units stay in the lanes of the input."""
    return 0 if parameters.in_place else parameters.lanes * parameters.slots


def _points(rule: Rule, lane: int, lanes: int) -> list[int]:
    """Possible values of `CoverageGoal.at` for a sequence that begins in ``lane``."""
    size, final = rule.units, rule.ended in ("end", "inside")
    ends = [] if rule.ended == "unit" else [-1]
    last = size - 1 if final else size
    inside = [] if final or lane + size >= lanes else [0]
    return [*ends, *inside, *(at for at in range(1, last + 1) if (lane + at) % lanes == 0)]


Goal = CoverageGoal | RecordGoal | NullByteGoal | AnyLineGoal | AnySegmentGoal
"""A goal of any kind."""


def stalls_of(parameters: TranscoderParameters) -> dict[str, Stalls]:
    """`STALLS`, and the stalls of the further streams that the core has."""
    has = {REJECTS_WAIT: parameters.sidebands.rejects, REPORT_WAITS: parameters.sidebands.record_report}
    return STALLS | {name: stalls for name, stalls in FURTHER.items() if has[name]}


def goals(parameters: TranscoderParameters) -> list[Goal]:
    """All goals of a core."""
    found: list[Goal] = [*line_goals(parameters, [*STALLS])]
    # A record has other stalls than a beat.
    found += [goal._replace(stall=stall)
              for goal, stall in product(null_byte_goals(parameters), [""] if parameters.splits else STALLS)
              if can_stall(parameters, stall, goal.where != EMPTY[0])]
    found += [goal._replace(stall=stall) for goal, stall in product(segment_goals(parameters), STALLS)
              if can_stall(parameters, stall, later=False)]
    if parameters.splits_bytes or cuts_text(parameters):
        return found
    text = text_goals(text_core(parameters))
    if not parameters.splits and not parameters.filters:
        return [*found, *text]
    of_text = [goal for goal in text if isinstance(goal, CoverageGoal)]
    if parameters.filters:
        # Each record is the packet of a validator, whose beats wait inside the core.
        return [*found, *dict.fromkeys(goal._replace(stall="") for goal in of_text)]
    # A gap before the splitter need not be one after it, and a dropped delimiter never gets there.
    dropped = parameters.sidebands.split if parameters.sidebands.delimiter == "drop" else None
    return [*found, *(goal for goal in of_text if goal.stall != "after a gap"
                      and (goal.edge is None or goal.edge[1] != dropped))]


def cuts_text(parameters: TranscoderParameters) -> bool:
    """Whether a splitter cuts packets that are too short for the goals of text."""
    longest = parameters.sidebands.longest
    return parameters.splits and longest is not None and longest < SHORT_PACKET + 8 * parameters.lanes


def text_core(parameters: TranscoderParameters) -> TranscoderParameters:
    """The core whose packets are records: behind a splitter, or of a filter. The core itself without one."""
    if parameters.filters:
        return ValidatorParameters(parameters.lanes)
    return parameters.behind if parameters.splits else parameters


def text_goals(parameters: TranscoderParameters) -> list[Goal]:
    """The goals of a core about its text, and about record flags."""
    encoding, lanes = parameters.reads, parameters.lanes
    found: list[Goal] = [
        goal._replace(stall=stall) for goal, stall in product(record_goals(parameters), stalls_of(parameters))
        if stall != REPORT_WAITS or goal.bad]
    reached = sorted(ways(parameters))
    for rule, lane in product(encoding.rules, range(lanes)):
        points: list[int | None] = [None] if encoding.most_units == 1 else [*_points(rule, lane, lanes)]
        found += [CoverageGoal(rule, lane, stall, at, later)
                  for at, later, stall in product(points, (False, True), STALLS)
                  if can_stall(parameters, stall, later or (at is not None and at > 0))]
        items = [place for at, place in reached if at == lane]
        found += [CoverageGoal(rule, lane, stall, item=item) for item, stall in product(items, STALLS)]
        found += [CoverageGoal(rule, lane, order=order.title) for order in encoding.orders if encoding.orders[1:]]
        found += [CoverageGoal(rule, lane, edge=(unit, value)) for unit, values in enumerate(rule.classes)
                  for value in sorted({values[0], values[-1]})]
    return found


def can_stall(parameters: TranscoderParameters, stall: str, later: bool) -> bool:
    """Whether a beat can have the stall; ``later``: it is not its packet's first.

    Before a packet's first beat, a core that adds a byte order mark takes a cycle, which hides a gap. A packer takes
    the beat without one.
    """
    return later or not parameters.mark or parameters.packer is not None or stall != "after a gap"


def fits(parameters: TranscoderParameters, sequence: bytes) -> bool:
    """Whether the target has the scalar of a well-formed sequence; if not, it is an error too."""
    return not parameters.narrows or parameters.reads.decode(sequence)[0] <= parameters.writes.greatest


def units_made(parameters: TranscoderParameters, sequence: bytes) -> int:
    """Units of the target for a well-formed sequence."""
    target = parameters.writes
    return 1 if target.most_units == 1 else target.units(len(target.encode(parameters.reads.decode(sequence))))


def least(rule: Rule) -> list[int]:
    """The sequence of a rule with the least value of each unit."""
    return [values[0] for values in rule.classes]


def error_free(parameters: TranscoderParameters) -> list[Rule]:
    """Rules that have sequences without error."""
    return [rule for rule in parameters.reads.rules
            if not rule.fault and fits(parameters, parameters.reads.pack(least(rule)))]


def ways(parameters: TranscoderParameters) -> dict[tuple[int, int], list[Rule]]:
    """For each reachable pair of input lane and output place, the shortest list of well-formed rules before it."""
    lanes, places = parameters.lanes, output_places(parameters)
    steps = [(rule, len(rule.classes), units_made(parameters, parameters.reads.pack(least(rule))))
             for rule in error_free(parameters)] if places else []
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
