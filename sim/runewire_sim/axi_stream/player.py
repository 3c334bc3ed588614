"""A player for simulators that Python drives: plays packets through a core, cycle by cycle."""

from collections.abc import Iterable, Iterator
from random import Random

from runewire_model import TranscoderParameters

from ..design import packed_bytes, sparse_element
from ..results import Event, ProtocolError, RecordReport
from ..sidebands import sent_sidebands
from ..stalls import Stalls
from ..wire_format import Packet
from .beats import StreamBeat, packet_beats
from .rejects import RejectReader
from .rules import StreamRules
from .source import StreamSource
from .tracker import PacketTracker

DRAIN_CYCLES = 64
"""Cycles for which a core must stay silent after its last packet."""
RECORD_DRAIN_CYCLES = 256
"""The same for a core with a record report, which comes later."""
RESET_CYCLES = 1
"""Cycles of the reset at the start of a simulation."""
START_CYCLES = 1024
"""Cycles after reset in which a core has to become ready: several times what any needs."""
MOST_ERRORS = 8
"""Protocol errors of a run; more say nothing new."""


class Player:
    """Plays packets through a core: each cycle `drive` gives the inputs, and `sample` takes the outputs.

    Cycle 0 is the first in which the core is ready after reset, or `START_CYCLES` later if it never is. The C++ harness
    has the same results, to the cycle. `finished`: the simulation is over.
    """

    def __init__(self, parameters: TranscoderParameters, packets: Iterable[Packet], stalls: Stalls) -> None:
        element = sparse_element(parameters)
        self._sidebands = parameters.sidebands
        self._width = parameters.input_bytes
        self._source_pauses = stalls.source_pauses
        self._sink_pauses = stalls.sink_pauses
        self._report_pauses = stalls.report_pauses
        self._record_pauses = stalls.record_pauses
        self._rejects_pauses = stalls.rejects_pauses
        self._watchdog = stalls.watchdog
        self._poison = Random(stalls.seed)
        holes = iter(stalls.null_bytes) if stalls.holes else None
        beats = (beat for number, packet in enumerate(packets) for beat in packet_beats(
            packet, self._width, self._poison, sent_sidebands(self._sidebands, number, packet),
            self._sidebands.input_user, holes))
        self._source = StreamSource(lambda: next(beats, None))
        self._offered: StreamBeat | None = None
        self._ready = False
        self._report_ready = False
        self.records_ready = False
        """This cycle's ``m_records_tready``, after `drive`."""
        self.rejects_ready = False
        """``m_rejects_tready`` of this cycle."""
        self._rules = StreamRules("m_axis", parameters.output_bytes, element, clean=True)
        self._report_rules = StreamRules("m_report", parameters.sidebands.report_bytes)
        self._record_rules = StreamRules("m_records", parameters.sidebands.record_bytes)
        self._tracker = PacketTracker(parameters.output_bytes, bool(element), self._sidebands, parameters.mark_beats,
                                      packed_bytes(parameters))
        self._rejects = RejectReader(parameters)
        self._drained = 0
        self._quiet = 0
        self._errors = 0
        self.cycle = 0
        self._record_waits = 0
        self.finished = False

    def drive(self) -> tuple[StreamBeat | None, bool, bool]:
        """This cycle's input beat (None: ``tvalid`` low), ``m_axis_tready`` and ``m_report_tready``."""
        self._offered = self._source.offer(self._source_pauses.at(self.cycle))
        self._ready = not self._sink_pauses.at(self.cycle)
        self._report_ready = not self._report_pauses.at(self.cycle)
        self.records_ready = not self._record_pauses.at(self.cycle)
        self.rejects_ready = not self._rejects_pauses.at(self.cycle)
        return self._offered, self._ready, self._report_ready

    def noise(self) -> StreamBeat:
        """A random payload for a cycle without ``tvalid``, which the core must ignore."""
        random = self._poison
        width = self._width
        sidebands = self._sidebands
        return StreamBeat(random.getrandbits(8 * width), random.getrandbits(width), bool(random.getrandbits(1)),
                    *(random.getrandbits(bits) for bits in (sidebands.input_user, sidebands.id, sidebands.dest)))

    def sample(self, ready: bool, beat: StreamBeat | None, report: int | None = None,
               reject: StreamBeat | None = None, record: int | None = None) -> Iterator[Event]:
        """Take the cycle's ``s_axis_tready``, output beat, and beats of the report port, of the rejected records and of
        the record report (None: ``tvalid`` low)."""
        cycle = self.cycle
        moved = False
        recorded = None if record is None else StreamBeat(record, self._record_rules.full, True)
        for message in self._record_rules.observe(recorded, self.records_ready):
            yield from self._error(message, cycle)
        if record is not None and not self.records_ready:
            self._record_waits += 1
        elif record is not None:
            moved = True
            yield RecordReport(record, self._record_waits)
            self._record_waits = 0
        for message in self._rules.observe(beat, self._ready):
            yield from self._error(message, cycle)
        reported = None if report is None else StreamBeat(report, self._report_rules.full, True)
        for message in self._report_rules.observe(reported, self._report_ready):
            yield from self._error(message, cycle)
        if reported is not None:
            for error in self._tracker.report_valid():
                yield from self._error(error.message, cycle)
            if self._report_ready:
                moved = True
                yield from self._tracker.report(reported)
        for message in self._rejects.observe(reject, self.rejects_ready):
            yield from self._error(message, cycle)
        if reject is not None and self.rejects_ready:
            moved = True
            if (rejected := self._rejects.take(reject)) is not None:
                yield rejected
        if self._offered is not None and ready:
            self._tracker.enter(cycle, self._source.handshake())
            moved = True
        elif ready and self._offered is None:
            self._tracker.pause()
        if beat is not None and not self._ready:
            self._tracker.wait()
        elif beat is not None:
            moved = True
            for event in self._tracker.leave(cycle, beat):
                if isinstance(event, ProtocolError):
                    yield from self._error(event.message, cycle)
                else:
                    yield event
        self.cycle += 1
        if self._source.more() or self._tracker.inside or self._rejects.inside:
            self._quiet = 0 if moved else self._quiet + 1
            if self._quiet > self._watchdog:
                inside = self._tracker.inside
                yield from self._error(f"deadlock: no beat has moved for {self._watchdog} cycles, "
                                        f"{inside} packets inside", cycle)
                self.finished = True
        else:
            # Records may be reported later than their packet.
            self._drained = 0 if recorded is not None else self._drained + 1
            self.finished = self._drained > (RECORD_DRAIN_CYCLES if self._sidebands.record_report else DRAIN_CYCLES)
        if self.finished:
            yield self._tracker.stats(self.cycle)

    def unknown(self, signal: str) -> Iterator[Event]:
        """End the simulation: ``signal`` has an unknown value in this cycle."""
        yield from self._error(f"{signal} has an unknown value", self.cycle)
        self.finished = True
        yield self._tracker.stats(self.cycle)

    def _error(self, message: str, cycle: int) -> Iterator[ProtocolError]:
        self._errors += 1
        if self._errors <= MOST_ERRORS:
            yield ProtocolError(f"cycle {cycle}: {message}")
