"""Timing diagrams of the pages, drawn from the waves of a simulation."""

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, pairwise
from pathlib import Path
from typing import NamedTuple

from runewire_drawing.style import style
from runewire_drawing.svg import document, path, rectangle, text
from runewire_model import (
    DecoderParameters,
    EncoderParameters,
    ErrorKind,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
    parameters,
)
from runewire_model.timeline import Timeline, timeline
from runewire_rtl import timing
from runewire_sim import Stalls, generated
from runewire_sim.verilator import run
from runewire_sim.waves import WaveField, fields

from .part import DOCS, GeneratedFile

DECODER = DecoderParameters(lanes=4)
RECORDS = ValidatorParameters(lanes=4, records=0x0A)

FORMS = {1: "{:02X}", 2: "{:04X}", 4: "U+{:04X}"}
"""How a unit is shown, by its bytes."""

LETTER = 7.3
"""Width of a letter of the labels, in pixels."""
QUIET = 8
"""Cycles without an output beat from which on a diagram leaves them out."""
COLUMN, ROW, GAP, TOP, MARGIN = 80, 24, 30, 30, 12
STYLE = style({
    "text": 'font: 12px ui-monospace, "DejaVu Sans Mono", monospace; fill: $ink',
    ".tick": "font-size: 11px; fill: $faint",
    ".bits": "fill: $faint",
    ".paper": "fill: $panel",
    ".moves": "fill: $highlight",
    ".wire": "fill: none; stroke-width: 1.4; stroke: $ink",
    ".clock": "stroke: $dim",
    ".value": "stroke-width: 1.2; fill: $paper; stroke: $ink",
    ".idle": "stroke-width: 1; stroke-dasharray: 2 3; stroke: $dim",
    ".cut": "stroke-width: 1; stroke-dasharray: 4 3; stroke: $dim",
})

Cycle = dict[str, int]
"""The value of each signal in one cycle, just before the edge that ends it."""


class DiagramRow(NamedTuple):
    """A signal of the diagram.

    Attributes
    ----------
    name : its name in waves
    kind : clock, bit or bus
    port : prefix of the stream that it belongs to
    value : its value in a cycle; None while it does not matter
    bits : the bits of a port that it is, where it has a name of its own
    """

    name: str
    kind: str
    port: str
    value: Callable[[Cycle], str | int | None]
    bits: str = ""


@dataclass(frozen=True)
class Diagram:
    """A packet to send through ``core``.

    ``paused``: the source pauses once inside it, and the sink stalls twice. ``report``: with rows for the first error.
    ``reset``: the packet follows traffic that a reset of one cycle ends; the diagram has no data. ``stalls``: the null
    bytes.
    """

    name: str
    title: str
    packet: bytes
    core: TranscoderParameters = DECODER
    paused: bool = False
    report: bool = False
    reset: bool = False
    stalls: Stalls = Stalls()  # noqa: RUF009, it is frozen


DIAGRAMS = (
    Diagram("timing-packet", "the packet €é😀, with a pause of the source and a stall of the sink",
            "€é😀".encode(), paused=True),
    Diagram("timing-error", "the packet 6F 6B 20 E2 82 28, whose € is cut short", b"ok \xe2\x82(", report=True),
    Diagram("timing-records", "the packet 61 0A 0A E2 82 0A 6F 6B, whose third record of four is ill-formed",
            b"a\n\n\xe2\x82\nok", RECORDS, report=True),
    Diagram("timing-validator", "the packet 6F 6B 20 E2 82 28, whose € is cut short", b"ok \xe2\x82(",
            ValidatorParameters(lanes=4), report=True),
    Diagram("timing-encoder", "the packet €é😀 of UTF-32LE", "€é😀".encode("utf-32-le"), EncoderParameters(lanes=2)),
    Diagram("timing-transcoder", "the packet 😀€A of UTF-16LE", "😀€A".encode("utf-16-le"),
            TranscoderParameters("utf-16le", "utf-8", lanes=2)),
    Diagram("timing-sanitizer", "the packet E2 82 AC E2 82 41, whose second € is cut short", b"\xe2\x82\xac\xe2\x82A",
            SanitizerParameters(lanes=4, replacement=0x3F), report=True),
    Diagram("timing-packer", "the packet 70 61 63 6B 65 64 in four beats with null bytes", b"packed",
            parameters("packer", lanes=4), stalls=Stalls(seed=226, holes=0.5)),
    Diagram("timing-splitter", "the packet 61 0A 62 63 64 65 66 0A, of which two records become packets",
            b"a\nbcdef\n", parameters("splitter", lanes=4)),
    Diagram("timing-filter", "the packet 61 0A 62 FF 0A 63 64, whose second record of three is ill-formed",
            b"a\nb\xFF\ncd", parameters("filter", lanes=4, longest=64, rejects=True)),
    Diagram("timing-reset", "a reset of one cycle in traffic, and the packet after it", b"ok", reset=True),
)


