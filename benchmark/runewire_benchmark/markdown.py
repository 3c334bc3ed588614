"""The comparison in Markdown: a summary for the first page, and detailed tables."""

from collections.abc import Sequence

from . import line_report
from .findings import exceptions, fitting, not_measured, tally, without_clock
from .job_tables import Table, footnotes, grid, jobs, ranges, texts
from .lines import Lines
from .quantities import matches
from .run import Comparison
from .table import provenance
from .tasks import JOBS, TASKS, Job

JOB: Job = "decode"
"""The job that is shown for each text."""


def summary(comparison: Comparison) -> str:
    """The table of jobs, the number of wins, and the machine."""
    if not matches(comparison):
        return "\n".join([*without_clock(comparison), "", f"{provenance(comparison)}."])
    notes = footnotes(comparison)
    native = dict.fromkeys(peer.version for peer in comparison.peers if "simdutf" in peer.name)
    return "\n\n".join([
        _table(jobs(comparison), text=(0, 1, 4)), *notes, " ".join(tally(comparison)),
        "GB/s are 10^9 bytes a second, of UTF-8 on whichever side it is; checks count what they read. Software is "
        "measured on one thread in processor time, texts being in cache; cores are modelled: bytes per cycle from the "
        "cycle model, times the placed and routed clock.",
        f"Measured on {comparison.machine.cpu}, {', '.join(native) or 'without libsimdutf'}.",
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
    """The table of line validation, the meaning of its columns, and conclusions."""
    table = line_report.headings(lines), line_report.rows(lines)
    return "\n\n".join([
        f"{line_report.TITLE}. {line_report.legend(lines)}", _table(table, text=(0,)),
        " ".join(line_report.sentences(lines)), *line_report.not_measured(lines)])


def _table(table: Table, text: Sequence[int]) -> str:
    """``table``, with figures aligned to the right, except in the columns ``text``."""
    head, rows = table
    rule = ["---" if index in text else "---:" for index in range(len(head))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))
