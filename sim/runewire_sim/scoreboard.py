"""Scoreboard: the hardware's output against the golden model's, while the simulation runs."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from runewire_model import Encoding, FirstError, PacketResult, TranscoderParameters
from runewire_model.records import split_records
from runewire_model.report import Sidebands

from .block_packets import BlockPacket
from .results import ENDS, ILL_FORMED, Chunk, PacketEnd, Run, Stats
from .sidebands import SentSidebands, ending, report_and_user, sent_sidebands
from .wire_format import Packet

PIECE = 1 << 18
"""Bytes of a packet that the model computes at a time, which bounds the memory for a packet of any size."""


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
        self.code_points = 0
        self.counts: dict[str, int] = {}
        """The counters that the core has."""
        self.records: list[bool] = []
        """For each record whether it is ill-formed."""
        self.marks = bytearray()
        """`Chunk.marks` of the output so far; a reader may remove them from the front."""
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
                self._mark(start, stop, parameters.sidebands.records, result.records)
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

    def _mark(self, start: int, stop: int, delimiter: int, ill_formed: tuple[bool, ...]) -> None:
        """Add the records of a piece; its last one may continue in the next piece."""
        pieces = split_records(bytes(self._packet[start:stop]), delimiter)
        for piece, wrong in zip(pieces, ill_formed, strict=True):
            self._ill_formed |= wrong
            self.marks += bytes(len(piece))
            start += len(piece)
            if piece[-1] == delimiter or start == len(self._packet):
                self.marks[-1] = ENDS | (ILL_FORMED if self._ill_formed else 0)
                self.records.append(self._ill_formed)
                self._ill_formed = False
        for name, count in (("records", len(self.records)), ("bad_records", sum(self.records))):
            if name in self.counts:
                self.counts[name] = count

    def _cuts(self) -> Iterator[int]:
        """Ends of pieces that the model can compute separately."""
        total = len(self._packet)
        if isinstance(self._packet, BlockPacket):
            yield from self._packet.cuts
        else:
            for limit in range(PIECE, total, PIECE):
                yield self._parameters.reads.cut(self._packet, limit)
        yield total


@lru_cache
def _inside(parameters: TranscoderParameters, order: str) -> TranscoderParameters:
    """The parameters for a packet's pieces after the first, in the byte ``order`` of its mark.

    U+FEFF after the packet's start is no byte order mark.
    """
    return replace(parameters, source=order, bom="keep")


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
    first_error: PacketError | None = None
    differing: int = 0
    """Packets with a difference."""
    first_difference: Difference | None = None
    protocol_errors: list[str] = field(default_factory=list)
    stats: Stats | None = None
    """The simulation's figures, at its end."""

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
        self.packets += 1


def code_points(parameters: TranscoderParameters, output: bytes) -> int:
    """Code points in an output: scalars, or, if units pass through, units that begin a sequence."""
    return parameters.writes.count(output)


class PacketComparison:
    """The comparison of packet ``number``, chunk by chunk of the hardware's output."""

    def __init__(self, parameters: TranscoderParameters, packet: Packet, number: int, known: Known) -> None:
        self._parameters = parameters
        self._number = number
        self._golden = Golden(parameters, packet, known)
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
            self.difference = _difference(self._parameters, self.position, self._ready, output)
        elif marks[: len(output)] != chunk.marks:
            self.difference = _mark_difference(self.position, marks, chunk.marks)
        else:
            self._ready = self._ready[len(output) :]
            del marks[: len(output)]
            self.position += len(output)

    def finish(self, end: PacketEnd | None) -> Golden:
        """Compare the packet's end, None if the hardware sent none. Returns the model's complete result."""
        rest = sum(map(len, self._pieces)) + len(self._ready)
        if self.difference is None:
            if end is None:
                self.difference = "the hardware sends no more"
            elif rest:
                self.difference = f"the hardware sends {self.position} bytes, the model {self.position + rest}"
            else:
                sidebands = self._parameters.sidebands
                self.difference = end_difference(sidebands, self._golden.error, self._golden.counts,
                                                 sent_sidebands(sidebands, self._number), end)
        return self._golden


