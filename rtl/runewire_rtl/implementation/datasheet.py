"""The datasheet: tables and charts, written from the files of measurements and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..files import write_whole
from .charts import Line, Panel, chart
from .designs import STAGES
from .measurement import Measurement
from .targets import TARGETS

__all__ = ["add", "pages", "read", "write"]

AREA = "area"
"""Folder of the measurements that are for area only."""

NETWORK = "clock network"
"""Name of the line of what a device's clock network carries."""

Record = Mapping[str, Any]
"""A measurement as `Measurement.to_json` writes it."""


def add(directory: Path, measurement: Measurement) -> Path:
    """Put a measurement into the datasheet's folder, and give its file."""
    folder = directory if measurement.placements else directory / AREA
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{measurement.name}.json"
    write_whole(path, measurement.text().encode())
    return path


def read(directory: Path) -> list[Record]:
    """The measurements in the datasheet's folder, in the order of the page.

    Raises ValueError for a file that is not one.
    """
    found = []
    for path in sorted([*directory.glob("*.json"), *(directory / AREA).glob("*.json")]):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            record["target"], record["luts"]
        except (ValueError, TypeError, KeyError):
            raise ValueError(f"{path} is no measurement; runewire sweep writes those") from None
        found.append(record)
    targets = list(TARGETS)
    return sorted(found, key=lambda record: (
        targets.index(record["target"]), record["speed"], *_kind_order(record), record["pipeline"] != "fast",
        record["pipeline"], record["lanes"]))


def write(directory: Path) -> Path:
    """Write the page beside the folder ``directory`` and the charts into it, and give the page."""
    page, pictures = pages(read(directory), directory.name)
    for old in directory.glob("*.svg"):
        if old.name not in pictures:
            old.unlink()
    for name, picture in pictures.items():
        write_whole(directory / name, picture.encode())
    path = directory.with_suffix(".md")
    write_whole(path, page.encode())
    return path


def pages(records: Sequence[Record], folder: str) -> tuple[str, dict[str, str]]:
    """The page in Markdown, and the charts in SVG by the names that it knows them by in ``folder``.

    Raises ValueError where there are no records.
    """
    if not records:
        raise ValueError("there are no measurements to make a datasheet of; runewire sweep makes them")
    placed = [record for record in records if record["seeds"]]
    only_area = [record for record in records if not record["seeds"]]
    blocks = [_HEAD]
    pictures: dict[str, str] = {}
    for (family, speed), group in _grouped(placed, lambda r: (TARGETS[r["target"]].family.name, r["speed"])):
        part, drawn = _device(family, speed, group, folder)
        blocks += part
        pictures |= drawn
    if only_area:
        blocks += ["## Area only", "Synthesised by Yosys, not placed: no clock is known."]
        blocks.append(_area_table(only_area))
    blocks += _origin(records)
    return "\n\n".join(blocks) + "\n", pictures


_HEAD = f"""\
# Datasheet

<!-- Written by `runewire sweep` and `runewire datasheet` from the measurements in datasheet/. -->

Each row is one core, generated with its default options, synthesised, placed and routed by open tools;
`runewire synth` reproduces it.

| column | meaning |
|---|---|
| LUT | sites of look-up tables that nothing else can use: logic, carries, and memory made of look-up tables |
| a lane | LUT divided by lanes |
| block RAM, LUT RAM | memory blocks of the device; memories made of look-up tables, which LUT counts too |
| latency | cycles from a packet's last input beat to its last output beat |
| Fmax | fastest clock in MHz between registers of the core: median of the seeds, and their range |
| clock | the smaller of Fmax and what the device's clock network is specified for |
| GB/s | 10^9 bytes of input a second at that clock: UTF-8, for the encoder UTF-32 |
| of pipeline | Fmax as a fraction of that of {STAGES} ranks of registers as wide as the core's input, \
one look-up table between two: the ceiling of that width |
| of unstalled | Fmax as a fraction of that of the same core with its output always ready: \
what back-pressure leaves; above 100 % the placer did better by the core itself |
| ports | Fmax with a register of the surroundings at every port, reset included |

A core for ECP5 is placed out of context: Fmax leaves out paths through its ports, as there is nothing at \
their other end, and the column *ports* counts them. Elsewhere the core always stands between registers."""


