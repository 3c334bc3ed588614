"""Functional coverage: rules of the grammar by lane, beat boundary and stall.

Counted are packets whose results from the generated Verilog agree with the golden model, with the stalls that the
simulator saw. A packet counts up to its first error, which is the reported one; every record counts.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from random import Random

from runewire_model import Encoding, TranscoderParameters
from runewire_model.encodings.base import Rule

from .axi_stream import GAP_BEATS
from .axi_stream.beats import spread
from .coverage_aim import Aim
from .coverage_goals import (
    NULL_BYTES,
    STALLS,
    CoverageGoal,
    Goal,
    can_stall,
    fits,
    goals,
    output_places,
    units_made,
)
from .design import VerilogDesign, generated
from .null_byte_coverage import NullByteGoal, null_bytes_met
from .record_coverage import RecordGoal, records_met
from .results import Chunk, PacketEnd, Run
from .scoreboard import compare
from .simulators import simulate
from .stalls import Stalls
from .stimuli import random_packets

ROUNDS = 16
"""Runs that aim at holes, at most."""
PACKETS = 1000
"""Random packets before the first aimed one."""


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
    gap = beat < GAP_BEATS and end.gaps >> beat & 1 and can_stall(parameters, "after a gap", beat > 0)
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
    def holes(self) -> list[Goal]:
        """Goals that were not met."""
        return [goal for goal, count in self.seen.items() if not count]

    def add(self, packet: bytes, end: PacketEnd) -> None:
        """Count a packet with a right result."""
        for goal in self.met(packet, end):
            self.seen[goal] += 1

    def add_null_bytes(self, beats: Iterable[tuple[int, bool]], end: PacketEnd) -> None:
        """Count the null bytes of a packet with a right result; ``beats``: ``tkeep`` and ``tlast`` of each."""
        for goal, beat in null_bytes_met(beats, self._parameters.input_bytes):
            for stall in _stalls(self._parameters, end, beat):
                if (found := goal._replace(stall=stall)) in self.seen:
                    self.seen[found] += 1

    def met(self, packet: bytes, end: PacketEnd) -> Iterator[Goal]:
        """The goals that a packet meets, each as often as it meets it."""
        return filter(self.seen.__contains__, chain(self._goals(packet, end), self._records(packet, end)))

    def _records(self, packet: bytes, end: PacketEnd) -> Iterator[RecordGoal]:
        for goal, beat in records_met(self._parameters, packet):
            for stall in _stalls(self._parameters, end, beat):
                yield goal._replace(stall=stall)

    def _goals(self, packet: bytes, end: PacketEnd) -> Iterator[CoverageGoal]:
        parameters = self._parameters
        encoding, lanes, places = parameters.reads, parameters.lanes, output_places(parameters)
        mark = encoding.mark(packet) if parameters.bom != "keep" else b""
        order = encoding.order_of(packet)
        units = encoding.unpack(packet)
        total = encoding.units(len(packet))
        # A stripped byte order mark takes no place, and an added one comes first.
        start, item = 0, parameters.mark_units - (units_made(parameters, mark) if mark else 0)
        while start < total:
            rule = self._reader.rule(units, start, total)
            size = rule.units
            lane, beat = start % lanes, start // lanes
            for at in self._ends(lane, size, start + size == total):
                for stall in _stalls(parameters, end, beat if at is None or at <= 0 else (start + at) // lanes):
                    yield CoverageGoal(rule, lane, stall, at, beat > 0)
            if places and item >= 0:
                for stall in _stalls(parameters, end, beat):
                    yield CoverageGoal(rule, lane, stall, item=item % places)
            yield CoverageGoal(rule, lane, order=order.title)
            for at in range(len(rule.classes)):
                yield CoverageGoal(rule, lane, edge=(at, units[start + at]))
            sequence = encoding.pack(units[start : start + size])
            if rule.fault or not fits(parameters, sequence):
                return
            if places:
                item += units_made(parameters, sequence)
            start += size

    def _ends(self, lane: int, size: int, over: bool) -> list[int | None]:
        """Values of `CoverageGoal.at` for a sequence of ``size`` units; ``over``: the packet ends with it."""
        if self._parameters.reads.most_units == 1:
            return [None]
        points: list[int | None] = [
            at for at in range(1, size + (not over)) if (lane + at) % self._parameters.lanes == 0]
        if over:
            points.append(-1)
        return points or [0]


def cover(parameters: TranscoderParameters, seed: int = 0, design: VerilogDesign | None = None,
          play: Callable[[VerilogDesign, list[bytes], Stalls], Run] = simulate) -> tuple[Coverage, str | None]:
    """Simulate the core's Verilog until all of its goals are met, or for `ROUNDS`.

    Random packets come first, then packets that aim at holes. Returns the coverage, and the first error in one line or
    None; the run with an error does not count. ``design``: default, the generated core. ``play``: the simulator. Raises
    MissingToolError and SimulationError.
    """
    design = design or generated(parameters)
    coverage = Coverage(parameters)
    aim = Aim(parameters, Random(f"{seed} {parameters!r}"))
    for number in range(ROUNDS + 1):
        holes = coverage.holes
        if not holes:
            break
        for packets, stalls in _runs(parameters, holes, aim, seed, number):
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
            null = iter(stalls.null_bytes)
            for packet, end in zip(packets, ends, strict=True):
                if stalls.holes:
                    beats = [*spread(packet, parameters.input_bytes, null)]
                    coverage.add_null_bytes([(kept, last) for _, kept, last in beats], end)
                else:
                    coverage.add(packet, end)
    return coverage, None


def _runs(parameters: TranscoderParameters, holes: list[Goal], aim: Aim, seed: int, number: int,
          ) -> Iterator[tuple[list[bytes], Stalls]]:
    """The runs of round ``number``: packets and stalls. Null bytes have runs of their own, as they move the text."""
    for at, (stall, pauses) in enumerate(STALLS.items()):
        stalls = Stalls(pauses.source, pauses.sink, seed + len(STALLS) * number + at)
        if number:
            packets = [aim.packet(goal) for goal in holes
                       if goal.stall in (stall, "") and not isinstance(goal, NullByteGoal)]
        else:
            packets = list(random_packets(parameters, PACKETS, seed + at, longest=4 * parameters.lanes))
        yield packets, stalls
        if any(isinstance(goal, NullByteGoal) and goal.stall == stall for goal in holes):
            for probability in NULL_BYTES:
                packets = list(random_packets(parameters, PACKETS // 4, stalls.seed, longest=2 * parameters.lanes))
                yield packets, replace(stalls, holes=probability)