def stalls(diagram: Diagram) -> Stalls:
    """The first stalls that do what the diagram is to show, by the cycle model."""
    core = diagram.core
    if not diagram.paused:
        return diagram.stalls
    for seed in count():
        found = Stalls(0.5, 0.5, seed)
        if _wanted(timeline(core, [diagram.packet], timing(core), found.source_pauses.at, found.sink_pauses.at)):
            return found
    raise AssertionError("count() has no end")


def _wanted(found: Timeline) -> bool:
    gaps, waits = found.input.gaps, found.output.waits
    return [len(gap) for gap in gaps] == [1] and [len(wait) for wait in waits] == [2]


def cycles(vcd: str) -> list[Cycle]:
    """Every cycle, from the waves."""
    header, _, body = vcd.partition("$enddefinitions $end")
    # A signal that several modules see has one code and as many names.
    names: dict[str, set[str]] = {}
    for code, name in re.findall(r"\$var \w+ +\d+ (\S+) (\w+)(?: \[[\d:]+\])? \$end", header.partition("$upscope")[0]):
        names.setdefault(code, set()).add(name)
    now: Cycle = {}
    before: Cycle = {}
    found = []
    for line in body.splitlines():
        if line.startswith("#"):
            before = dict(now)
            continue
        value, _, code = line[1:].partition(" ") if line.startswith("b") else (line[:1], "", line[1:])
        for name in names.get(code, ()):
            now[name] = int(value, 2)
            if name == "aclk" and now[name] and before and not before["aclk"]:
                found.append(before)
    return found


def traced(diagram: Diagram) -> list[Cycle]:
    """The cycles of the diagram's simulation."""
    if not diagram.reset:
        return _simulated(diagram, stalls(diagram))
    for seed in count():
        found = _simulated(diagram, Stalls(0, 0, seed), "+resets=1")
        if _in_traffic(found):
            return found
    raise AssertionError("count() has no end")


def _simulated(diagram: Diagram, stalls: Stalls, *plus: str) -> list[Cycle]:
    with tempfile.TemporaryDirectory() as room:
        waves = Path(room) / "waves.vcd"
        with run(generated(diagram.core), [diagram.packet], stalls, waves, plus=plus) as results:
            list(results)
        return cycles(waves.read_text(encoding="utf-8"))


def _reset(every: list[Cycle]) -> int:
    """The cycle in which the reset begins that ends the traffic."""
    return next(number for number in range(1, len(every))
                if every[number - 1]["aresetn"] and not every[number]["aresetn"])


def _in_traffic(every: list[Cycle]) -> bool:
    """Whether a reset of one cycle came while a packet was on its way in and another on its way out."""
    first = _reset(every)
    before = every[first - 1]
    taken = before["s_axis_tvalid"] and before["s_axis_tready"] and not before["s_axis_tlast"]
    return bool(every[first + 1]["aresetn"] and taken and before["m_axis_tvalid"] and every[first]["m_axis_tvalid"])


