"""The datasheet's page: its sections and what they say, around tables and charts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import runewire_model
from runewire_jobs.files import write_whole
from runewire_model.transcoder import TRANSCODER

from ..designs import STAGES
from ..records import MeasurementRecord
from ..targets import TARGETS
from .folder import read
from .panels import charts, chip_charts
from .rows import family_of, grouped, is_area_only, is_placed, is_present, kind_of, options_of, titled
from .tables import JOBS, PLAIN, area_table, fastest_table, markdown, options_table, paths_table, table

MAIN = ("ECP5", "iCE40")
"""Families with sections of their own; the others share a table."""

_PLAIN_GOALS = ", ".join(
    f"{clock:.0%} of the clock{'' if luts is None else f' and {luts:.0%} of the LUT'} on {family}"
    for family, (clock, luts) in PLAIN.items()).replace("%", " %")

_HEAD = """\
# Datasheet

<!-- Written by `runewire sweep` and `runewire datasheet` from measurements; these are in records/datasheet. -->

Each row is one core, synthesised, placed and routed by open tools; `runewire synth` of its version reproduces it.
Cores have default options, except where a row or the tables of options name others."""

_COLUMNS = f"""\
## The columns

| column | meaning |
|---|---|
| LUT | LUT sites occupied by logic, carries and LUT RAM |
| a lane | LUT divided by lanes |
| memory | `--memory`: `distributed` is LUT RAM, for clock; `block` is block RAM, for area, where a memory is at least \
half as wide as one |
| block RAM, LUT RAM | number of block RAMs; number of memories made of LUT RAM, whose LUT sites LUT counts too |
| latency | cycles from a packet's last input beat to its last output beat |
| Fmax | fastest clock in MHz between registers of the core: median of the seeds, and their range; `‡` if nextpnr did \
not end with a seed in its limit of processor time, and placed and routed that seed as a large core |
| clock | the smallest of Fmax, the clock limit of the device's clock network, and that of each kind of cell in the \
netlist; `?` where a limit is unknown, so that the clock may be lower |
| held by | which of them is the smallest; [clock limits](#clock-limits) has their figures and sources |
| GB/s | 10^9 bytes of input a second at that clock: UTF-8, or UTF-32 for the encoder |
| of pipeline | Fmax as a fraction of a plain pipeline's: {STAGES} ranks of registers as wide as the core's input, \
with one look-up table between two ranks; no core of that width is faster |
| of unstalled | Fmax as a fraction of the same core's with its output always ready: the cost of back-pressure; \
above 100 %, the placer did better with the core itself |
| ports | Fmax with a register outside the core at every port, reset included |
| plain flow | clock and LUT with no option of ours for Yosys and nextpnr, as fractions of the clock and LUT before; \
the goal is {_PLAIN_GOALS} |
| goal | the clock and the LUT a lane that the core was meant to reach, with no seed's clock more than 8 % below the \
median, and whether it does; [why some are missed](goals.md) |
| version | version of runewire that generates and places the measured design; `†` if design or tool flow may differ \
from those of this page's version |

Cores for ECP5 are placed out of context: Fmax leaves out paths through their ports, which end nowhere, and the \
column *ports* counts them. Cores for other families always stand between registers. A core that *does not fit* is \
larger than the device; its area is from synthesis."""

_FASTEST = """\
The fastest measured core of each job on each chip: GB/s, and in brackets lanes, clock in MHz and share of the chip's
look-up tables. `?`: a limit of this clock is unknown, so that it may be lower. Wider cores may fit a chip and not be
measured. The charts have the chips on which two widths of a core were measured. Clocks of ECP5 leave out the paths
through a core's ports, which the clocks of other chips include."""

_TRANSCODERS = """\
Cores of any two encodings, and validators of encodings other than UTF-8. *units*: units of the source in a beat, one a
lane. GB/s are bytes of the source. A *goal* is the Fmax, and the LUT, that a core was meant to reach; it is missed too
if a part of the device limits the clock to less than 370 MHz."""

_COMPACT = """\
Cores of `--pipeline compact`: [global stall, fewest registers](architecture.md#compact). A *goal* is the LUT, the clock
and the latency that a core was meant to reach. Other open cores that take a byte at a time are smaller, and do
less: [their area, and what they check and report](alternatives.md#area-of-compact-cores-and-of-two-others)."""

_OTHERS = """\
The same cores on chips of other families. *device* is the name that `--target` takes; [another
table](implementation.md#targets) has the resources of each. Clock limits of most of their parts are unknown, so that
the clocks are marked. Clocks of Artix-7 and Zynq-7000 come from [a coarse
model](implementation.md#artix-7-and-zynq-7000): one speed grade, and round numbers for delays inside a slice.
`runewire synth` measures other cores and grades."""

_OPTIONS = """\
Each option alone, after the same core with default options. *of default*: LUT and FF as fractions of that core's.
A *goal* is what an option was meant to cost, or to reach, and whether it does."""

_LIMITS = """\
nextpnr's Fmax comes from paths alone; a part of the device may have a lower limit, whatever the paths. Look-up tables
and carries have no clock, and no limit but Fmax."""


def write(directory: Path, path: Path | None = None) -> Path:
    """Write the page of the measurements in ``directory``, and its charts; returns the page's file.

    ``path``: the page, next to the folder of its charts, which has its name without ``.md``. Default: the page is next
    to ``directory``, and the charts are in there.
    """
    path = path or directory.with_suffix(".md")
    charts = path.with_suffix("")
    page, pictures = pages(read(directory), charts.name)
    charts.mkdir(parents=True, exist_ok=True)
    for old in charts.glob("*.svg"):
        if old.name not in pictures:
            old.unlink()
    for name, picture in pictures.items():
        write_whole(charts / name, picture.encode())
    write_whole(path, page.encode())
    return path


def pages(records: Sequence[MeasurementRecord], folder: str) -> tuple[str, dict[str, str]]:
    """The page in Markdown, and the charts in SVG by file name; ``folder`` is where the page links them.

    Raises `ValueError` for no records.
    """
    if not records:
        raise ValueError("there are no measurements to make a datasheet of; runewire sweep makes them")
    only_area = [record for record in records if is_area_only(record)]
    main = [record for record in records if family_of(record) in MAIN]
    others = [record for record in records if record not in main and record not in only_area]
    other = sum(not is_present(record) for record in records)
    which = {0: "none", 1: "one", len(records): "all"}.get(other, f"{other}")
    blocks = [_HEAD, f"This page describes runewire {runewire_model.__version__}. "
                     f"In {which} of its {len(records)} rows another design or tool flow was measured (†)."]
    if fastest := fastest_table(records):
        blocks += ["## The fastest cores", _FASTEST, fastest]
    pictures: dict[str, str] = {}
    for name, unit, picture in chip_charts(records, JOBS):
        file = f"chips-{name}.svg"
        pictures[file] = picture
        blocks.append(f"![{name} of each chip, {unit}, by lanes]({folder}/{file})")
    blocks.append(_COLUMNS)
    for (family, speed), group in grouped(main, lambda r: (family_of(r), r["speed"])):
        part, drawn = _device(family, speed, group, folder)
        blocks += part
        pictures |= drawn
    if others:
        blocks += ["## Other families", _OTHERS, table(others, several=True, chips=True)]
        if any(map(is_placed, others)):
            blocks += ["### What limits Fmax there", paths_table(others, chips=True)]
    if only_area:
        blocks += ["## Area only", "Synthesised by Yosys, not placed: their clock is unknown."]
        blocks.append(area_table(only_area))
    blocks += _origin(records)
    return "\n\n".join(blocks) + "\n", pictures


def _device(family: str, speed: str, records: Sequence[MeasurementRecord],
            folder: str) -> tuple[list[str], dict[str, str]]:
    compact = [record for record in records if record["pipeline"] == "compact"]
    records = [record for record in records if record["pipeline"] != "compact"]
    usual = [record for record in records if not options_of(record)]
    kinds = grouped(usual, kind_of)
    blocks = [f"## {family}, speed grade {speed}"]
    pictures = {}
    for name, unit, picture in charts(kinds):
        file = f"{family}-{speed}-{name}.svg".lower().replace(" ", "-")
        pictures[file] = picture
        blocks.append(f"![{name}, {unit}, by lanes]({folder}/{file})")
    for kind, group in kinds:
        if group[0]["core"] != TRANSCODER:
            blocks += [f"### {titled(kind)}", table(group)]
    if transcoders := [record for record in usual if record["core"] == TRANSCODER]:
        blocks += ["### Transcoders", _TRANSCODERS, table(transcoders, several=True)]
    if compact:
        blocks += ["### Compact", _COMPACT, table(compact, several=True)]
    if len(usual) < len(records):
        blocks += ["### Options", _OPTIONS, options_table(records)]
    if any(map(is_placed, [*usual, *compact])):
        blocks += ["### What limits Fmax", paths_table([*usual, *compact])]
    return blocks, pictures


def _origin(records: Sequence[MeasurementRecord]) -> list[str]:
    """The sections on clock limits, commands and tools."""
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
                   markdown(["family", "speed grade", "part", "MHz", "source"], list(limits), left=5)]
    blocks += [
        "## How it was made",
        f"Seeds 1 to {' or '.join(str(count) for count in seeds)}." if seeds else "",
        "```sh\n" + "\n".join(commands) + "\n```",
        markdown(["tool", "version"], versions, left=2),
    ]
    return [block for block in blocks if block]
