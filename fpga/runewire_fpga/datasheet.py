"""The datasheet: tables and charts, written from the files of measurements and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import runewire_model
from runewire_model.encodings import ENCODINGS
from runewire_model.transcoder import CORES, TRANSCODER, option_text
from runewire_rtl.files import write_whole
from runewire_rtl.parameters import TranscoderParameters

from .charts import Line, Panel, chart
from .designs import STAGES
from .measurement import Measurement
from .records import Record, brought_up, core_of, name_of
from .targets import FLIP_FLOPS, MEMORIES, NETWORK, TARGETS

__all__ = ["add", "pages", "read", "refresh", "write"]

AREA = "area"
"""Folder of the measurements that have an area only."""

MAIN = ("ECP5", "iCE40")
"""Families with sections of their own; the others share a table."""

TOO_LARGE = "does not fit"
"""Stands for the clock of a core that is larger than the device."""

CARRIED = "what the device carries"
"""Name of the line of the lowest limit of a device's parts."""

CARRIES = 370
"""MHz that the clock network of the device carries that goals are for."""

Digests = Callable[[Iterable[TranscoderParameters]], Mapping[TranscoderParameters, str]]
"""Gives the digest of each core's design as it is now."""


def add(directory: Path, measurement: Measurement) -> Path:
    """Put a measurement into the datasheet's folder, and give its file."""
    name = f"{measurement.name}.json"
    placed, only_area = directory / name, directory / AREA / name
    path, other = (placed, only_area) if measurement.placements else (only_area, placed)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, measurement.text().encode())
    other.unlink(missing_ok=True)
    return path


def read(directory: Path) -> list[Record]:
    """The measurements in the datasheet's folder, as `brought_up` gives them, in the order of the page.

    Raises ValueError for a file that is not one.
    """
    targets = list(TARGETS)
    return sorted(_files(directory).values(), key=lambda record: (
        targets.index(record["target"]), record["speed"], *_kind_order(record), record["pipeline"] != "fast",
        record["pipeline"], record["lanes"], MEMORIES.index(record["memory"]["made_of"]), _options(record)))


