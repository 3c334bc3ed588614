"""The timing diagrams of the pages: with ``--write`` they are simulated and drawn, else only named.

Each is drawn from the waves that Verilator writes of the generated core, and from nothing else.
"""

import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count
from pathlib import Path
from typing import NamedTuple

from runewire_model import (
    DecoderParameters,
    EncoderParameters,
    ErrorKind,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
)
from runewire_model.encodings import Encoding
from runewire_model.timeline import Timeline, timeline
from runewire_rtl import timing
from runewire_sim import Stalls, generated
from runewire_sim.verilator import run
from runewire_sim.waves import fields

FOLDER = Path(__file__).parent
DECODER = DecoderParameters(lanes=4)
RECORDS = ValidatorParameters(lanes=4, records=0x0A)

FORMS = {1: "{:02X}", 2: "{:04X}", 4: "U+{:04X}"}
"""How a unit is shown, by its bytes."""

LABEL, COLUMN, ROW, GAP, TOP = 134, 76, 24, 30, 30
STYLE = """\
text { font: 12px ui-monospace, "DejaVu Sans Mono", monospace; fill: #24292f }
.tick { font-size: 11px; fill: #57606a }
.paper { fill: #f6f8fa }
.moves { fill: #ddf4ff }
.wire { fill: none; stroke: #24292f; stroke-width: 1.4 }
.clock { stroke: #8c959f }
.value { fill: #ffffff; stroke: #24292f; stroke-width: 1.2 }
.idle { stroke: #8c959f; stroke-width: 1; stroke-dasharray: 2 3 }
.cut { stroke: #8c959f; stroke-width: 1; stroke-dasharray: 4 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .tick { fill: #9198a1 } .paper { fill: #161b22 } .moves { fill: #12324f }
  .wire { stroke: #e6edf3 } .clock { stroke: #6e7681 } .value { fill: #0d1117; stroke: #e6edf3 }
  .idle, .cut { stroke: #6e7681 }
}"""

Cycle = dict[str, int]
"""The value of each signal in one cycle, just before the edge that ends it."""


class Row(NamedTuple):
    """A row: its name, its kind (clock, bit or bus), the stream it belongs to, and its value in a cycle, None where it
    does not matter."""

    name: str
    kind: str
    port: str
    value: Callable[[Cycle], str | int | None]


@dataclass(frozen=True)
class Diagram:
    """A packet to send through ``core``. ``paused``: the source pauses once inside it, and the sink stalls twice.
    ``reset``: what leads to it is shown too, traffic that a reset of one cycle ends, and no data."""

    name: str
    title: str
    packet: bytes
    core: TranscoderParameters = DECODER
    paused: bool = False
    report: bool = False
    reset: bool = False


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
    Diagram("timing-reset", "a reset of one cycle in traffic, and the packet after it", b"ok", reset=True),
)


def stalls(diagram: Diagram) -> Stalls:
    """The first stalls that do what the diagram is to show, by the cycle model."""
    core = diagram.core
    if not diagram.paused:
        return Stalls()
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
    leaving = [number for number, cycle in enumerate(every) if cycle["m_axis_tvalid"] and number > begin]
    parts = [range(entering[0], entering[-1] + 2), range(leaving[0] - 1, leaving[-1] + 2)]
    if not diagram.reset:
        return entering[0], parts
    return begin, [range(begin - 2, begin + 3), range(entering[0] - 1, entering[-1] + 2), parts[1]]


def drawing(diagram: Diagram) -> str:
    """The diagram in SVG."""
    every = traced(diagram)
    zero, parts = _parts(diagram, every)
    shown = [[every[number] for number in part] for part in parts]
    rows = _rows(diagram)
    edge = max(LABEL, 8 * max(len(row.name) for row in rows) + 16)
    height = TOP + ROW * len(rows) + 12
    width = edge + COLUMN * sum(map(len, shown)) + GAP * (len(parts) - 1) + 12
    lines, cuts = [], []
    start = edge
    for part, cells in zip(parts, shown, strict=True):
        for index, cycle in enumerate(cells):
            x = start + COLUMN * index
            lines.append(_text(x + COLUMN / 2, TOP - 10, str(part[index] - zero), "tick", "middle"))
            for port in ("s_axis", "m_axis"):
                if cycle["aresetn"] and cycle[f"{port}_tvalid"] and cycle[f"{port}_tready"]:
                    span = [number for number, row in enumerate(rows) if row.port == port]
                    lines.append(f'<rect class="moves" x="{x}" y="{TOP + ROW * span[0]}" width="{COLUMN}" '
                                 f'height="{ROW * len(span)}"/>')
        for number, row in enumerate(rows):
            lines += _wave(row.kind, [row.value(cycle) for cycle in cells], start, TOP + ROW * number)
        start += COLUMN * len(cells) + GAP
        cuts.append(f'<path class="cut" d="M{start - GAP / 2} {TOP - 18}V{height - 8}"/>')
    names = [_text(edge - 10, TOP + ROW * number + 16, row.name, "", "end") for number, row in enumerate(rows)]
    names.append(_text(edge - 10, TOP - 10, "cycle", "tick", "end"))
    label = escape(f"{diagram.core.lanes}-lane {diagram.core.core}, {diagram.title}")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{label}">', f"<style>\n{STYLE}\n</style>",
        '<rect class="paper" width="100%" height="100%" rx="8"/>', *lines, *cuts[:-1], *names, "</svg>", ""])


