"""``runewire simulate``."""

import contextlib
import json
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from runewire_model import TranscoderParameters
from runewire_model.errors import check_choice
from runewire_model.report import REPORTS, Sidebands
from runewire_model.splitting import record_packets
from runewire_sim import SIMULATORS, Chunk, Report, Stalls
from runewire_sim.rejects import reject_end
from runewire_sim.results import PacketEnd, RejectedRecord
from runewire_sim.segments import Segment
from runewire_sim.wire_format import Packet

from ..console import PlainConsole, error_console, output_console
from ..cores import Core
from ..files import STANDARD, Output, input_bytes, output_stream, writing
from ..hex_packets import HexPackets
from ..options import Seed, Simulator, number, with_core, writable
from ..usage_errors import UsageFailure


@with_core
def simulate(
    parameters: TranscoderParameters,
    file: Annotated[Path | None, typer.Argument(
        metavar="FILE|-", help="Input, one packet, in the encoding that the core reads.", show_default=False)] = None,
    packets: Annotated[Path | None, typer.Option(
        metavar="FILE", show_default=False,
        help="Input instead of FILE: one packet a line in hex; an empty line is an empty packet. With --flows "
             "FLOW:HEX, and + at the end if the text continues.")] = None,
    results: Annotated[Path | None, typer.Option(
        metavar="FILE", show_default=False, callback=writable, help="Write each result as a line of JSON.")] = None,
    output: Annotated[Path | None, typer.Option(
        metavar="FILE", show_default=False, callback=writable, help="Write the bytes that the hardware sends.")] = None,
    simulator: Simulator = "verilator",
    stall: Annotated[float, typer.Option(
        parser=number, metavar="P", help="Probability of a pause, each cycle on each side.")] = 0.0,
    side_stall: Annotated[float | None, typer.Option(
        parser=number, metavar="P", show_default=False,
        help="Probability of a pause of the sink of rejected records or record reports. Default: as --stall.")] = None,
    holes: Annotated[float, typer.Option(
        parser=number, metavar="P", help="Probability of a null byte in each lane, for cores that take them anywhere.",
    )] = 0.0,
    seed: Seed = 0,
    waves: Annotated[Path | None, typer.Option(
        metavar="FILE", show_default=False, callback=writable,
        help="Write the waves, VCD or FST by the extension.")] = None,
) -> int:
    """Run a core's generated Verilog on FILE and compare each packet with the golden model.

    Exit status 0: hardware and model agree (also on ill-formed input, which is reported); 1: they differ.
    """
    check_choice("simulator", simulator, tuple(SIMULATORS))
    stalls = Stalls(stall, stall, seed, holes, side_stall, side_stall)
    if holes and not parameters.holes:
        raise UsageFailure(f"--holes goes with the packer and --null-bytes anywhere, got {parameters}")
    if side_stall is not None and not (parameters.sidebands.rejects or parameters.sidebands.record_report):
        raise UsageFailure(f"--side-stall goes with --rejects and --record-report, got {parameters}")
    if (file is None) == (packets is None):
        raise UsageFailure("give the input as FILE (- for standard input) or with --packets, one of the two")
    if results == output == STANDARD:
        raise UsageFailure("--results and --output cannot both go to standard output")
    source = file if file is not None else packets
    assert source is not None
    console = error_console() if STANDARD in (results, output) else output_console()

    with contextlib.ExitStack() as stack:
        content = stack.enter_context(input_bytes(source))
        items = _packets(content, source, parameters.sidebands.flows, whole=packets is None)
        sinks: list[Callable[[Chunk], None]] = []
        lines = None
        if results is not None:
            lines = _ResultLines(stack.enter_context(output_stream(results)), parameters, items)
            sinks.append(lines)
        if output is not None:
            raw = stack.enter_context(output_stream(output))
            sinks.append(lambda chunk: raw.write(chunk.output))
        drawn = stack.enter_context(writing(waves)) if waves is not None else None
        advance = stack.enter_context(_progress(len(content) if packets is None else None))

        def take(chunk: Chunk) -> None:
            for sink in sinks:
                sink(chunk)

        report = Core(parameters).stream(items, take, advance, stalls=stalls, waves=drawn, simulator=simulator,
                                         on_reject=None if lines is None else lines.reject)
    _summary(console, parameters, simulator, report)
    return 0 if report.agree else 1


def _packets(content: memoryview, source: Path, flows: int | None, whole: bool) -> Iterable[Packet]:
    name = "standard input" if source == STANDARD else str(source)
    if not whole:
        return HexPackets(content, name, flows)
    return [content if flows is None else Segment(bytes(content))]


def _places(parameters: TranscoderParameters, packets: Iterable[Packet]) -> Iterator[dict[str, Any]]:
    """For each packet that a core that splits puts out, the numbers of the input packet and of its record there."""
    if parameters.splits:
        for number, packet in enumerate(packets):
            for each in record_packets(bytes(packet), parameters.sidebands):
                cut = {} if parameters.sidebands.longest is None else {"cut": each.cut}
                yield {"packet": number, "record": each.record, **cut}


def _rejects(parameters: TranscoderParameters, packets: Iterable[Packet]) -> Iterator[int]:
    """For each record that a filter rejects, the number of its packet."""
    for at, packet in enumerate(packets):
        yield from (at for _ in parameters.rejects(bytes(packet)))


