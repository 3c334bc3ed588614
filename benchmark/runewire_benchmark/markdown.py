"""The comparison in Markdown: a few jobs for the first page, all jobs, and detailed tables."""

from collections.abc import Sequence

from . import line_report
from .findings import exceptions, fitting, not_measured, tally, without_clock
from .job_tables import BEST, Table, chip, footnotes, grid, jobs, ranges, texts
from .lines import Lines
from .quantities import matches
from .run import Comparison
from .table import provenance
from .tasks import JOBS, RATE, TASKS, Job

JOB: Job = "decode"
"""The job that is shown for each text."""
FEW: tuple[Job, ...] = ("validate", "decode", "utf-8 to utf-16le, replacing", "utf-16le to utf-8, replacing",
                        "latin-1 to utf-8")
"""The jobs of the first page, one that hardware loses among them."""


def short(comparison: Comparison) -> str:
    """The jobs of `FEW` in a table, the number of wins among all jobs, and the machine."""
    head, rows = jobs(comparison)
    found = {row[0]: row for row in rows}
    shown = [found[title] for title in (TASKS[job].title for job in FEW) if title in found]
    columns = [head.index(name) for name in (
        "job", "fastest software", f"software, {RATE}", f"core, {RATE}", "times as fast", "lanes that pass it",
        *([BEST] if BEST in head else []))]
    # All of them count UTF-8.
    names, *cells = [[row[column].replace(RATE, TASKS["decode"].rate) for column in columns] for row in (head, *shown)]
    return "\n\n".join([
        _table((names, cells), text=(0, 1)), *footnotes(comparison), " ".join(tally(comparison)[:2]),
        f"Software: one thread of {comparison.machine.cpu}, in cache. {chip(comparison)}"])


def summary(comparison: Comparison) -> str:
    """The table of all jobs, the number of wins, and the machine."""
    if not matches(comparison):
        return "\n".join([*without_clock(comparison), "", f"{provenance(comparison)}."])
    notes = footnotes(comparison)
    native = dict.fromkeys(peer.version for peer in comparison.peers if "simdutf" in peer.name)
    return "\n\n".join([
        _table(jobs(comparison), text=(0, 1, 4)), *notes, " ".join(tally(comparison)),
        "GB/s are 10^9 bytes a second, of UTF-8 on whichever side it is; checks count what they read. Software is "
        "measured on one thread in processor time, texts being in cache; cores are modelled: bytes per cycle from the "
        "cycle model, times the placed and routed clock.",
        chip(comparison), f"Measured on {comparison.machine.cpu}, {', '.join(native) or 'without libsimdutf'}.",
    ])


def details(comparison: Comparison) -> str:
    """The details: break-even by text, ranges, decoding by text, notes, and versions."""
    notes = [f"- {TASKS[job].title}: {' '.join(said)}" for job in JOBS if (said := exceptions(comparison, job))]
    parts = []
    if matches(comparison):
        parts += [
            "The fewest lanes that pass the fastest software on each text; in a cell clean text / an error every 64 "
            "bytes, \"none\" where software beats every core:",
            _table(grid(comparison), text=(0,)),
            "The program of each job with its own slowest and fastest text; with errors the fastest program that reads "
            "on; in the last column all cores of a socket, modelled:",
            _table(ranges(comparison), text=(0, 1)), *footnotes(comparison), *fitting(comparison),
        ]
    parts += [f"{TASKS[JOB].title}, by text; in each cell clean text / an error every 64 bytes:",
              _table(texts(comparison, JOB), text=(0,)), "\n".join(notes)]
    parts += [*without_clock(comparison), *not_measured(comparison), f"{provenance(comparison)}."]
    return "\n\n".join(part for part in parts if part)


def lines_section(lines: Lines) -> str:
    """The table of a job on lines, the meaning of its columns, and conclusions."""
    table = line_report.headings(lines), line_report.rows(lines)
    return "\n\n".join([
        f"{lines.job.title}. {line_report.legend(lines)}", _table(table, text=(0,)),
        " ".join(line_report.sentences(lines)), *line_report.not_measured(lines)])


def _table(table: Table, text: Sequence[int]) -> str:
    """``table``, with figures aligned to the right, except in the columns ``text``."""
    head, rows = table
    rule = ["---" if index in text else "---:" for index in range(len(head))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))
