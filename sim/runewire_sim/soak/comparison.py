"""A core's output against the golden model and CPython, packet by packet; of texts in segments, text by text."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple, Self

from runewire_model import TranscoderParameters
from runewire_model.report import UnpackedReport

from .. import verilator
from ..cpython_oracle import judged_records, record_errors, reference, reference_sidebands, split_packets
from ..design import VerilogDesign
from ..rejects import RejectEnd, reject_end
from ..results import Chunk, PacketEnd, RejectedRecord
from ..scoreboard import Report, compare
from ..sidebands import sent_sidebands
from ..stalls import Stalls

CPYTHON = "CPython"


@dataclass(frozen=True)
class Wrong:
    """The first deviation of a run, in one line; ``packet``: the packet's number."""

    packet: int
    what: str


@dataclass
class _Text:
    """A text, and the hardware's results for its packets so far: without flows it is one packet."""

    data: bytes = b""
    output: bytes = b""
    records: tuple[bool, ...] = ()
    bad_records: tuple[tuple[int, int], ...] = ()
    counts: Counter[str] = field(default_factory=Counter)


class _Reject(NamedTuple):
    """A rejected record: its bytes, its number in its packet, the offset of its first error, whether it is too long."""

    data: bytes
    record: int
    offset: int | None
    long: bool

    @classmethod
    def of(cls, data: bytes, end: RejectEnd) -> Self:
        return cls(data, end.record, None if end.error is None else end.error.offset, end.long)


def _output_packets(parameters: TranscoderParameters, packets: Iterable[bytes]) -> Iterator[tuple[int, bytes, bool]]:
    """The packets of which the core outputs one each, with the number of the packet that was sent, and whether a record
    is cut there."""
    for number, packet in enumerate(packets):
        if parameters.splits:
            yield from ((number, *each) for each in split_packets(parameters.sidebands, packet))
        else:
            yield number, packet, False


def _rejects(parameters: TranscoderParameters, packets: Iterable[bytes]) -> Iterator[tuple[int, _Reject]]:
    """The records that the core must reject, with their packets' numbers."""
    sidebands = parameters.sidebands
    for number, packet in enumerate(packets if sidebands.rejects else ()):
        for at, record in enumerate(judged_records(sidebands, packet)):
            if not record.stays:
                yield number, _Reject(record.data, at, record.offset, record.long)


