"""Scoreboard: the hardware's output against the golden model's, while the simulation runs."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from runewire_model import FirstError, Flow, TranscoderParameters
from runewire_model.splitting import record_packets

from .differences import early_difference, end_difference, flag_difference, output_difference, record_difference
from .golden import Golden, Known
from .golden_segment import Flows, golden_of
from .rejects import RejectComparison
from .results import Chunk, PacketEnd, RejectedRecord, Run, Stats
from .sidebands import SentSidebands, sent_sidebands
from .wire_format import Packet


@dataclass(frozen=True)
class Difference:
    """The first difference of model and hardware, in one line; ``packet``: the packet's number from 0."""

    packet: int
    what: str


@dataclass(frozen=True)
class PacketError:
    """An error that the model finds in packet number ``packet``."""

    packet: int
    error: FirstError


@dataclass
class Report:
    """Totals of a comparison so far."""

    packets: int = 0
    """Packets compared."""
    bytes_in: int = 0
    """Their input bytes."""
    code_points: int = 0
    """Code points in the model's output; U+FFFD counts as one."""
    flagged: int = 0
    """Packets with an error."""
    records: int = 0
    """Records, where the core has any."""
    bad_records: int = 0
    """Ill-formed ones among them."""
    rejected: int = 0
    """Records that a filter rejects."""
    first_error: PacketError | None = None
    differing: int = 0
    """Packets with a difference."""
    first_difference: Difference | None = None
    protocol_errors: list[str] = field(default_factory=list)
    stats: Stats | None = None
    """The simulation's figures, at its end."""
    seconds: float = field(default=0.0, compare=False)
    """How long it ran, without the build of the simulator."""

    @property
    def agree(self) -> bool:
        """Whether hardware and model agree, without a protocol error."""
        return self.first_difference is None and not self.protocol_errors

    def add(self, golden: Golden, difference: str | None) -> None:
        """Count a packet: the model's complete result, and the hardware's difference or None."""
        if golden.error is not None:
            self.flagged += 1
            self.first_error = self.first_error or PacketError(self.packets, golden.error)
        if difference is not None:
            self.differing += 1
            self.first_difference = self.first_difference or Difference(self.packets, difference)
        self.code_points += golden.code_points
        self.records += len(golden.records)
        self.bad_records += sum(golden.records)
        self.rejected += golden.counts.get("rejected", 0)
        self.packets += 1


class PacketComparison:
    """The comparison of a packet, which the core behind a splitter gets, chunk by chunk of the hardware's output.
    ``sent``: the sideband values that must come out with it."""

    def __init__(self, parameters: TranscoderParameters, packet: Packet, golden: Golden, sent: SentSidebands) -> None:
        self._parameters = parameters
        self._packet = packet
        self._sent = sent
        self._golden = golden
        self._pieces = self._golden.output()
        self._ready = b""
        self.position = 0
        """Bytes of output that agree so far."""
        self.difference: str | None = None
        """The packet's first difference, in words."""

    def take(self, chunk: Chunk) -> None:
        """Compare the hardware's next bytes and record flags."""
        if self.difference is not None:
            return
        output, marks = chunk.output, self._golden.marks
        parts, size = [self._ready], len(self._ready)
        while size < len(output) and (piece := next(self._pieces, None)) is not None:
            parts.append(piece)
            size += len(piece)
        self._ready = b"".join(parts)
        if self._ready[: len(output)] != output:
            self.difference = output_difference(self._parameters, self.position, self._ready, output)
        elif marks[: len(output)] != chunk.marks:
            self.difference = flag_difference(self.position, marks, chunk.marks)
        else:
            self._ready = self._ready[len(output) :]
            del marks[: len(output)]
            self.position += len(output)

    def finish(self, end: PacketEnd | None) -> None:
        """Compare the packet's end, None if the hardware sent none. The model's result is then complete."""
        rest = sum(map(len, self._pieces)) + len(self._ready)
        if self.difference is None:
            if end is None:
                self.difference = "the hardware sends no more"
            elif rest:
                self.difference = f"the hardware sends {self.position} bytes, the model {self.position + rest}"
            else:
                sidebands = self._parameters.sidebands
                golden, sent = self._golden, self._sent
                self.difference = end_difference(sidebands, golden, sent, end) \
                    or early_difference(self._parameters, self._packet, sent, end, golden.flow) \
                    or record_difference(golden.bad_records, end.bad_records)


def compare(
    parameters: TranscoderParameters,
    packets: Iterable[Packet],
    run: Run,
    *,
    on_chunk: Callable[[Chunk], None] | None = None,
    on_packet: Callable[[Report], None] | None = None,
    on_reject: Callable[[RejectedRecord], None] | None = None,
) -> Report:
    """Compare each packet's result with the golden model's while the simulation runs.

    ``packets``: the same as for ``run``. ``on_chunk`` is called with each chunk from the hardware, ``on_reject`` with
    each rejected record. ``on_packet`` is called with the growing report: after each packet, and after each chunk of a
    long one. Raises what the simulation raises.
    """
    began = time.monotonic()
    report = Report(protocol_errors=run.protocol_errors)
    known: Known = {}
    flows: Flows = defaultdict(lambda: Flow(parameters))
    rejects = RejectComparison(parameters, on_reject)
    chunks = _seen(run, on_chunk)
    for packet, sent, size in expected_packets(parameters, packets):
        golden = golden_of(parameters, packet, sent, flows, known)
        expected = PacketComparison(parameters, packet, golden, sent)
        rejects.expect(report.packets, packet, sent)
        before = report.bytes_in
        end = None
        for chunk in chunks:
            expected.take(chunk)
            if (end := chunk.end) is not None:
                break
            if on_packet is not None and expected.position:
                report.bytes_in = before + _consumed(parameters, expected.position, size)
                on_packet(report)
        expected.finish(end)
        report.bytes_in = before + size
        rejects.take(run.rejects)
        report.add(golden, expected.difference)
        if on_packet is not None:
            on_packet(report)
        if end is None:
            break
    for _ in chunks:
        extra = Difference(report.packets, "the hardware sends a packet that nobody sent it")
        report.first_difference = report.first_difference or extra
    rejects.take(run.rejects)
    if (wrong := rejects.finish()) is not None:
        report.first_difference = report.first_difference or Difference(*wrong)
        report.differing = max(1, report.differing)
    report.stats = run.stats
    report.seconds = time.monotonic() - began
    return report


def expected_packets(
    parameters: TranscoderParameters, packets: Iterable[Packet],
) -> Iterator[tuple[Packet, SentSidebands, int]]:
    """The packets that must come out of a core, as the core behind a splitter gets them, each with its sideband values
    and its bytes of the input. A packet without records counts with no bytes."""
    for number, packet in enumerate(packets):
        sent = sent_sidebands(parameters.sidebands, number, packet)
        if not parameters.splits:
            yield packet, sent, len(packet)
            continue
        for record in record_packets(bytes(packet), parameters.sidebands):
            yield record.data, sent.of(record), record.last + 1 - record.first


def _seen(run: Run, on_chunk: Callable[[Chunk], None] | None) -> Iterator[Chunk]:
    """The chunks of a run; each goes to ``on_chunk`` first."""
    for chunk in run:
        if on_chunk is not None:
            on_chunk(chunk)
        yield chunk


def _consumed(parameters: TranscoderParameters, position: int, length: int) -> int:
    """Input bytes for ``position`` output bytes, about; for progress only."""
    return min(position * parameters.reads.unit_bytes // parameters.writes.unit_bytes, length)