class _ResultLines:
    """Writes one JSON line per packet, and one per rejected record; output of any size is streamed."""

    def __init__(self, stream: Output, parameters: TranscoderParameters, packets: Iterable[Packet]) -> None:
        self._stream = stream
        self._places = _places(parameters, packets)
        self._packets = _rejects(parameters, packets)
        self._rejects: list[dict[str, Any]] = []
        self._sidebands = parameters.sidebands
        self._inside = False
        self._records: list[bool] = []

    def __call__(self, chunk: Chunk) -> None:
        text = "" if self._inside else '{"output": "'
        text += chunk.output.hex()
        self._records += chunk.records
        self._inside = chunk.end is None
        if chunk.end is not None:
            self._records += chunk.end.tail_records(self._sidebands)
            told = {**next(self._places, {}), **_told_json(self._sidebands, chunk.end),
                    **_segment_json(self._sidebands, chunk.end),
                    **({} if self._sidebands.records is None else {"records": self._records}),
                    **_bad_records_json(self._sidebands, chunk.end)}
            text += "".join(f', "{name}": {json.dumps(value)}' for name, value in told.items()).join(('"', "}\n"))
            self._records = []
        self._stream.write(text.encode())
        self._write_rejects()

    def reject(self, reject: RejectedRecord) -> None:
        """A rejected record: its line follows the line of its packet."""
        error, record, long = reject_end(self._sidebands, reject.tuser)
        self._rejects.append({
            "rejected": reject.data.hex(), "packet": next(self._packets, None), "record": record,
            "error": None if error is None else {"kind": error.kind.name, "offset": error.offset}, "long": long})
        self._write_rejects()

    def _write_rejects(self) -> None:
        if not self._inside:
            self._stream.write("".join(f"{json.dumps(line)}\n" for line in self._rejects).encode())
            self._rejects = []


def _segment_json(sidebands: Sidebands, end: PacketEnd) -> dict[str, Any]:
    """A segment's flow, and whether its text continues."""
    if sidebands.flows is None:
        return {}
    return {"flow": end.tid, "more": end.more(sidebands)}


def _bad_records_json(sidebands: Sidebands, end: PacketEnd) -> dict[str, Any]:
    """A packet's ill-formed records, as the record report has them."""
    if not sidebands.record_report:
        return {}
    return {"bad_records": [{"record": each.record, "kind": each.kind.name, "offset": each.offset}
                            for each in end.bad_records]}


def _told_json(sidebands: Sidebands, end: PacketEnd) -> dict[str, Any]:
    """A packet's report: the first error, as far as it is reported; ``bad`` if that adds something; the counters."""
    try:
        told = end.told(sidebands)
    except ValueError:
        return {"error": {"kind": "INVALID", "offset": end.tuser >> 4 & 0xFFFFFFFF}}
    found: dict[str, Any] = {}
    depth = REPORTS.index(sidebands.report)
    if depth >= REPORTS.index("kind"):
        error = told.error
        found["error"] = None if error is None else {"kind": error.kind.name, "offset": error.offset}
        if error is not None and sidebands.report == "kind":
            del found["error"]["offset"]
    if sidebands.report == "flag" or (sidebands.user and depth):
        found["bad"] = told.bad
    if told.counts:
        found["counts"] = dict(told.counts)
    return found


@contextlib.contextmanager
def _progress(total: int | None) -> Iterator[Callable[[Report], None]]:
    """A progress bar on a terminal. No output elsewhere."""
    console = error_console()
    if not console.is_terminal:
        yield lambda report: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("simulating", total=total)
        due = 0.0

        def advance(report: Report) -> None:
            nonlocal due
            if time.monotonic() >= due:
                bar.update(task, completed=report.bytes_in)
                due = time.monotonic() + 0.1

        yield advance


def _summary(console: PlainConsole, parameters: TranscoderParameters, simulator: str, report: Report) -> None:
    assert report.stats is not None
    cycles, seconds = report.stats.busy_cycles, report.seconds
    rate = f", {report.stats.bytes_in / cycles:.2f} bytes per cycle" if cycles else ""
    rows = [
        ("core", str(parameters)),
        ("packets", f"{report.packets:,}{' of records' if parameters.splits else ''}"),
        ("bytes in", f"{report.bytes_in:,}"),
        *([] if parameters.moves_bytes else [("code points", f"{report.code_points:,}")]),
        ("cycles", f"{cycles:,}{rate}"),
        ("simulated", f"by {simulator} in {seconds:.1f} s, {report.stats.cycles / seconds:,.0f} cycles/s"),
    ]
    unit = parameters.reads.unit
    found = report.first_error
    if found is None and not parameters.moves_bytes:
        rows.append(("first error", "none, the input is well-formed"))
    elif found is not None:
        where = f"{found.error.kind.name} at {unit} {found.error.offset:,}"
        of = f" of packet {found.packet:,}; {report.flagged:,} packets flagged" if report.packets > 1 else ""
        rows.append(("first error", where + of))
    if parameters.sidebands.records is not None:
        rows.append(("records", f"{report.records:,}, {report.bad_records:,} ill-formed"))
    if parameters.filters:
        rows.append(("rejected", f"{report.rejected:,} record{'' if report.rejected == 1 else 's'}"))
    for message in report.protocol_errors:
        rows.append(("protocol error", message))
    if report.first_difference is not None:
        found_difference = report.first_difference
        rows.append(("first difference", f"packet {found_difference.packet:,}, {found_difference.what}"))
    if report.agree:
        rows.append(("result", "hardware and model agree"))
    elif report.first_difference is not None:
        rows.append(("result", f"hardware and model DIFFER in {report.differing:,} of {report.packets:,} packets"))
    else:
        rows.append(("result", "hardware and model agree, but the hardware BREAKS the protocol"))
    width = max(len(name) for name, _ in rows) + 2
    for name, value in rows:
        console.print(f"{name:<{width}}{value}")