class _OracleCheck:
    """Compares the hardware's output with CPython's, text by text. Of a text in segments it is all segments' output,
    and the answer of the golden model for the text in one packet is compared too. With a splitter a text is a record's
    packet. Rejected records are compared with CPython's too."""

    def __init__(self, parameters: TranscoderParameters, packets: Sequence[bytes]) -> None:
        self.difference: Wrong | None = None
        """The first text that differs, by its last packet."""
        self._parameters = parameters
        self._behind = parameters.behind
        flows = parameters.sidebands.flows is not None
        self._whole = replace(parameters, lanes=1, packing="dense", sidebands=replace(
            parameters.sidebands, flows=None)) if flows else None
        self._sent = _output_packets(parameters, packets)
        self._rejects = _rejects(parameters, packets)
        self._parts: list[bytes] = []
        self._records: list[bool] = []
        self._texts: dict[int, _Text] = {}

    def __call__(self, chunk: Chunk) -> None:
        self._parts.append(chunk.output)
        self._records += chunk.records
        if chunk.end is None:
            return
        sent = next(self._sent, None)
        if sent is not None and self.difference is None:
            number, packet, cut = sent
            self._enter(number, self._end(number, packet, chunk.end, cut))
        self._parts.clear()
        self._records.clear()

    def reject(self, record: RejectedRecord) -> None:
        """Compare the next record of the rejects' stream."""
        number, expected = next(self._rejects, (0, None))
        try:
            end = reject_end(self._parameters.sidebands, record.tuser)
        except ValueError:
            self._enter(number, CPYTHON)
            return
        self._enter(number, None if _Reject.of(record.data, end) == expected else CPYTHON)

    def finish(self) -> Wrong | None:
        """The first difference, after the end of the run."""
        missing = (*(sent[0] for sent in islice(self._sent, 1)), *(reject[0] for reject in islice(self._rejects, 1)))
        for number in missing:
            self._enter(number, CPYTHON)
        return self.difference

    def _enter(self, number: int, other: str | None) -> None:
        """Enter whose result for a packet differs, if it is the first difference."""
        if self.difference is None and other is not None:
            self.difference = Wrong(number, f"packet {number}: hardware and golden model agree, {other} does not")

    def _end(self, number: int, packet: bytes, end: PacketEnd, cut: bool) -> str | None:
        """Take the end of a packet; if it ends its text, whose answer differs."""
        sidebands = self._parameters.sidebands
        if sidebands.cut_bits and end.tuser >> sidebands.last_beat_width - 1 != cut:
            return CPYTHON
        flow, more = 0, False
        if sidebands.flows is not None:
            sent = sent_sidebands(sidebands, number, packet)
            flow, more = sent.id & (1 << sidebands.flow_bits) - 1, bool(sent.user >> sidebands.user)
        text = self._texts.setdefault(flow, _Text())
        text.data += packet
        text.output += b"".join(self._parts)
        text.records += (*self._records, *end.tail_records(sidebands))
        try:
            report = end.told(sidebands)
        except ValueError:
            return CPYTHON
        text.bad_records += tuple((record.record, record.offset) for record in end.bad_records)
        text.counts.update(report.counts)
        if more:
            return None
        del self._texts[flow]
        if self._whole is not None and not self._is_one_packet(self._whole, text, report):
            return "its answer for the text in one packet"
        return None if self._agrees(text, report) else CPYTHON

    def _is_one_packet(self, whole: TranscoderParameters, text: _Text, report: UnpackedReport) -> bool:
        """Whether the golden model gives the same results for the text in one packet."""
        answer = whole.compute(text.data)
        right = report.bad == (answer.error is not None) if whole.sidebands.report != "full" else (
            report.error == answer.error)
        output = text.data if whole.target is None else answer.output
        return right and (output, dict(answer.counts)) == (text.output, dict(text.counts))

    def _agrees(self, text: _Text, report: UnpackedReport) -> bool:
        sidebands = self._parameters.sidebands
        behind = self._behind
        output, offset = reference(behind, text.data)
        counts, records = reference_sidebands(behind, text.data)
        most = (1 << sidebands.offset_bits) - 1
        bad_records = tuple((min(at, most), min(error, most)) for at, error in enumerate(
            record_errors(behind, text.data)) if error is not None) if sidebands.record_report else ()
        wanted = None if offset is None else min(offset, most)
        if sidebands.report != "full":
            right = sidebands.report == "none" or offset is None or report.bad
        else:
            right = wanted == (None if report.error is None else report.error.offset)
        wanted_counts = {name: min(count, most) for name, count in counts.items()}
        return right and (text.output, text.records, text.bad_records, text.counts) == (
            output, records, bad_records, wanted_counts)


def check(design: VerilogDesign, packets: Sequence[bytes], stalls: Stalls,
          on_packet: Callable[[Report], None] | None = None, quick: bool | None = None,
          ) -> tuple[Report, Wrong | None]:
    """Simulate the packets, and compare the output with the golden model and CPython.

    ``quick`` as for `verilator.build`. Raises MissingToolError and SimulationError.
    """
    oracle = _OracleCheck(design.parameters, packets)
    broken: list[Wrong] = []

    def watch(report: Report) -> None:
        if report.protocol_errors and not broken:
            broken.append(Wrong(_sent_as(design.parameters, packets, report.packets - 1), report.protocol_errors[0]))
        if on_packet is not None:
            on_packet(report)

    with verilator.run(design, packets, stalls, quick=quick) as run:
        report = compare(design.parameters, packets, run, on_chunk=oracle, on_packet=watch, on_reject=oracle.reject)
    difference = report.first_difference
    if difference is not None:
        return report, Wrong(_sent_as(design.parameters, packets, difference.packet),
                             f"packet {difference.packet}: {difference.what}")
    if report.protocol_errors:
        # After the last packet there is only the message.
        return report, broken[0] if broken else Wrong(len(packets) - 1, report.protocol_errors[0])
    return report, oracle.finish()


def _sent_as(parameters: TranscoderParameters, packets: Sequence[bytes], number: int) -> int:
    """The number of the packet that was sent for output packet ``number``."""
    return next(islice(_output_packets(parameters, packets), number, None), (len(packets) - 1,))[0]
