"""The comparison with software: five jobs in README.md; all, with a chart, in docs/throughput.md.

Its source is records/comparison.json. ``runewire compare --builtin --large --lines`` does the same measurement, on
this machine and with the datasheet; it needs a libsimdutf, named in ``RUNEWIRE_SIMDUTF``.
"""

import json
from dataclasses import replace
from typing import Any

from runewire_benchmark import datasheet, markdown
from runewire_benchmark.best_chips import fastest_elsewhere
from runewire_benchmark.charts import picture
from runewire_benchmark.inputs import LARGE_BYTES, builtin
from runewire_benchmark.job_tables import SPACINGS
from runewire_benchmark.line_jobs import LINE_JOBS
from runewire_benchmark.lines import TEXT_BYTES as LINES_BYTES
from runewire_benchmark.lines import Lines, line_core, measure_lines
from runewire_benchmark.machine import load, machine
from runewire_benchmark.peer_registry import jobs_on_lines, peers
from runewire_benchmark.run import Comparison, best_cores, compare, measure_large
from runewire_benchmark.tasks import TASKS
from runewire_jobs.record_text import record_text

from .part import DOCS, README, RECORDS, GeneratedFile, Measurement, Part

FIGURES = RECORDS / "comparison.json"
CHART = DOCS / "comparison.svg"
TARGET = "ecp5-85k"
TEXT_BYTES = 1 << 16
SAMPLES = 9


def comparison() -> Comparison:
    """The figures that are kept."""
    return Comparison.from_json(json.loads(FIGURES.read_text(encoding="utf-8")))


def measure() -> None:
    """Measure, and keep what the pages are made from. Raises ValueError where libsimdutf is missing."""
    known, placed = peers(), datasheet.load()
    missing = [peer for peer in known if not peer.available()]
    if missing:
        raise ValueError(f"{missing[0].name} is missing: {missing[0].missing}")
    found = compare(builtin(TEXT_BYTES), known, placed, TARGET, SAMPLES, print)
    found = replace(found, large=measure_large(found, builtin(LARGE_BYTES), known, SAMPLES, print), lines=_lines())
    _keep(replace(found, load=found.load[:1] + load()))


def measure_cores_alone() -> None:
    """Work out the cores' figures again, and keep everything else: they are the datasheet's, on any machine."""
    kept, placed = comparison(), datasheet.load()
    modelled = compare(builtin(TEXT_BYTES), [], placed, TARGET, 1)
    lines = tuple(replace(found, core=measure_lines(found.job, [], placed, TARGET, 1, found.bytes).core)
                  for found in kept.lines)
    _keep(replace(kept, hardware=modelled.hardware, best_chips=modelled.best_chips, lines=lines))


def has_present_cores(found: Comparison) -> bool:
    """Whether the cores are the datasheet's present ones, at each task and at each job on lines."""
    entries = datasheet.load()
    placed = best_cores(entries, found.target)
    cores = {entry.name: entry for task in TASKS.values() for entry in task.cores(placed)}
    if {entry.name: entry for entry in found.entries} != cores:
        return False
    if {best.job: best.entry for best in found.best_chips} != fastest_elsewhere(entries, found.target):
        return False
    for lines in found.lines:
        core = line_core(lines.job, entries, found.target)
        if core is not None and lines.core is not None:
            core = replace(core, rates=lines.core.rates)
        if core != lines.core:
            return False
    return True


def measure_lines_alone() -> None:
    """Measure lines, and keep all other results. Raises ValueError if another machine measured them."""
    kept = comparison()
    if kept.machine != machine():
        raise ValueError(f"the other figures are of another machine, {kept.machine}: use --measure comparison")
    _keep(replace(kept, lines=_lines()))


def _lines() -> tuple[Lines, ...]:
    return tuple(measure_lines(job, able, datasheet.load(), TARGET, SAMPLES, LINES_BYTES, print)
                 for job, able in jobs_on_lines())


def _keep(found: Comparison) -> None:
    kept = found.as_json()
    for kind in ("software", "hardware"):
        kept[kind] = [_short(figure) for figure in kept[kind]
                      if figure["packet_bytes"] is None and figure["spacing"] in SPACINGS]
    kept["large"]["software"] = [_short(figure) for figure in kept["large"]["software"]]
    FIGURES.write_text(record_text(kept), encoding="utf-8")


def _short(figure: dict[str, Any]) -> dict[str, Any]:
    """A figure in six digits, without what the record's datasheet says of its core."""
    return {name: float(f"{value:.6g}") if isinstance(value, float) else value for name, value in figure.items()
            if name not in ("clock_mhz", "stand_in", "modelled")}


def first_page() -> str:
    """Five jobs, in Markdown."""
    return markdown.short(comparison())


def section() -> str:
    """All jobs, in Markdown."""
    return markdown.summary(comparison())


def details() -> str:
    """The chart, and tables by text, in Markdown."""
    return f"![GB/s of UTF-8 against lanes, software as lines]({CHART.name})\n\n{markdown.details(comparison())}"


def chart() -> str:
    """The chart in SVG. Raises ValueError where the record has no core to draw."""
    drawn = picture(comparison())
    if drawn is None:
        raise ValueError(f"{FIGURES} has no core to draw")
    return drawn


def lines_section() -> str:
    """The tables of the jobs on lines that were measured, in Markdown."""
    measured = {lines.job: lines for lines in comparison().lines}
    return "\n\n".join(markdown.lines_section(measured[job]) if job in measured else f"{job.title}: not measured yet."
                       for job in LINE_JOBS.values())


GENERATED = (
    Part("comparison", README, first_page),
    Part("comparison", DOCS / "throughput.md", section),
    GeneratedFile("comparison", CHART, chart),
    Part("details", DOCS / "throughput.md", details),
    Part("lines", DOCS / "throughput.md", lines_section),
)
MADE = ("comparison", "details", "lines")
MEASUREMENTS = (
    Measurement("comparison", measure, MADE, "ten minutes"),
    Measurement("lines", measure_lines_alone, MADE, "some minutes"),
    Measurement("compared-cores", measure_cores_alone, MADE, "seconds"),
)
