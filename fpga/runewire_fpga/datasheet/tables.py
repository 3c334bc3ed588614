"""The datasheet's tables in Markdown: their columns, each with the cell that it has for a measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from runewire_model import __version__

from ..records import MeasurementRecord
from .goals import goal_of, missed_goals
from .rows import chip_of, family_of, grouped, has_usual_options, is_placed, is_present, kind_of, options_of, usual_core

Columns = Mapping[str, Callable[[MeasurementRecord], str]]
"""The cell of each column, by its heading."""

TOO_LARGE = "does not fit"
"""Cell of Fmax for a core that is larger than the device."""

STALE = "†"
"""Marks a measurement of a former design or tool flow."""

PLAIN: Mapping[str, tuple[float, float | None]] = {
    "ECP5": (0.95, 1.1), "iCE40": (0.9, None), "Xilinx 7 series": (0.95, None), "GW5AST": (0.95, None)}
"""Goals of the plain flow by family: least clock and most LUT, as fractions of the tuned flow's."""


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A table; the first ``left`` columns are text, the others are numbers."""
    rule = ["---"] * left + ["--:"] * (len(head) - left)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def table(records: Sequence[MeasurementRecord], *, several: bool = False, chips: bool = False) -> str:
    """Area, clock and throughput of cores; empty columns are left out.

    ``several``: with a column for the kind of core; ``chips``: with a column for the chip.
    """
    return _of_columns(records, {
        **({"chip": chip_of} if chips else {}),
        **({"core": kind_of} if several else {}),
        "units" if several and not chips else "lanes": _width,
        "device": lambda record: record["target"],
        "memory": _memory,
        "version": _version,
        **_AREA,
        "Fmax": _fmax_range,
        **_CLOCK,
        "GB/s": lambda record: f"{record['gigabytes_per_second']:.2f}" if is_placed(record) else "",
        "of pipeline": lambda record: _ratio(record, "pipeline"),
        "of unstalled": lambda record: _ratio(record, "always_ready"),
        "ports": _ports,
        "plain flow": _plain_flow,
        "goal": lambda record: _goal(record, None),
    }, left=4 + several + chips)


def options_table(records: Sequence[MeasurementRecord]) -> str:
    """Cores with options, each group after the same core with default options, where that was measured."""
    rows: list[list[str]] = []
    for _, group in grouped(records, usual_core):
        if any(map(options_of, group)):
            usual = next((record for record in group if not options_of(record)), None)
            columns = _option_columns(usual)
            rows += [[cell(record) for cell in columns.values()] for record in group]
    return markdown([*_option_columns(None)], rows, left=6)


def area_table(records: Sequence[MeasurementRecord]) -> str:
    """Area of cores that are not placed."""
    return _of_columns(records, {
        "core": kind_of, "target": lambda record: record["target"], "memory": _memory, "version": _version,
        "lanes": _width, **_AREA}, left=4)


JOBS = {
    "UTF-8 checked": "validator",
    "UTF-8 to UTF-32LE": "decoder, dense",
    "UTF-8 to UTF-16LE": "UTF-8 to UTF-16LE, dense",
    "UTF-32LE to UTF-8": "encoder",
    "UTF-16LE to UTF-8": "UTF-16LE to UTF-8",
}
"""Jobs of the table of the fastest cores, by heading: the kind of core that does each."""


def fastest_table(records: Sequence[MeasurementRecord]) -> str:
    """For each chip the fastest core of each job of `JOBS` with default options and any layout; empty for no such
    core."""
    placed = [record for record in records if is_placed(record) and has_usual_options(record)]
    rows = []
    for chip, group in grouped(placed, chip_of):
        found = {kind: max(same, key=lambda record: record["gigabytes_per_second"])
                 for kind, same in grouped(group, kind_of)}
        cells = [_fastest(found[kind]) if kind in found else "" for kind in JOBS.values()]
        if any(cells):
            rows.append([chip, *cells])
    return markdown(["chip", *JOBS], rows) if rows else ""


def _fastest(record: MeasurementRecord) -> str:
    share = 100 * record["luts"] / record["capacity"]["luts"]
    return f"{record['gigabytes_per_second']:.2f} ({_width(record)}, {_clock(record)} MHz, {share:.0f} %)"


def paths_table(records: Sequence[MeasurementRecord], *, chips: bool = False) -> str:
    """Slowest path of each placed core; ``chips``: with a column for the chip."""
    return _of_columns([record for record in records if is_placed(record)], {
        **({"chip": chip_of} if chips else {}),
        "core": kind_of,
        "lanes": _width,
        "memory": _memory,
        "from": lambda record: f"`{record['critical_path']['start']}`",
        "to": lambda record: f"`{record['critical_path']['end']}`",
        "logic ns": lambda record: f"{record['critical_path']['logic_ns']:.2f}",
        "routing ns": lambda record: f"{record['critical_path']['routing_ns']:.2f}",
    }, left=5 + chips)


def missed_table(records: Sequence[MeasurementRecord]) -> str:
    """The cores that miss a goal: what is missed, what was reached, and the delay of the slowest path."""
    missed = {id(record): words for record, words in missed_goals(records)}
    return _of_columns([record for record in records if id(record) in missed], {
        "core": kind_of,
        "lanes": _width,
        "chip": lambda record: f"`{record['target']}`",
        "missed": lambda record: ", ".join(missed[id(record)]),
        "Fmax": lambda record: _fmax_range(record) + ("" if is_present(record) else f" {STALE}"),
        "LUT": _AREA["LUT"],
        "a lane": _AREA["a lane"],
        "path: logic + wire, ns": lambda record: " + ".join(
            f"{record['critical_path'][part]:.1f}" for part in ("logic_ns", "routing_ns")),
    }, left=4)


def _of_columns(records: Sequence[MeasurementRecord], columns: Columns, left: int) -> str:
    cells = {heading: [cell(record) for record in records] for heading, cell in columns.items()}
    filled = {heading: column for heading, column in cells.items() if any(column)}
    return markdown([*filled], zip(*filled.values(), strict=True), left)


def _option_columns(usual: MeasurementRecord | None) -> Columns:
    """Columns of a core with options; ``usual`` is the same core with default options."""
    def lanes(record: MeasurementRecord) -> str:
        return str(record["lanes"]) if record["pipeline"] == "fast" else f"{record['lanes']} {record['pipeline']}"

    def of_default(record: MeasurementRecord) -> str:
        return "" if usual is None else " / ".join(
            f"{100 * record[key] / usual[key]:.0f} %" for key in ("luts", "ffs"))

    return {
        "core": kind_of,
        "lanes": lanes,
        "options": lambda record: ", ".join(options_of(record)) or "default",
        "device": lambda record: record["target"],
        "memory": _memory,
        "version": _version,
        **_AREA,
        "of default": of_default,
        "Fmax": lambda record: f"{record['fmax_mhz']:.0f}" if is_placed(record) else TOO_LARGE,
        **_CLOCK,
        "goal": lambda record: _goal(record, usual),
    }


def _width(record: MeasurementRecord) -> str:
    """Lanes, with the pipeline and the options that are not the default."""
    words = [str(record["lanes"])]
    if record["pipeline"] != "fast":
        words.append(record["pipeline"])
    return " ".join(words) + "".join(f", {option}" for option in options_of(record))


def _memory(record: MeasurementRecord) -> str:
    return str(record["memory"]["made_of"])


def _version(record: MeasurementRecord) -> str:
    return __version__ if is_present(record) else f"{record['design']['version']} {STALE}"


_AREA: Columns = {
    "LUT": lambda record: f"{record['luts']:,}",
    "a lane": lambda record: f"{record['luts'] / record['lanes']:.0f}",
    "FF": lambda record: f"{record['ffs']:,}",
    "block RAM": lambda record: str(record["memory"]["block_ram"]),
    "LUT RAM": lambda record: str(record["memory"]["distributed_ram"]),
    "latency": lambda record: str(record["latency_cycles"]),
}


def _fmax_range(record: MeasurementRecord) -> str:
    seeds = [run["fmax_mhz"] for run in record["seeds"]]
    mark = " ‡" if any(run.get("limited") for run in record["seeds"]) else ""
    return f"{record['fmax_mhz']:.0f} ({min(seeds):.0f}–{max(seeds):.0f}){mark}" if seeds else TOO_LARGE


def _clock(record: MeasurementRecord) -> str:
    return f"{record['clock_mhz']:.0f}{' ?' if record['clock_unsure_of'] else ''}" if is_placed(record) else ""


_CLOCK: Columns = {
    "clock": _clock,
    "held by": lambda record: str(record["clock_held_by"]) if is_placed(record) else "",
}


def _ratio(record: MeasurementRecord, variant: str) -> str:
    ratio = record["beside"].get(variant, {}).get("ratio")
    return "" if ratio is None else f"{100 * ratio:.0f} %"


def _ports(record: MeasurementRecord) -> str:
    fmax = record["beside"].get("between_registers", {}).get("fmax_mhz")
    return "" if fmax is None else f"{fmax:.0f}"


def _plain_flow(record: MeasurementRecord) -> str:
    """Clock and LUT in the plain flow, as fractions of the tuned flow's, and which of the goals `PLAIN` they miss."""
    plain = record["beside"].get("plain_flow")
    if plain is None:
        return ""
    clock, luts = plain["clock_mhz"] / record["clock_mhz"], plain["luts"] / record["luts"]
    asked, most = PLAIN.get(family_of(record), (0.0, None))
    missed = [*(["clock missed"] if clock < asked else []), *(["LUT missed"] if most and luts > most else [])]
    found = f"{plain['clock_mhz']:.0f} ({clock:.0%}), {luts:.0%} LUT".replace("%", " %")
    return ": ".join([found, *filter(None, [", ".join(missed)])])


def _goal(record: MeasurementRecord, usual: MeasurementRecord | None) -> str:
    goal = goal_of(record)
    return "" if goal is None else goal.met(record, usual)