def compare(
    parameters: TranscoderParameters,
    packets: Iterable[Packet],
    run: Run,
    *,
    on_chunk: Callable[[Chunk], None] | None = None,
    on_packet: Callable[[Report], None] | None = None,
) -> Report:
    """Compare each packet's result with the golden model's while the simulation runs.

    ``packets``: the same as for ``run``. ``on_chunk`` is called with each chunk from the hardware, ``on_packet`` with
    the growing report, after each packet and after each chunk of a long one. Raises what the simulation raises.
    """
    report = Report(protocol_errors=run.protocol_errors)
    known: Known = {}
    chunks = _seen(run, on_chunk)
    for number, packet in enumerate(packets):
        expected = PacketComparison(parameters, packet, number, known)
        before = report.bytes_in
        end = None
        for chunk in chunks:
            expected.take(chunk)
            if (end := chunk.end) is not None:
                break
            if on_packet is not None and expected.position:
                report.bytes_in = before + _consumed(parameters, expected.position, len(packet))
                on_packet(report)
        golden = expected.finish(end)
        report.bytes_in = before + len(packet)
        report.add(golden, expected.difference)
        if on_packet is not None:
            on_packet(report)
        if end is None:
            break
    for _ in chunks:
        extra = Difference(report.packets, "the hardware sends a packet that nobody sent it")
        report.first_difference = report.first_difference or extra
    report.stats = run.stats
    return report


def _seen(run: Run, on_chunk: Callable[[Chunk], None] | None) -> Iterator[Chunk]:
    """The chunks of a run; each goes to ``on_chunk`` first."""
    for chunk in run:
        if on_chunk is not None:
            on_chunk(chunk)
        yield chunk


def _consumed(parameters: TranscoderParameters, position: int, length: int) -> int:
    """Input bytes for ``position`` output bytes, about; for progress only."""
    return min(position * parameters.reads.unit_bytes // parameters.writes.unit_bytes, length)


def _difference(parameters: TranscoderParameters, position: int, expected: bytes, got: bytes) -> str:
    pairs = enumerate(zip(expected, got, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(expected), len(got)))
    encoding = parameters.writes
    number = (position + at) // encoding.unit_bytes
    start = number * encoding.unit_bytes - position
    hardware, model = (_units(encoding, data[start:]) for data in (got, expected))
    return f"{encoding.unit} {number}: hardware {hardware}, model {model}"


def _units(encoding: Encoding, data: bytes) -> str:
    """The first units of ``data``, in words."""
    units = encoding.orders[0].unpack(data[: 8 if encoding.unit_bytes == 1 else 16])
    if encoding.most_units == 1:
        return " ".join(f"U+{unit:04X}" for unit in units) or "nothing"
    return " ".join(f"{unit:0{2 * encoding.unit_bytes}X}" for unit in units) or "nothing"


MARKS = ("no record's end", "a well-formed record's end", "a mark without a record's end", "an ill-formed record's end")
"""A byte's record flag in words."""


def _mark_difference(position: int, expected: bytes | bytearray, got: bytes) -> str:
    pairs = enumerate(zip(expected, got, strict=False))
    at = next((at for at, (a, b) in pairs if a != b), min(len(expected), len(got)))
    hardware, model = (MARKS[marks[at]] if at < len(marks) else "nothing" for marks in (got, expected))
    return f"records, byte {position + at}: hardware {hardware}, model {model}"


def end_difference(sidebands: Sidebands, error: FirstError | None, counts: Mapping[str, int], sent: SentSidebands,
                   end: PacketEnd) -> str | None:
    """The difference of a packet's end from the model's ``error`` and ``counts``, and from the ``sent`` sidebands.

    One line, or None without a difference.
    """
    expected = ending(sidebands, error, counts, sent)
    if (end.tuser, end.report, end.tid, end.tdest) == expected:
        return None
    for name, hardware, model in (("tid", end.tid, expected.id), ("tdest", end.tdest, expected.dest)):
        if hardware != model:
            return f"{name}: hardware {hardware:#x}, model {model:#x}"
    if end.report is None and expected.report is not None:
        return "the hardware sends no report"
    if end.report != expected.report:
        return _report_difference(sidebands, expected.report or 0, end.report or 0)
    report, user = report_and_user(sidebands, end.tuser, end.report)
    model, carried = report_and_user(sidebands, expected.tuser, end.report)
    if report != model:
        return _report_difference(sidebands, model, report)
    return f"tuser carried: hardware {user:#x}, model {carried:#x}"


def _report_difference(sidebands: Sidebands, expected: int, got: int) -> str:
    model = sidebands.unpack(expected)
    try:
        hardware = sidebands.unpack(got)
    except ValueError:
        return f"first error: hardware tuser {got:#011x}, model {describe_error(model.error)}"
    if hardware.error != model.error:
        return f"first error: hardware {describe_error(hardware.error)}, model {describe_error(model.error)}"
    if hardware.bad != model.bad:
        return f"packet bad: hardware {hardware.bad}, model {model.bad}"
    name = next(name for name, count in model.counts.items() if hardware.counts[name] != count)
    return f"{name}: hardware {hardware.counts[name]}, model {model.counts[name]}"


def describe_error(error: FirstError | None) -> str:
    """An error in words, "none" for None."""
    return "none" if error is None else f"{error.kind.name} at {error.offset}"