def _parts(diagram: Diagram, every: list[Cycle]) -> tuple[int, list[range]]:
    """The cycle that is number 0, and the cycles that are shown, part by part."""
    begin = _reset(every) if diagram.reset else 0
    entering = [number for number, cycle in enumerate(every) if cycle["s_axis_tvalid"] and number > begin]
    leaving = [number for number, cycle in enumerate(every)
               if number > begin and any(cycle[f"{port}_tvalid"] for port in _ports(diagram)[1:])]
    ends = [at for at, (one, other) in enumerate(pairwise(leaving), 1) if other - one > QUIET]
    left = [range(leaving[start] - 1, leaving[stop - 1] + 2) for start, stop in pairwise([0, *ends, len(leaving)])]
    if not diagram.reset:
        return entering[0], [range(entering[0], entering[-1] + 2), *left]
    return begin, [range(begin - 2, begin + 3), range(entering[0] - 1, entering[-1] + 2), *left]


def drawing(diagram: Diagram) -> str:
    """The diagram in SVG."""
    every = traced(diagram)
    zero, parts = _parts(diagram, every)
    rows = _rows(diagram)
    columns = [max(len(label) for label in labels) * LETTER for labels in zip(*(
        (row.name if row.bits else "", row.bits or row.name) for row in rows), strict=True)]
    edge = round(sum(width + MARGIN for width in columns if width)) + MARGIN
    height = TOP + ROW * len(rows) + MARGIN
    drawn = []
    x = edge
    for part in parts:
        if part is not parts[0]:
            drawn.append(path(f"M{x - GAP / 2} {TOP - 18}V{height - 8}", "cut"))
        drawn += _part(rows, [every[number] for number in part], part[0] - zero, x)
        x += COLUMN * len(part) + GAP
    drawn.append(text(edge - MARGIN, TOP - 10, "cycle", "tick", "end"))
    for number, row in enumerate(rows):
        y = TOP + ROW * number + 16
        # The port is next to its wave; on the left is the name that a wave viewer shows for some of its bits.
        drawn.append(text(edge - MARGIN, y, row.bits or row.name, anchor="end"))
        if row.bits:
            drawn.append(text(MARGIN, y, row.name, "bits"))
    title = f"{diagram.core.lanes}-lane {diagram.core.core}, {diagram.title}"
    return document(x - GAP + MARGIN, height, drawn, style=STYLE, title=title)


def _part(rows: Sequence[DiagramRow], cycles: Sequence[Cycle], first: int, left: float) -> list[str]:
    """Waves of successive cycles, of which ``first`` is the number; shaded where a stream transfers a beat."""
    drawn = []
    for index, cycle in enumerate(cycles):
        x = left + COLUMN * index
        drawn.append(text(x + COLUMN / 2, TOP - 10, str(first + index), "tick", "middle"))
        for port in dict.fromkeys(row.port for row in rows if row.port):
            if cycle["aresetn"] and cycle[f"{port}_tvalid"] and cycle[f"{port}_tready"]:
                span = [number for number, row in enumerate(rows) if row.port == port]
                drawn.append(rectangle(x, TOP + ROW * span[0], COLUMN, ROW * len(span), "moves"))
    for number, row in enumerate(rows):
        drawn += _wave(row.kind, [row.value(cycle) for cycle in cycles], left, TOP + ROW * number)
    return drawn


def _ports(diagram: Diagram) -> list[str]:
    """Prefixes of the streams of bytes, the input first."""
    return ["s_axis", "m_axis", *(["m_rejects"] if diagram.core.sidebands.rejects else [])]


def _rows(diagram: Diagram) -> list[DiagramRow]:
    core = diagram.core
    clock = DiagramRow("aclk", "clock", "", lambda cycle: None)
    if diagram.reset:
        return [clock, _level("aresetn"), *(
            row for port in ("s_axis", "m_axis")
            for row in (_level(f"{port}_tvalid"), _level(f"{port}_tready"), _while_valid(port, f"{port}_tlast")))]
    found = fields(core)
    rows = [clock]
    for port in _ports(diagram):
        encoding = core.reads if port == "s_axis" else core.writes
        rows += [_level(f"{port}_tvalid"), _level(f"{port}_tready"), _keep(port)]
        units = [field for field in found if field.port == f"{port}_tdata"]
        for lane, unit in enumerate(units):
            rows.append(_unit(unit, encoding.unit_bytes))
            rows += [_while_valid(port, flag.name, _bits(flag)) for flag in found
                     if port == "m_axis" and flag.name in (f"out_record_ends_{lane}", f"out_record_bad_{lane}")]
        rows.append(_while_valid(port, f"{port}_tlast"))
    rows += [_of_reject(field) for field in found if field.name in ("reject_kind", "reject_offset", "reject_record")]
    if diagram.report:
        rows += [_of_report(field) for field in found if field.name.startswith("out_error")]
    return rows


