"""The comparison in short, in Markdown: tables by text and of lines, and what all figures say in sentences."""

from . import line_report
from .inputs import Case
from .lines import Lines
from .run import Comparison
from .table import provenance
from .verdict import (
    SOCKET_CORES,
    matches,
    not_measured,
    number,
    sentences,
    socket,
    software_figures,
    tally,
    without_clock,
)
from .verdict import duels as found_duels
from .works import JOBS, WORKS, Job, short

JOB: Job = "decode"
SPACINGS = (None, 64)
"""The two kinds of text in a cell: clean, and with an error every 64 bytes."""


def summary(comparison: Comparison) -> str:
    """Tables by job and by text, sentences, and the machine. In the second, cells hold two figures: for clean text and
    for damaged."""
    said = [f"- {' '.join(sentences(comparison, JOB))}"]
    if comparison.lines is not None:
        said += [f"- {' '.join(line_report.sentences(comparison.lines))}",
                 *(f"- {sentence}" for sentence in line_report.not_measured(comparison.lines))]
    said += [f"- {sentence}" for sentence in [*without_clock(comparison), *not_measured(comparison)]]
    note = ("GB/s are 10^9 bytes of UTF-8 a second, or of what is read where neither side is UTF-8. Software is "
            "measured on one thread, in processor time")
    if comparison.hardware:
        note += "; hardware is modelled: bytes per cycle from the cycle model, times the placed and routed clock"
    jobs = ["By job, on the median text; in the last column all cores of a socket, modelled:", "",
            *_jobs(comparison), "", *tally(comparison), ""] if matches(comparison) else []
    return "\n".join([
        *jobs, "Decoding, by text; in each cell clean text / an error every 64 bytes:", "",
        *_table(comparison), "", *said, "", f"{note}. {provenance(comparison)}.",
    ])


def job_sentences(comparison: Comparison) -> str:
    """What the figures say of each job, one after another."""
    return "\n".join(f"- {' '.join(sentences(comparison, job))}" for job in JOBS
                     if any(peer.job == job for peer in comparison.peers))


def _jobs(comparison: Comparison) -> list[str]:
    head = ["job", "fastest software", "GB/s", "lanes that pass it", "fastest core", "GB/s", "times as fast",
            f"{SOCKET_CORES} cores, GB/s"]
    lines = [_row(head), _row(["---", "---", "---:", "---:", "---", "---:", "---:", "---:"])]
    for match in matches(comparison):
        by_other = " ‡" if match.widest.stand_in else ""
        known = " †" if match.published else ""
        lines.append(_row([
            WORKS[match.job].title, f"{short(match.software, match.job)}{known}", number(match.rate),
            str(match.narrowest.lanes) if match.narrowest else "none",
            f"{match.widest.lanes} lanes{by_other}", number(match.hardware), number(match.hardware / match.rate),
            number(socket(match.rate)),
        ]))
    if any(match.widest.stand_in for match in matches(comparison)):
        lines += ["", "‡ Not placed and routed yet: the clock is that of the decoder, encoder or validator that sorts "
                      "as many places, or checks as many bytes, per cycle."]
    for match in matches(comparison):
        said = WORKS[match.job].published
        if match.published and said is not None:
            lines += ["", f"† {WORKS[match.job].title}: published ({said.where}), not measured here."]
    return lines


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