def _kind(record: Record) -> str:
    return f"{record['core']}, {record['packing']}" if record["packing"] else str(record["core"])


def _kind_order(record: Record) -> tuple[int, str]:
    return ["validator", "decoder", "encoder"].index(record["core"]), record["packing"] or ""


def _grouped(records: Iterable[Record], key: Callable[[Record], Any]) -> list[tuple[Any, list[Record]]]:
    groups: dict[Any, list[Record]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return list(groups.items())


def _device(family: str, speed: str, records: Sequence[Record],
            folder: str) -> tuple[list[str], dict[str, str]]:
    kinds = _grouped(records, _kind)
    blocks = [f"## {family}, speed grade {speed}"]
    pictures = {}
    for name, unit, panels in _panels([(kind, _default(group)) for kind, group in kinds]):
        file = f"{family}-{speed}-{name}.svg".lower().replace(" ", "-")
        pictures[file] = chart(panels, unit)
        blocks.append(f"![{name}, {unit}, by lanes]({folder}/{file})")
    for kind, group in kinds:
        blocks += [f"### {kind.capitalize()}", _table(group)]
    blocks += ["### What limits the clock", _paths(records)]
    return blocks, pictures


def _default(records: Sequence[Record]) -> list[Record]:
    """The records of the fastest pipeline, one a width."""
    fast = [record for record in reversed(records) if record["pipeline"] == "fast"]
    return list({record["lanes"]: record for record in fast}.values())


def _panels(kinds: Sequence[tuple[str, Sequence[Record]]]) -> list[tuple[str, str, list[Panel]]]:
    """Name, unit and panels of each chart: those kinds of core of which more than one width is known."""
    wide = [(kind, sorted(records, key=lambda r: r["lanes"])) for kind, records in kinds if len(records) > 1]
    if not wide:
        return []

    def lines(records: Sequence[Record], *given: tuple[str, Callable[[Record], float | None]]) -> list[Line]:
        found = []
        for name, value in given:
            points = [(record["lanes"], at) for record in records if (at := value(record)) is not None]
            if points:
                found.append(Line(name, points, limit=name == NETWORK))
        return found

    def beside(variant: str) -> Callable[[Record], float | None]:
        def fmax(record: Record) -> float | None:
            found: float | None = record["beside"].get(variant, {}).get("fmax_mhz")
            return found
        return fmax

    def rate(record: Record) -> float | None:
        fmax = beside("pipeline")(record)
        if fmax is None:
            return None
        limit: float = record["clock_limit_mhz"] or fmax
        return min(fmax, limit) * int(record["bytes_per_cycle"]) / 1000

    return [
        ("clock", "MHz", [
            Panel(kind.capitalize(), lines(
                records,
                ("core", lambda r: r["fmax_mhz"]),
                ("one-LUT pipeline", beside("pipeline")),
                ("always ready", beside("always_ready")),
                ("ports between registers", beside("between_registers")),
                (NETWORK, lambda r: r["clock_limit_mhz"]),
            )) for kind, records in wide
        ]),
        ("area", "a lane", [
            Panel(kind.capitalize(), lines(
                records,
                ("LUT", lambda r: r["luts"] / r["lanes"]),
                ("FF", lambda r: r["ffs"] / r["lanes"]),
            )) for kind, records in wide
        ]),
        ("throughput", "GB/s", [
            Panel(kind.capitalize(), lines(
                records,
                ("core", lambda r: r["gigabytes_per_second"]),
                ("one-LUT pipeline", rate),
            )) for kind, records in wide
        ]),
    ]


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A table; the first ``left`` columns are text, the others are numbers."""
    rule = ["---"] * left + ["--:"] * (len(head) - left)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


_AREA_COLUMNS = ("LUT", "a lane", "FF", "block RAM", "LUT RAM", "latency")


def _area(record: Record) -> list[str]:
    """The cells of the columns `_AREA_COLUMNS`."""
    memory = record["memory"]
    return [
        f"{record['luts']:,}", f"{record['luts'] / record['lanes']:.0f}", f"{record['ffs']:,}",
        str(memory["block_ram"]), str(memory["distributed_ram"]), str(record["latency_cycles"]),
    ]


def _words(record: Record) -> str:
    """Lanes, and any option that is not the default."""
    words = [str(record["lanes"])]
    if record["pipeline"] != "fast":
        words.append(record["pipeline"])
    return " ".join(words)


def _ratio(record: Record, variant: str) -> str:
    ratio = record["beside"].get(variant, {}).get("ratio")
    return "" if ratio is None else f"{100 * ratio:.0f} %"


def _table(records: Sequence[Record]) -> str:
    head = ["lanes", "device", *_AREA_COLUMNS,
            "Fmax", "clock", "GB/s", "of pipeline", "of unstalled", "ports"]
    rows = []
    for record in records:
        seeds = [run["fmax_mhz"] for run in record["seeds"]]
        ports = record["beside"].get("between_registers", {}).get("fmax_mhz")
        rows.append([
            _words(record),
            record["target"],
            *_area(record),
            f"{record['fmax_mhz']:.0f} ({min(seeds):.0f}–{max(seeds):.0f})",
            f"{record['clock_mhz']:.0f}",
            f"{record['gigabytes_per_second']:.2f}",
            _ratio(record, "pipeline"),
            _ratio(record, "always_ready"),
            "" if ports is None else f"{ports:.0f}",
        ])
    # What was not measured of any core needs no column.
    told = [column for column in range(len(head)) if any(row[column] for row in rows)]
    return _markdown([head[column] for column in told], [[row[column] for column in told] for row in rows], left=2)


def _area_table(records: Sequence[Record]) -> str:
    rows = [[_kind(record), record["target"], _words(record), *_area(record)] for record in records]
    return _markdown(["core", "target", "lanes", *_AREA_COLUMNS], rows, left=2)


def _paths(records: Sequence[Record]) -> str:
    head = ["core", "lanes", "from", "to", "logic ns", "routing ns"]
    rows = []
    for record in records:
        path = record["critical_path"]
        rows.append([_kind(record), _words(record), f"`{path['start']}`", f"`{path['end']}`",
                     f"{path['logic_ns']:.2f}", f"{path['routing_ns']:.2f}"])
    return _markdown(head, rows, left=4)


def _origin(records: Sequence[Record]) -> list[str]:
    """Where the figures come from: clock networks, tools, commands."""
    limits = {}
    for record in records:
        if record["seeds"]:
            limit = record["clock_limit_mhz"]
            limits[record["device"], record["speed"]] = (
                "" if limit is None else f"{limit:g}",
                record["clock_limit_source"] or "not looked up; nothing is capped")
    versions = dict.fromkeys(
        (name, version) for record in records for name, version in record["tool_versions"].items())
    seeds = sorted({len(record["seeds"]) for record in records if record["seeds"]})
    commands = dict.fromkeys(record["made_by"] for record in records)
    blocks = []
    if limits:
        rows = [[device, speed, *limit] for (device, speed), limit in limits.items()]
        blocks += ["## Clock networks", _markdown(["device", "speed grade", "MHz", "source"], rows, left=4)]
    blocks += [
        "## How it was made",
        f"Seeds 1 to {' or '.join(str(count) for count in seeds)}." if seeds else "",
        "```sh\n" + "\n".join(commands) + "\n```",
        _markdown(["tool", "version"], versions, left=2),
    ]
    return [block for block in blocks if block]
