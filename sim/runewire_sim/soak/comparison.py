"""A core's output against the golden model and CPython, packet by packet; of texts in segments, text by text."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from runewire_model import TranscoderParameters
from runewire_model.report import UnpackedReport

from .. import verilator
from ..cpython_oracle import reference, reference_sidebands
from ..design import VerilogDesign
from ..results import Chunk, PacketEnd
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
    counts: Counter[str] = field(default_factory=Counter)


class _OracleCheck:
    """Compares the hardware's output with CPython's, text by text. Of a text in segments it is all segments' output,
    and the answer of the golden model for the text in one packet is compared too."""

    def __init__(self, parameters: TranscoderParameters, packets: Sequence[bytes]) -> None:
        self.difference: Wrong | None = None
        """The first text that differs, by its last packet."""
        self._parameters = parameters
        flows = parameters.sidebands.flows is not None
        self._whole = replace(parameters, lanes=1, packing="dense", sidebands=replace(
            parameters.sidebands, flows=None)) if flows else None
        self._packets = packets
        self._number = 0
        self._parts: list[bytes] = []
        self._records: list[bool] = []
        self._texts: dict[int, _Text] = {}

    def __call__(self, chunk: Chunk) -> None:
        self._parts.append(chunk.output)
        self._records += chunk.records
        if chunk.end is None:
            return
        if self.difference is None and self._number < len(self._packets):
            other = self._end(self._packets[self._number], chunk.end)
            if other is not None:
                self.difference = Wrong(
                    self._number, f"packet {self._number}: hardware and golden model agree, {other} does not")
        self._number += 1
        self._parts.clear()
        self._records.clear()

    def _end(self, packet: bytes, end: PacketEnd) -> str | None:
        """Take the end of a packet; if it ends its text, whose answer differs."""
        sidebands = self._parameters.sidebands
        flow, more = 0, False
        if sidebands.flows is not None:
            sent = sent_sidebands(sidebands, self._number, packet)
            flow, more = sent.id & (1 << sidebands.flow_bits) - 1, bool(sent.user >> sidebands.user)
        text = self._texts.setdefault(flow, _Text())
        text.data += packet
        text.output += b"".join(self._parts)
        text.records += (*self._records, *end.tail_records(sidebands))
        try:
            report = end.told(sidebands)
        except ValueError:
            return CPYTHON
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
        output, offset = reference(self._parameters, text.data)
        counts, records = reference_sidebands(self._parameters, text.data)
        most = (1 << sidebands.offset_bits) - 1
        wanted = None if offset is None else min(offset, most)
        if sidebands.report != "full":
            right = sidebands.report == "none" or offset is None or report.bad
        else:
            right = wanted == (None if report.error is None else report.error.offset)
        return (right and text.output == output and text.records == records
                and text.counts == {name: min(count, most) for name, count in counts.items()})


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
            broken.append(Wrong(report.packets - 1, report.protocol_errors[0]))
        if on_packet is not None:
            on_packet(report)

    with verilator.run(design, packets, stalls, quick=quick) as run:
        report = compare(design.parameters, packets, run, on_chunk=oracle, on_packet=watch)
    difference = report.first_difference
    if difference is not None:
        return report, Wrong(difference.packet, f"packet {difference.packet}: {difference.what}")
    if report.protocol_errors:
        # After the last packet there is only the message.
        return report, broken[0] if broken else Wrong(len(packets) - 1, report.protocol_errors[0])
    return report, oracle.difference
