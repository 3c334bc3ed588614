"""Hardware against the golden model, while the simulation runs."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from runewire_model import Encoding, FirstError, TranscoderParameters

from .frames import Packet
from .results import Chunk, PacketEnd, Run, Stats, pack_tuser, unpack_tuser

PIECE = 1 << 18
"""Bytes of a packet that the model computes at a time: memory stays bounded for a packet of any size."""


@dataclass(frozen=True)
class Difference:
    """Where model and hardware first differ: ``packet`` counts from 0, ``what`` says it in one line."""

    packet: int
    what: str


@dataclass(frozen=True)
class PacketError:
    """An error that the model finds in packet number ``packet``."""

    packet: int
    error: FirstError


class Golden:
    """The model's answer to one packet, computed piece by piece while ``output`` is iterated."""

    def __init__(self, parameters: TranscoderParameters, packet: Packet) -> None:
        self._parameters = parameters
        self._packet = packet
        self.error: FirstError | None = None
        """The packet's first error, known when `output` is exhausted."""
        self.code_points = 0

    def output(self) -> Iterator[bytes]:
        """The output bytes; also fills `error` and `code_points`."""
        start = 0
        parameters = self._parameters
        for stop in self._cuts():
            if start:
                # A byte order mark is one at the packet's start only.
                parameters = replace(parameters, bom="keep")
            result = parameters.compute(bytes(self._packet[start:stop]))
            if result.error is not None and self.error is None:
                self.error = FirstError(result.error.kind, result.error.offset + parameters.reads.units(start))
            self.code_points += code_points(parameters, result.output)
            yield result.output
            start = stop

    def _cuts(self) -> Iterator[int]:
        """Ends of pieces that can be computed apart."""
        total = len(self._packet)
        for limit in range(PIECE, total, PIECE):
            yield self._parameters.reads.cut(self._packet, limit)
        yield total


@dataclass
class Report:
    """What a comparison has seen so far."""

    packets: int = 0
    """Packets compared."""
    bytes_in: int = 0
    """Their input bytes."""
    code_points: int = 0
    """Code points in the model's output; U+FFFD counts as one."""
    flagged: int = 0
    """Packets with an error."""
    first_error: PacketError | None = None
    differing: int = 0
    """Packets whose output or error differs."""
    first_difference: Difference | None = None
    protocol_errors: list[str] = field(default_factory=list)
    stats: Stats | None = None
    """The simulation's figures, when it is over."""

    @property
    def agree(self) -> bool:
        """Whether hardware and model agree in everything, and no protocol rule was broken."""
        return self.first_difference is None and not self.protocol_errors

    def add(self, golden: Golden, difference: str | None) -> None:
        """Count one more packet: the model's whole answer, and where the hardware's differs."""
        if golden.error is not None:
            self.flagged += 1
            self.first_error = self.first_error or PacketError(self.packets, golden.error)
        if difference is not None:
            self.differing += 1
            self.first_difference = self.first_difference or Difference(self.packets, difference)
        self.code_points += golden.code_points
        self.packets += 1


def code_points(parameters: TranscoderParameters, output: bytes) -> int:
    """Code points in an output: scalars, and where units pass through, units that begin a sequence."""
    return parameters.writes.count(output)


class Expected:
    """What the model says of one packet, held against the hardware's output as that comes in chunks."""

    def __init__(self, parameters: TranscoderParameters, packet: Packet) -> None:
        self._parameters = parameters
        self._golden = Golden(parameters, packet)
        self._pieces = self._golden.output()
        self._ready = b""
        self.position = 0
        """Bytes of output that agree so far."""
        self.difference: str | None = None
        """Where the packet first differs, in words."""

    def take(self, output: bytes) -> None:
        """Compare the next bytes that the hardware sends."""
        if self.difference is not None:
            return
        parts, size = [self._ready], len(self._ready)
        while size < len(output) and (piece := next(self._pieces, None)) is not None:
            parts.append(piece)
            size += len(piece)
        self._ready = b"".join(parts)
        if self._ready[: len(output)] == output:
            self._ready = self._ready[len(output) :]
            self.position += len(output)
        else:
            self.difference = _difference(self._parameters, self.position, self._ready, output)

    def finish(self, end: PacketEnd | None) -> Golden:
        """Compare the end of the packet, None where the hardware sends none. The model's answer is whole by then."""
        rest = sum(map(len, self._pieces)) + len(self._ready)
        if self.difference is None:
            if end is None:
                self.difference = "the hardware sends no more"
            elif rest:
                self.difference = f"the hardware sends {self.position} bytes, the model {self.position + rest}"
            else:
                self.difference = _error_difference(self._golden.error, end)
        return self._golden


def compare(
    parameters: TranscoderParameters,
    packets: Iterable[Packet],
    run: Run,
    *,
    on_chunk: Callable[[Chunk], None] | None = None,
    on_packet: Callable[[Report], None] | None = None,
) -> Report:
    """Compare each packet's result with the golden model as the simulation gives it.

    ``packets``: the same ones that ``run`` was given. ``on_chunk`` sees all that comes from the hardware,
    ``on_packet`` the report as it grows (after each packet, and after each chunk of a long one).
    Raises what the simulation raises.
    """
    report = Report(protocol_errors=run.protocol_errors)
    chunks = _seen(run, on_chunk)
    for packet in packets:
        expected = Expected(parameters, packet)
        before = report.bytes_in
        end = None
        for chunk in chunks:
            expected.take(chunk.output)
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
    """The chunks of a run, each shown to ``on_chunk`` first."""
    for chunk in run:
        if on_chunk is not None:
            on_chunk(chunk)
        yield chunk


def _consumed(parameters: TranscoderParameters, position: int, length: int) -> int:
    """About how many input bytes ``position`` output bytes stand for; for progress only."""
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
    """The first units of some data."""
    units = encoding.unpack(data[: 8 if encoding.unit_bytes == 1 else 16])
    if encoding.most_units == 1:
        return " ".join(f"U+{unit:04X}" for unit in units) or "nothing"
    return " ".join(f"{unit:0{2 * encoding.unit_bytes}X}" for unit in units) or "nothing"


def _error_difference(error: FirstError | None, end: PacketEnd) -> str | None:
    if end.tuser == pack_tuser(error):
        return None
    try:
        got = describe_error(unpack_tuser(end.tuser))
    except ValueError:
        got = f"tuser {end.tuser:#011x}"
    return f"first error: hardware {got}, model {describe_error(error)}"


def describe_error(error: FirstError | None) -> str:
    """An error in words, "none" for None."""
    return "none" if error is None else f"{error.kind.name} at {error.offset}"
