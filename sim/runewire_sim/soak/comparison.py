"""A core's output against the golden model and CPython, packet by packet."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runewire_model import TranscoderParameters

from .. import verilator
from ..cpython_oracle import reference, reference_sidebands
from ..design import VerilogDesign
from ..results import Chunk, PacketEnd
from ..scoreboard import Report, compare
from ..stalls import Stalls


class _OracleCheck:
    """Compares the hardware's output with CPython's, packet by packet."""

    def __init__(self, parameters: TranscoderParameters, packets: Sequence[bytes]) -> None:
        self.difference: int | None = None
        """The first packet that differs."""
        self._parameters = parameters
        self._packets = packets
        self._number = 0
        self._parts: list[bytes] = []
        self._records: list[bool] = []

    def __call__(self, chunk: Chunk) -> None:
        self._parts.append(chunk.output)
        self._records += chunk.records
        if chunk.end is None:
            return
        known = self._number < len(self._packets)
        if self.difference is None and known and not self._agrees(self._packets[self._number], chunk.end):
            self.difference = self._number
        self._number += 1
        self._parts.clear()
        self._records.clear()

    def _agrees(self, packet: bytes, end: PacketEnd) -> bool:
        sidebands = self._parameters.sidebands
        try:
            report = end.told(sidebands)
        except ValueError:
            return False
        output, offset = reference(self._parameters, packet)
        counts, records = reference_sidebands(self._parameters, packet)
        most = (1 << sidebands.offset_bits) - 1
        wanted = None if offset is None else min(offset, most)
        if sidebands.report != "full":
            right = sidebands.report == "none" or offset is None or report.bad
        else:
            right = wanted == (None if report.error is None else report.error.offset)
        return (right and b"".join(self._parts) == output and tuple(self._records) == records
                and report.counts == {name: min(count, most) for name, count in counts.items()})


@dataclass(frozen=True)
class Wrong:
    """The first deviation of a run, in one line; ``packet``: the packet's number."""

    packet: int
    what: str


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
    if oracle.difference is not None:
        what = f"packet {oracle.difference}: hardware and golden model agree, CPython does not"
        return report, Wrong(oracle.difference, what)
    return report, None
