"""The comparison in short, in Markdown: tables by text and of lines, and what all figures say in sentences."""

from . import line_report
from .inputs import Case
from .lines import Lines
from .peers import JOBS, Job
from .run import Comparison
from .table import provenance
from .verdict import duels as found_duels
from .verdict import not_measured, number, sentences, software_figures, without_clock

JOB: Job = "decode"
SPACINGS = (None, 64)
"""The two kinds of text in a cell: clean, and with an error every 64 bytes."""


def summary(comparison: Comparison) -> str:
    """Table, sentences, and the machine. Cells hold two figures: for clean text and for damaged."""
    said = [f"- {' '.join(sentences(comparison, job))}" for job in JOBS
            if any(peer.job == job for peer in comparison.peers)]
    if comparison.lines is not None:
        said += [f"- {' '.join(line_report.sentences(comparison.lines))}",
                 *(f"- {sentence}" for sentence in line_report.not_measured(comparison.lines))]
    said += [f"- {sentence}" for sentence in [*without_clock(comparison), *not_measured(comparison)]]
    note = "GB/s are 10^9 bytes of UTF-8 a second. Software is measured on one thread, in processor time"
    if comparison.hardware:
        note += "; hardware is modelled: bytes per cycle from the cycle model, times the placed and routed clock"
    return "\n".join([
        "Decoding, by text; in each cell clean text / an error every 64 bytes:", "",
        *_table(comparison), "", *said, "", f"{note}. {provenance(comparison)}.",
    ])


def line_table(lines: Lines) -> str:
    """The table of a verdict on each line, and what its columns are."""
    head = line_report.headings(lines)
    return "\n".join([f"{line_report.WORK}. {line_report.legend(lines)}", "", _row(head),
                      _row(["---", *["---:"] * (len(head) - 1)]), *map(_row, line_report.rows(lines))])


def _table(comparison: Comparison) -> list[str]:
    hardware = ["lanes that pass it", "fastest core, GB/s", "times as fast"] if comparison.hardware else []
    head = ["text", "fastest software, GB/s", *hardware]
    lines = [_row(head), _row(["---", *["---:"] * (len(head) - 1)])]
    duels = {duel.case: duel for spacing in SPACINGS for duel in found_duels(comparison, JOB, spacing)}
    for text in comparison.texts:
        cases = [Case(text.name, spacing, None) for spacing in SPACINGS]
        measured = [software_figures(comparison, JOB, case) for case in cases]
        cells = [[number(figures[0].median) if figures else "–" for figures in measured]]
        if comparison.hardware:
            met = [duels.get(case) for case in cases]
            winners = [duel.break_even if duel else None for duel in met]
            cells += [
                [str(winner.entry.lanes) if winner else "none" for winner in winners],
                [number(duel.fastest.gigabytes_per_second) if duel else "–" for duel in met],
                [number(duel.ratio) if duel else "–" for duel in met],
            ]
        lines.append(_row([text.name, *(" / ".join(dict.fromkeys(cell)) for cell in cells)]))
    return lines


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
