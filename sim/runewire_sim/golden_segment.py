"""The golden model's result for one packet of a core with flows: a segment of its flow's text."""

from collections.abc import Iterator, MutableMapping

from runewire_model import Flow, TranscoderParameters

from .golden import Golden, Known, code_points
from .sidebands import SentSidebands
from .wire_format import Packet

Flows = MutableMapping[int, Flow]
"""The texts under way, by the flow's number."""


class GoldenSegment(Golden):
    """The model's result for a packet that was ``sent`` with these sidebands; ``flows`` has the texts under way."""

    def __init__(self, parameters: TranscoderParameters, packet: Packet, sent: SentSidebands, flows: Flows) -> None:
        super().__init__(parameters, packet)
        sidebands = parameters.sidebands
        self._more = bool(sent.user >> sidebands.user & 1)
        self.flow: Flow = flows[sent.id & (1 << sidebands.flow_bits) - 1]

    def output(self) -> Iterator[bytes]:
        result = self.flow.segment(bytes(self._packet), self._more)
        self.error, self.records = result.error, list(result.records)
        self.counts = dict(result.counts)
        self.bad_records = list(result.bad_records)
        if self._parameters.sidebands.records is not None:
            self.marks += self.flow.flags
            self.tail = self.flow.tail
        self.code_points = code_points(self._parameters, result.output)
        yield result.output


def golden_of(parameters: TranscoderParameters, packet: Packet, sent: SentSidebands, flows: Flows,
              known: Known | None = None) -> Golden:
    """The model's result for a packet that enters a core, behind its splitter; a segment of its flow's text if the core
    has flows. ``known`` as in `Golden`."""
    if parameters.sidebands.flows is not None:
        return GoldenSegment(parameters, packet, sent, flows)
    return Golden(parameters.behind, packet, known)