def _bits(field: WaveField) -> str:
    high = field.lsb + field.width - 1
    return f"{field.port}[{field.lsb if field.width == 1 else f'{high}:{field.lsb}'}]"


def _level(name: str) -> DiagramRow:
    return DiagramRow(name, "bit", name.rpartition("_")[0], lambda cycle: cycle[name])


def _while_valid(port: str, name: str, bits: str = "") -> DiagramRow:
    return DiagramRow(name, "bit", port, lambda cycle: cycle[name] if cycle[f"{port}_tvalid"] else None, bits)


def _keep(port: str) -> DiagramRow:
    return DiagramRow(f"{port}_tkeep", "bus", port,
               lambda cycle: f"{cycle[f'{port}_tkeep']:X}" if cycle[f"{port}_tvalid"] else None)


def _unit(field: WaveField, octets: int) -> DiagramRow:
    """A unit of ``tdata``; it matters while ``tkeep`` of its first byte is set."""
    port, keep = field.port.rpartition("_")[0], field.lsb // 8

    def value(cycle: Cycle) -> str | None:
        counts = cycle[f"{port}_tvalid"] and cycle[f"{port}_tkeep"] >> keep & 1
        return FORMS[octets].format(cycle[field.name]) if counts else None
    return DiagramRow(field.name, "bus", port, value, _bits(field))


def _of_report(field: WaveField) -> DiagramRow:
    """A field of the first error; kind and offset matter in a packet's last beat."""
    if field.name == "out_error":
        return _while_valid("m_axis", field.name, _bits(field))

    def value(cycle: Cycle) -> str | None:
        if not (cycle["m_axis_tvalid"] and cycle["m_axis_tlast"]):
            return None
        return ErrorKind(cycle[field.name]).name if field.name == "out_error_kind" else str(cycle[field.name])
    return DiagramRow(field.name, "bus", "m_axis", value, _bits(field))


def _of_reject(field: WaveField) -> DiagramRow:
    """A field of a rejected record; it matters in the record's last beat."""
    def value(cycle: Cycle) -> str | None:
        if not (cycle["m_rejects_tvalid"] and cycle["m_rejects_tlast"]):
            return None
        return ErrorKind(cycle[field.name]).name if field.name == "reject_kind" else str(cycle[field.name])
    return DiagramRow(field.name, "bus", "m_rejects", value, _bits(field))


def _wave(kind: str, values: Sequence[str | int | None], x: float, y: float) -> Iterator[str]:
    high, low, middle = y + 4, y + ROW - 4, y + ROW / 2
    if kind == "clock":
        ticks = f"V{high}h{COLUMN / 2}V{low}h{COLUMN / 2}" * len(values)
        yield path(f"M{x} {low}{ticks}", "wire clock")
        return
    before: str | int | None = None
    start = 0
    for stop in range(1, len(values) + 1):
        value = values[start]
        if stop < len(values) and values[stop] == value:
            continue
        left, right = x + COLUMN * start, x + COLUMN * stop
        if value is None:
            yield path(f"M{left} {middle}H{right}", "idle")
        elif kind == "bit":
            level = high if value else low
            edge = "" if before is None else f"V{level}"
            yield path(f"M{left} {(low if value else high) if edge else level}{edge}H{right}", "wire")
        else:
            yield path(f"M{left} {middle}L{left + 4} {high}H{right - 4}L{right} {middle}L{right - 4} {low}H{left + 4}Z",
                       "value")
            yield text((left + right) / 2, middle + 4, str(value), anchor="middle")
        before, start = value, stop


GENERATED = tuple(GeneratedFile("timing-diagrams", DOCS / f"{diagram.name}.svg", partial(drawing, diagram), "a minute")
                  for diagram in DIAGRAMS)