def _files(directory: Path) -> dict[Path, dict[str, Any]]:
    found = {}
    for path in sorted([*directory.glob("*.json"), *(directory / AREA).glob("*.json")]):
        try:
            found[path] = brought_up(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ValueError(f"{path} is no measurement; runewire sweep writes those") from None
    return found


def refresh(directory: Path, digests: Digests) -> None:
    """Write the measurements in the datasheet's folder again, by what is known now; nothing is placed again.

    The clock follows the limits of the device; whether a measurement is of the present design follows ``digests``,
    which is asked about those of this version. A file gets the name that its measurement has now. Raises ValueError
    for a file that is no measurement.
    """
    records = _files(directory)
    here = [record for record in records.values() if _of_this_version(record) and record["design"]["digest"]]
    now = digests(map(core_of, here))
    for path, record in records.items():
        design = record["design"]
        design["present"] = record in here and design["digest"] == now[core_of(record)]
        target = path.with_name(f"{name_of(record)}.json")
        if target == path or target not in records:
            write_whole(target, (json.dumps(record, indent=2) + "\n").encode())
        if target != path:
            path.unlink()


def _of_this_version(record: Record) -> bool:
    return bool(record["design"]["version"] == runewire_model.__version__)


def _present(record: Record) -> bool:
    """Whether it is of the design that this version generates."""
    return _of_this_version(record) and bool(record["design"]["present"])


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
    only_area = [record for record in records if TARGETS[record["target"]].family.nextpnr is None]
    main = [record for record in records if _family(record) in MAIN]
    others = [record for record in records if record not in main and record not in only_area]
    other = sum(not _present(record) for record in records)
    which = {0: "None of its rows is", 1: "One of its rows is", len(records): "All of its rows are"}.get(
        other, f"Of its {len(records)} rows {other} are")
    blocks = [_HEAD, f"This page is of runewire {runewire_model.__version__}. "
                     f"{which} of another version or design (†)."]
    pictures: dict[str, str] = {}
    for (family, speed), group in _grouped(main, lambda r: (_family(r), r["speed"])):
        part, drawn = _device(family, speed, group, folder)
        blocks += part
        pictures |= drawn
    if others:
        blocks += ["## Other families", _OTHERS, _table(others, several=True, chips=True)]
        if any(map(_placed, others)):
            blocks += ["### What limits Fmax there", _paths(others, chips=True)]
    if only_area:
        blocks += ["## Area only", "Synthesised by Yosys, not placed: no clock is known."]
        blocks.append(_area_table(only_area))
    blocks += _origin(records)
    return "\n\n".join(blocks) + "\n", pictures


_PLAIN: Mapping[str, tuple[float, float | None]] = {"ECP5": (0.95, 1.1), "iCE40": (0.9, None)}
"""By family, the part of the clock that a core is to keep in the plain flow, and how much of the LUT it may take."""

_PLAIN_GOALS = ", ".join(
    f"{clock:.0%} of the clock{'' if luts is None else f' and {luts:.0%} of the LUT'} on {family}"
    for family, (clock, luts) in _PLAIN.items()).replace("%", " %")

_HEAD = f"""\
# Datasheet

<!-- Written by `runewire sweep` and `runewire datasheet` from the measurements in datasheet/. -->

Each row is one core, synthesised, placed and routed by open tools; `runewire synth` of its version reproduces it.
Options are the default ones, but for those that a row names and the tables of options.

| column | meaning |
|---|---|
| LUT | sites of look-up tables that nothing else can use: logic, carries, and memory made of look-up tables |
| a lane | LUT divided by lanes |
| memory | what memories are made of (`--memory`): `distributed`, look-up tables, for clock; \
`block`, blocks of memory where they are half as wide as one, for area |
| block RAM, LUT RAM | memory blocks of the device; memories made of look-up tables, which LUT counts too |
| latency | cycles from a packet's last input beat to its last output beat |
| Fmax | fastest clock in MHz between registers of the core: median of the seeds, and their range |
| clock | the smallest of Fmax, what the device's clock network carries, and what each kind of cell in the \
netlist carries; with `?` where a limit is not known, which may be lower |
| held by | which of them that is; their figures and sources are under [clock limits](#clock-limits) |
| GB/s | 10^9 bytes of input a second at that clock: UTF-8, for the encoder UTF-32 |
| of pipeline | Fmax as a fraction of that of {STAGES} ranks of registers as wide as the core's input, \
one look-up table between two: the ceiling of that width |
| of unstalled | Fmax as a fraction of that of the same core with its output always ready: \
what back-pressure leaves; above 100 % the placer did better by the core itself |
| ports | Fmax with a register of the surroundings at every port, reset included |
| plain flow | the clock when Yosys and nextpnr are given no option for more clock, and the LUT, both as fractions of \
those before; what is meant to hold is {_PLAIN_GOALS} |
| goal | the clock and the LUT a lane that a core was meant to reach, with no seed's clock more than 8 % below the \
median, and whether it does; [what holds those that are missed](implementation.md#goals-that-are-missed) |
| version | the runewire that was measured; with `†` where that is not known to be the design that this \
page's version generates |

A core for ECP5 is placed out of context: Fmax leaves out paths through its ports, as there is nothing at \
their other end, and the column *ports* counts them. Elsewhere the core always stands between registers. A core \
that *does not fit* is larger than the device; its area is that of synthesis."""


def _family(record: Record) -> str:
    return TARGETS[record["target"]].family.name


def _placed(record: Record) -> bool:
    return bool(record["seeds"])


def _kind(record: Record) -> str:
    """What the core is called, and its packing where it has a choice."""
    return core_of(record).kind


def _kind_order(record: Record) -> tuple[int, int, int, str]:
    names = ["", None, *ENCODINGS]
    return ([*CORES, TRANSCODER].index(record["core"]), names.index(record.get("from", "")),
            names.index(record.get("to", "")), record["packing"] or "")


def _title(kind: str) -> str:
    return kind[:1].upper() + kind[1:]


def _grouped(records: Iterable[Record], key: Callable[[Record], Any]) -> list[tuple[Any, list[Record]]]:
    groups: dict[Any, list[Record]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return list(groups.items())


def _device(family: str, speed: str, records: Sequence[Record],
            folder: str) -> tuple[list[str], dict[str, str]]:
    compact = [record for record in records if record["pipeline"] == "compact"]
    records = [record for record in records if record["pipeline"] != "compact"]
    usual = [record for record in records if not _options(record)]
    kinds = _grouped(usual, _kind)
    blocks = [f"## {family}, speed grade {speed}"]
    pictures = {}
    for name, unit, panels in _panels([(kind, _default(group)) for kind, group in kinds]):
        file = f"{family}-{speed}-{name}.svg".lower().replace(" ", "-")
        pictures[file] = chart(panels, unit)
        blocks.append(f"![{name}, {unit}, by lanes]({folder}/{file})")
    for kind, group in kinds:
        if group[0]["core"] != TRANSCODER:
            blocks += [f"### {_title(kind)}", _table(group)]
    if transcoders := [record for record in usual if record["core"] == TRANSCODER]:
        blocks += ["### Transcoders", _TRANSCODERS, _table(transcoders, several=True)]
    if compact:
        blocks += ["### Compact", _COMPACT, _table(compact, several=True)]
    if len(usual) < len(records):
        blocks += ["### Options", _OPTIONS, _options_table(records)]
    if any(map(_placed, [*usual, *compact])):
        blocks += ["### What limits Fmax", _paths([*usual, *compact])]
    return blocks, pictures


def _default(records: Sequence[Record]) -> list[Record]:
    """The records of the fastest pipeline, of each width the one with the fastest clock."""
    fast = [record for record in reversed(records) if record["pipeline"] == "fast" and _placed(record)]
    return list({record["lanes"]: record for record in sorted(fast, key=lambda r: r["clock_mhz"])}.values())


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
                found.append(Line(name, points, limit=name == CARRIED))
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
        return min([fmax, *_limits(record, NETWORK, FLIP_FLOPS)]) * int(record["bytes_per_cycle"]) / 1000

    def plain_rate(record: Record) -> float | None:
        plain = record["beside"].get("plain_flow")
        return float(plain["clock_mhz"]) * int(record["bytes_per_cycle"]) / 1000 if plain else None

    def carried(record: Record) -> float | None:
        return min(_limits(record), default=None)

    return [
        ("clock", "MHz", [
            Panel(_title(kind), lines(
                records,
                ("core, Fmax", lambda r: r["fmax_mhz"]),
                ("plain flow, Fmax", beside("plain_flow")),
                ("one-LUT pipeline", beside("pipeline")),
                ("always ready", beside("always_ready")),
                ("ports between registers", beside("between_registers")),
                (CARRIED, carried),
            )) for kind, records in wide
        ]),
        ("area", "LUT and FF per lane", [
            Panel(_title(kind), lines(
                records,
                ("LUT", lambda r: r["luts"] / r["lanes"]),
                ("FF", lambda r: r["ffs"] / r["lanes"]),
            )) for kind, records in wide
        ]),
        ("throughput", "GB/s", [
            Panel(_title(kind), lines(
                records,
                ("core", lambda r: r["gigabytes_per_second"]),
                ("plain flow", plain_rate),
                ("one-LUT pipeline", rate),
            )) for kind, records in wide
        ]),
    ]


def _limits(record: Record, *parts: str) -> list[float]:
    """The limits of these parts of the device, of all for none, as far as they are known."""
    return [limit["mhz"] for limit in record["clock_limits"]
            if limit["mhz"] is not None and (not parts or limit["what"] in parts)]


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
    return " ".join(words) + "".join(f", {option}" for option in _options(record))


def _options(record: Record) -> tuple[str, ...]:
    """The core's options that are not at their defaults, but for its width, packing and pipeline."""
    return tuple(f"{name.replace('_', '-')} {option_text(name, value)}"
                 for name, value in core_of(record).unusual.items() if name not in ("packing", "pipeline"))


def _ratio(record: Record, variant: str) -> str:
    ratio = record["beside"].get(variant, {}).get("ratio")
    return "" if ratio is None else f"{100 * ratio:.0f} %"


def _plain_flow(record: Record) -> str:
    """Clock and LUT in the plain flow, as fractions of the row's, and whether that is as meant."""
    plain = record["beside"].get("plain_flow")
    if plain is None:
        return ""
    clock, luts = plain["clock_mhz"] / record["clock_mhz"], plain["luts"] / record["luts"]
    asked, most = _PLAIN.get(_family(record), (0.0, None))
    missed = [*(["clock missed"] if clock < asked else []), *(["LUT missed"] if most and luts > most else [])]
    found = f"{plain['clock_mhz']:.0f} ({clock:.0%}), {luts:.0%} LUT".replace("%", " %")
    return ": ".join([found, *filter(None, [", ".join(missed)])])


_TRANSCODERS = """\
Cores of any two encodings, and validators of others than UTF-8. *units*: those of the source in a beat, one for each
lane. GB/s are of the source's bytes. A *goal* is the Fmax, and the LUT, that a core was meant to reach; a part of the
device that carries less than 370 MHz misses it too."""


_COMPACT = """\
Cores of `--pipeline compact`: [few registers, which wait together](architecture.md#compact). A *goal* is the LUT, the
clock and the latency that a core was meant to reach. Other open cores that take a byte at a time are smaller, and keep
less: [their area, and what they keep and report](alternatives.md#area-beside-compact-cores)."""


_OTHERS = """\
The same cores on chips of other families. *device* is the name that `--target` takes; what each has is in
[another table](implementation.md#targets). Of most of their parts no limit is known, so that the clocks are marked.
`runewire synth` measures other cores and grades."""


def _chip(record: Record) -> str:
    return f"{record['device']}, grade {record['speed']}"


def _clock(record: Record) -> list[str]:
    """The cells of clock and what holds it."""
    if not _placed(record):
        return ["", ""]
    return [f"{record['clock_mhz']:.0f}{' ?' if record['clock_unsure_of'] else ''}", record["clock_held_by"]]


def _table(records: Sequence[Record], *, several: bool = False, chips: bool = False) -> str:
    """Rows of one kind of core, or with ``several`` of some, each beside its goal if it has one; with ``chips`` after
    its chip."""
    head = [*(["chip"] if chips else []), *(["core"] if several else []),
            "units" if several and not chips else "lanes", "device", "memory", "version",
            *_AREA_COLUMNS, "Fmax", "clock", "held by", "GB/s", "of pipeline", "of unstalled", "ports", "plain flow",
            "goal"]
    rows = []
    for record in records:
        seeds = [run["fmax_mhz"] for run in record["seeds"]]
        ports = record["beside"].get("between_registers", {}).get("fmax_mhz")
        goal = _goal(record)
        rows.append([
            *([_chip(record)] if chips else []),
            *([_kind(record)] if several else []),
            _words(record),
            record["target"],
            record["memory"]["made_of"],
            _version(record),
            *_area(record),
            f"{record['fmax_mhz']:.0f} ({min(seeds):.0f}–{max(seeds):.0f})" if seeds else TOO_LARGE,
            *_clock(record),
            f"{record['gigabytes_per_second']:.2f}" if seeds else "",
            _ratio(record, "pipeline"),
            _ratio(record, "always_ready"),
            "" if ports is None else f"{ports:.0f}",
            _plain_flow(record),
            "" if goal is None else goal.met(record, None),
        ])
    # What was not measured of any core needs no column.
    told = [column for column in range(len(head)) if any(row[column] for row in rows)]
    return _markdown([head[column] for column in told], [[row[column] for column in told] for row in rows],
                     left=4 + several + chips)


_OPTIONS = """\
Each option by itself, after the same core with the default options. *of default*: LUT and FF as parts of that one's. \
A *goal* is what an option was meant to cost, or to reach, and whether it does."""


@dataclass(frozen=True)
class _Goal:
    """What a core is to reach on one target: a clock in MHz, an Fmax, LUT a lane, LUT as a part of those with default
    options, LUT, latency in cycles.

    None where nothing is asked. With an Fmax, no part of the device may hold the clock below it, or below `CARRIES`.
    ``steady``: no seed's clock may be more than 8 % below the median.
    """

    clock_mhz: float | None = None
    fmax_mhz: float | None = None
    luts_a_lane: float | None = None
    of_default: float | None = None
    luts: int | None = None
    latency_cycles: int | None = None
    steady: bool = False

    def met(self, record: Record, usual: Record | None) -> str:
        """What is asked and whether it is met, in words; what cannot be told is left out."""
        asked = []
        if self.clock_mhz is not None:
            asked.append((f"{self.clock_mhz:g} MHz", record["clock_mhz"] >= self.clock_mhz))
        if self.fmax_mhz is not None:
            met = record["fmax_mhz"] >= self.fmax_mhz and record["clock_mhz"] >= min(self.fmax_mhz, CARRIES)
            asked.append((f"{self.fmax_mhz:g} MHz", met))
        if self.steady:
            slowest = min(*(seed["fmax_mhz"] for seed in record["seeds"]), *_limits(record))
            asked.append(("no seed 8 % below", slowest >= 0.92 * record["clock_mhz"]))
        if self.luts_a_lane is not None:
            asked.append((f"{self.luts_a_lane:g} LUT a lane", record["luts"] <= self.luts_a_lane * record["lanes"]))
        if self.of_default is not None and usual is not None:
            asked.append((f"{self.of_default:.0%} of the default's LUT".replace("%", " %"),
                          record["luts"] <= self.of_default * usual["luts"]))
        if self.luts is not None:
            asked.append((f"{self.luts} LUT", record["luts"] <= self.luts))
        if self.latency_cycles is not None:
            asked.append((f"{self.latency_cycles} cycles", record["latency_cycles"] <= self.latency_cycles))
        return ", ".join(f"{what}: {'met' if met else 'missed'}" for what, met in asked)


_GOALS: Mapping[tuple[str, int, str, str, tuple[str, ...]], _Goal] = {
    ("validator", 64, "ecp5-85k", "distributed", ("records 0A",)): _Goal(clock_mhz=370, luts_a_lane=75),
    ("validator", 8, "ecp5-85k", "distributed", ("report flag",)): _Goal(of_default=0.75),
    **{("sanitizer, dense", lanes, "ecp5-85k", "distributed", ("errors drop",)): _Goal(fmax_mhz=fmax)
       for lanes, fmax in ((16, 400), (64, 320))},
    ("validator", 1, "ice40-hx8k", "block", ()): _Goal(clock_mhz=250),
    **{(kind, lanes, "ecp5-85k", "distributed", ()): _Goal(clock_mhz=clock, luts_a_lane=luts, steady=True)
       for kind, lanes, clock, luts in (
           ("validator", 64, 370, 72), ("validator", 128, 370, 72), ("validator", 256, 250, None),
           ("decoder, dense", 16, 370, 300), ("decoder, dense", 32, 350, 330), ("decoder, dense", 64, 300, 350),
           ("encoder", 8, 370, 600), ("encoder", 16, 330, 700))},
    **{(kind, lanes, "ecp5-85k", "distributed", ()): _Goal(fmax_mhz=fmax, luts_a_lane=luts)
       for kind, lanes, fmax, luts in (
           ("UTF-8 to UTF-16LE, dense", 16, 400, 230), ("UTF-8 to UTF-16LE, dense", 32, 350, None),
           ("UTF-8 to UTF-16LE, dense", 64, 300, None),
           ("UTF-16LE to UTF-8", 8, 390, 450), ("UTF-16LE to UTF-8", 16, 330, None),
           ("UTF-16LE to UTF-8", 32, 250, None),
           ("Latin-1 to UTF-8", 32, 350, None), ("UTF-16LE to UTF-32LE, dense", 16, 400, None),
           ("UTF-16LE checked", 32, 400, None), ("UTF-32LE checked", 16, 400, None))},
}
"""By kind of core, lanes, target, memory and options."""


_COMPACT_GOALS: Mapping[tuple[str, int, str, tuple[str, ...]], _Goal] = {
    **{(kind, 1, target, options): _Goal(clock_mhz=clock, luts=luts, latency_cycles=latency)
       for kind, full, flag, latency, clocks in (
           ("validator", 140, 65, 3, (120, 40)), ("decoder, dense", 200, 130, 4, (110, 36)),
           ("encoder", 260, 190, 5, (100, 32)))
       for target, clock in zip(("ice40-hx8k", "ice40-up5k"), clocks, strict=True)
       for options, luts in (((), full), (("report flag",), flag))},
    **{(kind, 4, "ecp5-85k", ()): _Goal(clock_mhz=150, luts=luts, latency_cycles=6)
       for kind, luts in (("validator", 230), ("decoder, dense", 700))},
}
"""Of compact cores, by kind, lanes, target and options."""


def _goal(record: Record) -> _Goal | None:
    """What the core is to reach; None where nothing is asked of it, or it does not fit."""
    if not _placed(record):
        return None
    kind, lanes, target, options = _kind(record), record["lanes"], record["target"], _options(record)
    if record["pipeline"] == "compact":
        return _COMPACT_GOALS.get((kind, lanes, target, options))
    made_of = record["memory"]["made_of"]
    return _GOALS.get((kind, lanes, target, made_of, options)) if record["pipeline"] == "fast" else None


def _options_table(records: Sequence[Record]) -> str:
    """Rows with options, after that of the same core without, where it was measured."""
    rows = []
    same = _grouped(records, lambda r: (r["target"], _kind(r), r["pipeline"], r["lanes"], r["memory"]["made_of"]))
    for (target, kind, pipeline, lanes, memory), group in same:
        if not any(map(_options, group)):
            continue
        usual = next((record for record in group if not _options(record)), None)
        for record in group:
            options = _options(record)
            goal = _goal(record)
            rows.append([
                kind, str(lanes) if pipeline == "fast" else f"{lanes} {pipeline}", ", ".join(options) or "default",
                target, memory, _version(record), *_area(record),
                "" if usual is None else
                " / ".join(f"{100 * record[key] / usual[key]:.0f} %" for key in ("luts", "ffs")),
                f"{record['fmax_mhz']:.0f}" if _placed(record) else TOO_LARGE, *_clock(record),
                "" if goal is None else goal.met(record, usual),
            ])
    return _markdown(["core", "lanes", "options", "device", "memory", "version", *_AREA_COLUMNS, "of default",
                      "Fmax", "clock", "held by", "goal"], rows, left=6)


def _version(record: Record) -> str:
    return f"{record['design']['version']}{'' if _present(record) else ' †'}"


def _area_table(records: Sequence[Record]) -> str:
    rows = [[_kind(record), record["target"], record["memory"]["made_of"], _version(record), _words(record),
             *_area(record)] for record in records]
    return _markdown(["core", "target", "memory", "version", "lanes", *_AREA_COLUMNS], rows, left=4)


def _paths(records: Sequence[Record], *, chips: bool = False) -> str:
    head = [*(["chip"] if chips else []), "core", "lanes", "memory", "from", "to", "logic ns", "routing ns"]
    rows = []
    for record in filter(_placed, records):
        path = record["critical_path"]
        rows.append([*([_chip(record)] if chips else []), _kind(record), _words(record), record["memory"]["made_of"],
                     f"`{path['start']}`", f"`{path['end']}`", f"{path['logic_ns']:.2f}", f"{path['routing_ns']:.2f}"])
    return _markdown(head, rows, left=5 + chips)


_LIMITS = """\
nextpnr's Fmax is about paths alone; a part of the device may carry less, whatever the paths. Look-up tables and carries
have no clock, and no limit but Fmax."""


def _origin(records: Sequence[Record]) -> list[str]:
    """Where the figures come from: clock limits, tools, commands."""
    limits = dict.fromkeys(
        (TARGETS[record["target"]].family.name, record["speed"], limit["what"],
         "?" if limit["mhz"] is None else f"{limit['mhz']:.1f}{'' if limit['exact'] else ' ?'}", limit["source"])
        for record in records for limit in record["clock_limits"])
    versions = dict.fromkeys(
        (name, version) for record in records for name, version in record["tool_versions"].items())
    seeds = sorted({len(record["seeds"]) for record in records if record["seeds"]})
    commands = dict.fromkeys(record["made_by"] for record in records)
    blocks = []
    if limits:
        blocks += ["## Clock limits", _LIMITS,
                   _markdown(["family", "speed grade", "part", "MHz", "source"], list(limits), left=5)]
    blocks += [
        "## How it was made",
        f"Seeds 1 to {' or '.join(str(count) for count in seeds)}." if seeds else "",
        "```sh\n" + "\n".join(commands) + "\n```",
        _markdown(["tool", "version"], versions, left=2),
    ]
    return [block for block in blocks if block]
