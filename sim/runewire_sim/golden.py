"""The golden model's result for a packet, piece by piece: memory stays bounded for a packet of any size."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from runewire_model import FirstError, Flow, PacketResult, TranscoderParameters
from runewire_model.moved_records import ENDS, ILL_FORMED, moved_records
from runewire_model.records import BadRecord, ends_with, split_records
from runewire_model.report_fields import COUNTERS, PacketText

from .block_packets import BlockPacket
from .wire_format import Packet

PIECE = 1 << 18
"""Bytes of a packet that the model computes at a time."""

LONGEST = 8
"""Bytes that show whether a character ends at a place: two units of the widest encoding, or more."""

Known = dict[tuple[str, bytes], tuple[PacketResult, int]]
"""The model's results for blocks, by encoding and block: the result, and its number of code points."""


class Golden:
    """The model's result for one packet, computed piece by piece while ``output`` is iterated.

    ``known``: results for blocks of other packets of this core, to which this packet's are added.
    """

    def __init__(self, parameters: TranscoderParameters, packet: Packet, known: Known | None = None) -> None:
        self._parameters = parameters
        self._packet = packet
        self._known: Known = {} if known is None else known
        self.error: FirstError | None = None
        """The packet's first error, complete when `output` is exhausted."""
        self.flow: Flow | None = None
        """The flow that answers the packet, if that is a segment."""
        self.code_points = 0
        self.counts: dict[str, int] = {}
        """The counters that the core has."""
        self.records: list[bool] = []
        """For each record whether it is ill-formed."""
        self.bad_records: list[BadRecord] = []
        """The ill-formed records, if the core reports them."""
        self._record = 0
        self.marks = bytearray()
        """`Chunk.marks` of the output so far; a reader may remove them from the front."""
        self.tail = 0
        """The flags of a last record without delimiter, if the last beat has them."""
        self._ill_formed = False

    def output(self) -> Iterator[bytes]:
        """The output bytes; fills the other attributes on the way."""
        start = 0
        parameters = self._parameters
        for stop in self._cuts():
            result, count = self._answer(parameters, start, stop)
            if result.error is not None and self.error is None:
                self.error = FirstError(result.error.kind, result.error.offset + parameters.reads.units(start))
            self.code_points += count
            for name, count in result.counts.items():
                self.counts[name] = self.counts.get(name, 0) + count
            if parameters.sidebands.records is not None:
                self._mark(start, stop, parameters, result)
            yield result.output
            if not start and stop < len(self._packet):
                parameters = _inside(parameters, parameters.reads.order_of(self._packet).name)
            start = stop

    def _answer(self, parameters: TranscoderParameters, start: int, stop: int) -> tuple[PacketResult, int]:
        """The model's result for a piece, and its code points."""
        piece = bytes(self._packet[start:stop])
        # The first and the last piece are incomplete blocks.
        whole = isinstance(self._packet, BlockPacket) and start > 0 and stop < len(self._packet)
        known = self._known.get((parameters.source, piece)) if whole else None
        if known is not None:
            return known
        result = parameters.compute(piece)
        answer = result, code_points(parameters, result.output)
        if whole:
            self._known[parameters.source, piece] = answer
        return answer

    def _mark(self, start: int, stop: int, parameters: TranscoderParameters, result: PacketResult) -> None:
        """Add the records of a piece, which the core of ``parameters`` reads; its last one may continue in the next
        piece."""
        text = bytes(self._packet[start:stop])
        bad = {each.record: each for each in result.bad_records}
        moves = parameters.sidebands.tail
        self.marks += bytes(len(parameters.mark))
        for number, (piece, output, complete) in enumerate(_pieces(parameters, text)):
            if number in bad and not self._ill_formed:
                offset = bad[number].offset + self._parameters.reads.units(start - self._record)
                self.bad_records.append(BadRecord(len(self.records), bad[number].kind, offset))
            self._ill_formed |= result.records[number]
            self.marks += bytes(output)
            start += piece
            if complete or start == len(self._packet):
                flags = ENDS | (ILL_FORMED if self._ill_formed else 0)
                if complete or not moves:
                    self.marks[-1] = flags
                else:
                    self.tail = flags
                self.records.append(self._ill_formed)
                self._ill_formed = False
                self._record = start
        # A record in several pieces is one.
        counted = PacketText(records=self.records)
        for counter in COUNTERS.values():
            if counter.of_records and counter.field in self.counts:
                self.counts[counter.field] = counter.value(counted)

    def _cuts(self) -> Iterator[int]:
        """Ends of pieces that the model can compute separately."""
        if self._parameters.filters:
            cuts = []  # only a complete record shows whether it is too long
        elif isinstance(self._packet, BlockPacket):
            cuts = [*self._packet.cuts]
        else:
            limits = range(PIECE, len(self._packet), PIECE)
            cuts = [self._parameters.reads.cut(self._packet, limit) for limit in limits]
        yield from filter(self._between_runs, cuts)
        yield len(self._packet)

    def _between_runs(self, cut: int) -> bool:
        """Whether no run of ill-formed subparts that has one replacement crosses the cut."""
        if not self._parameters.replace_runs:
            return True
        # In the byte order of the packet's mark.
        reads = _inside(self._parameters, self._parameters.reads.order_of(self._packet).name).reads
        whole = reads.ends(bytes(self._packet[max(0, cut - LONGEST) : cut]), "drop", "keep")
        return whole[-1:] == b"\1"


def _pieces(parameters: TranscoderParameters, text: bytes) -> Iterator[tuple[int, int, bool]]:
    """For each record of a text its bytes, those of its output, and whether its delimiter ends it."""
    delimiter = parameters.sidebands.records
    assert delimiter is not None
    if parameters.sidebands.tail:
        for record in moved_records(parameters, text):
            yield len(record.text), len(record.output), record.complete
        return
    order = parameters.reads.order_of(text)
    for piece in split_records(text, delimiter, order):
        yield len(piece), len(piece), ends_with(order, piece, delimiter)


@lru_cache
def _inside(parameters: TranscoderParameters, order: str) -> TranscoderParameters:
    """The parameters for a packet's pieces after the first, in the byte ``order`` of its mark.

    U+FEFF after the packet's start is no byte order mark.
    """
    return replace(parameters, source=order, bom="keep")


def code_points(parameters: TranscoderParameters, output: bytes) -> int:
    """Code points in an output: scalars, or, if units pass through, units that begin a sequence."""
    return parameters.writes.count(output)