def _rows(diagram: Diagram) -> list[Row]:
    def level(name: str) -> Row:
        return Row(name, "bit", name[:6], lambda cycle: cycle[name])

    def told(port: str, name: str) -> Row:
        return Row(name, "bit", port, lambda cycle: cycle[name] if cycle[f"{port}_tvalid"] else None)

    def lane(port: str, name: str, keep: int, form: str) -> Row:
        def value(cycle: Cycle) -> str | None:
            counts = cycle[f"{port}_tvalid"] and cycle[f"{port}_tkeep"] >> keep & 1
            return form.format(cycle[name]) if counts else None
        return Row(name, "bus", port, value)

    def units(port: str, way: str, encoding: Encoding, octets: int) -> list[Row]:
        size = encoding.unit_bytes
        return [lane(port, f"{way}_{encoding.unit}_{n}", size * n, FORMS[size]) for n in range(octets // size)]

    def reported(name: str) -> Row:
        def value(cycle: Cycle) -> str | None:
            if not (cycle["m_axis_tvalid"] and cycle["m_axis_tlast"]):
                return None
            return ErrorKind(cycle[name]).name if name == "out_error_kind" else str(cycle[name])
        return Row(name, "bus", "m_axis", value)

    core = diagram.core
    marks = {field.name for field in fields(core) if field.name.startswith("out_record_")}
    clock = Row("aclk", "clock", "", lambda cycle: None)
    if diagram.reset:
        return [clock, level("aresetn"), level("s_axis_tvalid"), level("s_axis_tready"), told("s_axis", "s_axis_tlast"),
                level("m_axis_tvalid"), level("m_axis_tready"), told("m_axis", "m_axis_tlast")]
    rows = [clock, level("s_axis_tvalid"), level("s_axis_tready"),
            *units("s_axis", "in", core.reads, core.input_bytes), told("s_axis", "s_axis_tlast"),
            level("m_axis_tvalid"), level("m_axis_tready")]
    for n, row in enumerate(units("m_axis", "out", core.writes, core.output_bytes)):
        rows.append(row)
        rows += [told("m_axis", name) for name in (f"out_record_ends_{n}", f"out_record_bad_{n}") if name in marks]
    rows.append(told("m_axis", "m_axis_tlast"))
    if diagram.report:
        rows += [told("m_axis", "out_error"), reported("out_error_kind"), reported("out_error_offset")]
    return rows


def _wave(kind: str, values: Sequence[str | int | None], x: float, y: float) -> Iterator[str]:
    high, low, middle = y + 4, y + ROW - 4, y + ROW / 2
    if kind == "clock":
        ticks = f"V{high}h{COLUMN / 2}V{low}h{COLUMN / 2}" * len(values)
        yield f'<path class="wire clock" d="M{x} {low}{ticks}"/>'
        return
    before: str | int | None = None
    start = 0
    for stop in range(1, len(values) + 1):
        value = values[start]
        if stop < len(values) and values[stop] == value:
            continue
        left, right = x + COLUMN * start, x + COLUMN * stop
        if value is None:
            yield f'<path class="idle" d="M{left} {middle}H{right}"/>'
        elif kind == "bit":
            level = high if value else low
            edge = "" if before is None else f"V{level}"
            yield f'<path class="wire" d="M{left} {(low if value else high) if edge else level}{edge}H{right}"/>'
        else:
            yield (f'<path class="value" d="M{left} {middle}L{left + 4} {high}H{right - 4}L{right} {middle}'
                   f'L{right - 4} {low}H{left + 4}Z"/>')
            yield _text((left + right) / 2, middle + 4, str(value), "", "middle")
        before, start = value, stop


def _text(x: float, y: float, text: str, kind: str, anchor: str) -> str:
    chosen = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{chosen}>{escape(text)}</text>'


def path(diagram: Diagram) -> Path:
    """The diagram's file."""
    return FOLDER / f"{diagram.name}.svg"


if __name__ == "__main__":
    for each in DIAGRAMS:
        if sys.argv[1:] == ["--write"]:
            path(each).write_text(drawing(each), encoding="utf-8")
        print(path(each), each.title, sep=": ")
