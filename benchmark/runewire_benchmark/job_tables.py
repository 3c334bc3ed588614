"""Tables with one row per job or text, for Markdown and HTML pages: a heading, and rows of plain text."""

from .best_chips import BestChip
from .findings import number, size
from .inputs import Case
from .quantities import SOCKET_CORES, Match, duels, match, matches, socket, software_figures
from .run import Comparison
from .tasks import JOBS, RATE, TASKS, Job, short

Table = tuple[list[str], list[list[str]]]
BEST = f"best chip, {RATE}"
"""Heading of the column of the best chip."""
SPACINGS = (None, 64)
"""The two kinds of text in a cell: clean, and with an error every 64 bytes."""


def _title(one: Match) -> str:
    return TASKS[one.job].title


def _marked(one: Match) -> str:
    return f"{one.software} †" if one.published else one.software


def jobs(comparison: Comparison) -> Table:
    """Each job on the median text: the fastest program against the cores; a column for the best chip, if another one
    has a faster core."""
    best = {found.job: found for found in comparison.best_chips}
    head = ["job", "fastest software", f"software, {RATE}", "lanes that pass it", "fastest core", f"core, {RATE}",
            "times as fast", *([BEST] if best else [])]
    return head, [
        [_title(one), _marked(one), number(one.rate), str(one.narrowest.lanes) if one.narrowest else "none",
         f"{one.widest.lanes} lanes{' ‡' if one.widest.stand_in else ''}", number(one.hardware), number(one.ratio),
         *([_best(best.get(one.job), one)] if best else [])]
        for one in matches(comparison)
    ]


def _best(found: BestChip | None, one: Match) -> str:
    """Rate, chip and lanes of the fastest core of any chip: "102 (gowin-gw5ast-138 ?, 256 lanes)"."""
    entry, rate = (one.widest, one.hardware) if found is None else (found.entry, found.gigabytes_per_second)
    doubt = " ?" * bool(entry.unknown_limits)
    return f"{number(rate)} ({entry.target}{doubt}, {entry.lanes} lanes)"


def chip(comparison: Comparison) -> str:
    """The chip of the cores, and whether it is the best."""
    said = f"Cores: modelled on {comparison.target}"
    if comparison.best_chips:
        return (f"{said}; the last column has the fastest core of all chips in the datasheet. ?: a limit of its clock "
                "is unknown.")
    return f"{said}. No other chip of the datasheet has a faster core for any of the jobs."


def ranges(comparison: Comparison) -> Table:
    """Each job with one program: its slowest and fastest text, long texts, damaged text, and all cores of a socket."""
    long = [] if comparison.large is None else [f"texts of {size(comparison.large.bytes)}"]
    head = ["job", "software", f"median text, {RATE}", "slowest text", "fastest text", *long,
            "an error every 64 bytes", "core, times as fast with errors", f"{SOCKET_CORES} cores"]
    rows = []
    for one in matches(comparison):
        program = one.program
        damaged = match(comparison, one.job, 64)
        ends = [f"{number(program.rates[text])} ({text})" for text in (program.slowest, program.fastest)]
        rows.append([
            _title(one), _marked(one), number(one.rate), *(["–", "–"] if one.published else ends),
            *(["–" if one.large is None else number(one.large)] if long else []),
            "–" if damaged is None else f"{number(damaged.rate)} ({damaged.software})",
            "–" if damaged is None else number(damaged.ratio), number(socket(one.rate)),
        ])
    return head, rows


def grid(comparison: Comparison) -> Table:
    """The fewest lanes that outperform the fastest software, by text and job: clean text / an error every 64 bytes."""
    shown: list[tuple[Job, list[int | None]]] = []
    for job in JOBS:
        spacings = [spacing for spacing in SPACINGS if duels(comparison, job, spacing)]
        if spacings:
            shown.append((job, spacings))
    cells = {(duel.case.text, job, spacing): str(duel.break_even.entry.lanes) if duel.break_even else "none"
             for job, spacings in shown for spacing in spacings for duel in duels(comparison, job, spacing)}
    rows = [
        [text.name, *(" / ".join(dict.fromkeys(cells.get((text.name, job, spacing), "–") for spacing in spacings))
                      for job, spacings in shown)]
        for text in comparison.texts
    ]
    return ["text", *(TASKS[job].title for job, _ in shown)], rows


def texts(comparison: Comparison, job: Job) -> Table:
    """One job by text: the fastest software on each against the cores; clean text / an error every 64 bytes."""
    unit = TASKS[job].rate
    hardware = ["lanes that pass it", f"fastest core, {unit}", "times as fast"] if comparison.hardware else []
    head = ["text", f"fastest software, {unit}", *hardware]
    rows = []
    known = {duel.case: duel for spacing in SPACINGS for duel in duels(comparison, job, spacing)}
    for text in comparison.texts:
        cases = [Case(text.name, spacing, None) for spacing in SPACINGS]
        measured = [software_figures(comparison, job, case) for case in cases]
        cells = [[f"{number(figures[0].median)} ({short(figures[0].peer, job)})" if figures else "–"
                  for figures in measured]]
        if comparison.hardware:
            met = [known.get(case) for case in cases]
            winners = [duel.break_even if duel else None for duel in met]
            cells += [
                [str(winner.entry.lanes) if winner else "none" for winner in winners],
                [number(duel.fastest.gigabytes_per_second) if duel else "–" for duel in met],
                [number(duel.ratio) if duel else "–" for duel in met],
            ]
        rows.append([text.name, *(" / ".join(dict.fromkeys(cell)) for cell in cells)])
    return head, rows


def footnotes(comparison: Comparison) -> list[str]:
    """The meaning of ‡ and †, if a table of jobs contains them."""
    found = matches(comparison)
    notes = []
    if any(one.widest.stand_in for one in found):
        notes.append("‡ Not placed and routed yet: the clock is that of the decoder, encoder or validator that sorts "
                     "as many places, or checks as many bytes, per cycle.")
    return notes + [f"† {_title(one)}: published ({one.published.where}), not measured here."
                    for one in found if one.published]
