"""Functional coverage: rules of the grammar by lane, beat boundary and stall.

Counted are packets whose results from the generated Verilog agree with the golden model, with the stalls that the
simulator saw. A packet counts up to its first error, which is the reported one; every record counts. Of a core with
flows, a text in one segment counts as such a packet, and texts in several segments by their cuts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, cycle, islice
from random import Random

from runewire_model import TranscoderParameters
from runewire_model.records import split_records
from runewire_model.splitting import record_packets

from .axi_stream import GAP_BEATS
from .axi_stream.beats import spread
from .coverage_aim import Aim
from .coverage_goals import (
    NULL_BYTES,
    CoverageGoal,
    Goal,
    can_stall,
    cuts_text,
    fits,
    goals,
    output_places,
    stalls_of,
    text_core,
    units_made,
)
from .design import VerilogDesign, generated
from .line_coverage import OUTPUT_WAITS, REPORT_WAITS, LinesMet, lines_met
from .null_byte_coverage import NullByteGoal, null_bytes_met
from .record_coverage import RecordGoal, records_met
from .results import Chunk, PacketEnd, RejectedRecord, Run
from .rule_reader import RuleReader
from .scoreboard import compare
from .segment_coverage import SegmentAim, SegmentsMet, random_segments
from .segment_goals import AnySegmentGoal
from .segments import Segment, hex_packet
from .simulators import simulate
from .stalls import Stalls
from .stimuli import random_packets, with_records

ROUNDS = 16
"""Runs that aim at holes, at most."""
AIMED = 20
"""Goals that the packets of a run aim at, at least: several times at the same ones if few are missing."""
PACKETS = 1000
"""Random packets before the first aimed one."""


def _stalls(parameters: TranscoderParameters, end: PacketEnd, beat: int) -> Iterator[str]:
    """The keys of `STALLS` that apply to a beat."""
    gap = beat < GAP_BEATS and end.gaps >> beat & 1 and can_stall(parameters, "after a gap", beat > 0)
    if gap:
        yield "after a gap"
    if end.waits:
        yield OUTPUT_WAITS
    elif not gap and beat < GAP_BEATS:
        yield "flowing"


class Coverage:
    """The goals of a core, and how often each was met."""

    def __init__(self, parameters: TranscoderParameters) -> None:
        self._parameters = parameters
        self._text = text_core(parameters)
        self._reader = RuleReader(self._text.reads)
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

    def add_lines(self, packet: bytes, ends: Sequence[PacketEnd], rejects: Sequence[RejectedRecord]) -> None:
        """Count a packet of a core with records whose results are right; ``ends``: of its output packets."""
        parameters = self._parameters
        entered = parameters.splitter or parameters
        for line, end, beat in lines_met(parameters, LinesMet(packet, ends, rejects)):
            self._count([line] if beat < 0 else (line._replace(stall=stall) for stall in _stalls(entered, end, beat)))
        if parameters.splits:
            if not parameters.splits_bytes and not cuts_text(parameters):
                for record, end in zip(record_packets(packet, parameters.sidebands), ends, strict=True):
                    self._count(self._goals(record.data, replace(end, gaps=0)))
        elif parameters.filters:
            delimiter = parameters.sidebands.filter
            assert delimiter is not None
            for text in split_records(packet, delimiter):
                self._count(goal._replace(stall="") for goal in self._goals(text, PacketEnd(0, 0, 0, 0, 0)))
        else:
            self.add(packet, *ends)

    def add_segments(self, segments: Sequence[Segment], ends: Sequence[PacketEnd]) -> None:
        """Count the segments of a run after a reset, whose results are right."""
        parameters = self._parameters
        for goal, end in SegmentsMet(parameters).met(segments, ends):
            self._count(goal._replace(stall=stall) for stall in _stalls(parameters, end, 0))
        begun = set[int]()
        for segment, end in zip(segments, ends, strict=True):
            if segment.flow not in begun and not segment.more:
                self.add_lines(segment, [end], ())
            (begun.add if segment.more else begun.discard)(segment.flow)

    def _count(self, met: Iterable[Goal]) -> None:
        for goal in met:
            if goal in self.seen:
                self.seen[goal] += 1

    def add_null_bytes(self, beats: Iterable[tuple[int, bool]], end: PacketEnd) -> None:
        """Count the null bytes of a packet with a right result; ``beats``: ``tkeep`` and ``tlast`` of each."""
        for goal, beat in null_bytes_met(beats, self._parameters.input_bytes):
            for stall in [""] if self._parameters.splits else _stalls(self._parameters, end, beat):
                if (found := goal._replace(stall=stall)) in self.seen:
                    self.seen[found] += 1

    def met(self, packet: bytes, end: PacketEnd) -> Iterator[Goal]:
        """The goals that a packet meets, each as often as it meets it."""
        return filter(self.seen.__contains__, chain(self._goals(packet, end), self._records(packet, end)))

    def _records(self, packet: bytes, end: PacketEnd) -> Iterator[RecordGoal]:
        for goal, beat in records_met(self._parameters, packet):
            for stall in _stalls(self._parameters, end, beat):
                yield goal._replace(stall=stall)
            if end.record_waits:
                yield goal._replace(stall=REPORT_WAITS)

    def _goals(self, packet: bytes, end: PacketEnd) -> Iterator[CoverageGoal]:
        parameters = self._text
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
        if self._text.reads.most_units == 1:
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
            rejects: list[RejectedRecord] = []

            def keep(chunk: Chunk, ends: list[PacketEnd] = ends) -> None:
                if chunk.end is not None:
                    ends.append(chunk.end)

            with play(design, packets, stalls) as run:
                report = compare(parameters, packets, run, on_chunk=keep, on_reject=rejects.append)
            if report.first_difference is not None:
                return coverage, f"packet {hex_packet(packets[report.first_difference.packet])}: " \
                                 f"{report.first_difference.what}"
            if report.protocol_errors:
                return coverage, report.protocol_errors[0]
            _add(coverage, parameters, packets, iter(ends), iter(rejects), stalls)
    return coverage, None


def _add(coverage: Coverage, parameters: TranscoderParameters, packets: Iterable[bytes], ends: Iterator[PacketEnd],
         rejects: Iterator[RejectedRecord], stalls: Stalls) -> None:
    """Count the packets of a run."""
    if not stalls.holes and (segments := [packet for packet in packets if isinstance(packet, Segment)]):
        coverage.add_segments(segments, [*ends])
        return
    null = iter(stalls.null_bytes)
    for packet in packets:
        count = len([*record_packets(packet, parameters.sidebands)]) if parameters.splits else 1
        own = [*islice(ends, count)]
        if stalls.holes:
            beats = [*spread(packet, parameters.input_bytes, null)]
            # A packet without records has no end of its own.
            coverage.add_null_bytes([(kept, last) for _, kept, last in beats], (own or [PacketEnd(0, 0, 0, 0, 0)])[-1])
        else:
            has = len(parameters.rejects(packet)) if parameters.sidebands.rejects else 0
            coverage.add_lines(packet, own, [*islice(rejects, has)])


def _runs(parameters: TranscoderParameters, holes: list[Goal], aim: Aim, seed: int, number: int,
          ) -> Iterator[tuple[list[bytes], Stalls]]:
    """The runs of round ``number``: packets and stalls. Null bytes have runs of their own, as they move the text."""
    every = stalls_of(parameters)
    segments = SegmentAim(parameters, Random(f"segments {seed} {number}")) if parameters.sidebands.flows else None
    for at, (stall, pauses) in enumerate(every.items()):
        stalls = replace(pauses, seed=seed + len(every) * number + at)
        if number:
            wanted = [goal for goal in holes if goal.stall in (stall, "")]
            # A stall may miss the beat that matters.
            packets = [packet for goal in islice(cycle(wanted), max(len(wanted), AIMED))
                       for packet in _aimed(goal, aim, segments)]
        else:
            packets = list(random_packets(parameters, PACKETS, seed + at, longest=4 * parameters.lanes))
            if parameters.sidebands.record_report and parameters.reads.unit_bytes == 1:
                end, random = bytes([parameters.sidebands.records or 0]), Random(f"records {seed + at}")
                packets += [with_records(random, packet, parameters.lanes, end) for packet in packets]
            if segments is not None:
                packets = [*map(segments.whole, packets),
                           *random_segments(parameters, packets, Random(f"segments {seed + at}"))]
        yield packets, stalls
        if any(isinstance(goal, NullByteGoal) and goal.stall in (stall, "") for goal in holes):
            for probability in NULL_BYTES:
                packets = list(random_packets(parameters, PACKETS // 4, stalls.seed, longest=2 * parameters.lanes))
                yield packets, replace(stalls, holes=probability)


def _aimed(goal: Goal, aim: Aim, segments: SegmentAim | None) -> Sequence[bytes]:
    """Packets that meet a goal, which null bytes alone do not."""
    if isinstance(goal, NullByteGoal):
        return []
    if isinstance(goal, AnySegmentGoal):
        return segments.segments(goal) if segments else []
    packet = aim.packet(goal)
    return [segments.whole(packet) if segments else packet]
