"""The comparison as one page: self-contained HTML, nothing fetched, no script."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources

from . import line_report
from .charts import against_lanes, by_text, charted_peers, charts_style, core_kind, series_class
from .findings import fitting, headline, not_measured, number, sentences, size, tally, without_clock
from .inputs import PACKET_BYTES, SPACINGS
from .job_tables import chip, footnotes, jobs, ranges
from .lines import Lines
from .measure import BUDGET_NS
from .quantities import SOCKET_CORES, SOCKET_MEMORY, duels, matches
from .run import Comparison
from .table import headings, legend, provenance, rows
from .tasks import JOBS, RATE, TASKS, Job, short

_ERRORS = {None: "none", 1024: "KiB", 64: "64 B"}


def _text(text: str) -> str:
    """The text, escaped. A span keeps browsers from breaking a line at the hyphen of UTF-8."""
    return re.sub(r"UTF-\d+", r'<span class="whole">\g<0></span>', escape(text))


def _marked(text: str, mark: str, element: str) -> str:
    pieces = [_text(piece) for piece in text.split(mark)]
    return "".join(f"<{element}>{piece}</{element}>" if index % 2 else piece for index, piece in enumerate(pieces))


def _cells(cells: Iterable[object], kind: str = "td") -> str:
    return "".join(f"<{kind}>{_text(str(cell))}</{kind}>" for cell in cells)


def _folded(title: str, head: Sequence[str], body: Iterable[str], note: str = "") -> str:
    """A collapsed table with a title; it scrolls separately if it is wider than the page."""
    return (
        f'<details><summary>{escape(title)}</summary>{note}<div class="scroll"><table>'
        f"<thead><tr>{_cells(head, 'th')}</tr></thead><tbody>{''.join(body)}</tbody></table></div></details>"
    )


def _key(comparison: Comparison, job: Job) -> str:
    peers = charted_peers(comparison, job)
    items = [f'<li><i class="{series_class(peer)}"></i>{escape(short(peer, job))}</li>' for peer in peers]
    if any(figure.job == job and figure.case.spacing == 64 for figure in comparison.software):
        items.append('<li><i class="hollow"></i>an error every 64 bytes</li>')
    kinds = dict.fromkeys(core_kind(entry) for entry in comparison.cores(job))
    items += [f'<li><i class="bar {series_class(kind)}"></i>{kind.removesuffix(" ‡")} core, modelled'
              f'{" ‡" if kind.endswith("‡") else ""}</li>' for kind in kinds]
    return f'<ul class="key">{"".join(items)}</ul>'


def _lanes_charts(comparison: Comparison) -> str:
    charts = [(job, chart) for job in JOBS if (chart := against_lanes(comparison, job))]
    if not charts:
        return ""
    figures = "".join(f"<figure><h3>{TASKS[job].title}</h3>{chart}</figure>" for job, chart in charts)
    text = "the median text" if len(comparison.texts) > 1 else "the text"
    return (
        "<h2>How wide a core passes the software?</h2>"
        f'<p class="note">Dots are cores. Levels are software on one thread, on {text}; a broken level is '
        "the same text with an error every 64 bytes. Both axes are logarithmic.</p>"
        f'<div class="charts">{figures}</div>'
    )


def _text_charts(comparison: Comparison) -> str:
    charts = [(job, chart) for job in JOBS if (chart := by_text(comparison, job))]
    figures = "".join(
        f"<figure><h3>{TASKS[job].title}</h3>{_key(comparison, job)}{chart}</figure>" for job, chart in charts
    )
    lines = (
        " A line is a core of the width above it: software to its left is slower than that core."
        if comparison.hardware else ""
    )
    return (
        f'<h2>What does the text change?</h2><p class="note">Dots are software.{lines}</p>'
        f'<div class="charts">{figures}</div>'
    )


def _break_even(comparison: Comparison) -> str:
    shown: list[tuple[Job, int | None]] = []
    cells: dict[tuple[str, Job, int | None], str] = {}
    for job in JOBS:
        for spacing in SPACINGS:
            found = duels(comparison, job, spacing)
            if found:
                shown.append((job, spacing))
            for duel in found:
                winner = duel.break_even
                software = f"{short(duel.software.peer, job)}, {number(duel.software.median)} {TASKS[job].rate}"
                if winner is None:
                    cell = f'<td class="none" title="{escape(software)}">–</td>'
                else:
                    shade = 0.08 + 0.06 * (winner.entry.lanes.bit_length() - 1)
                    title = f"the {winner.entry.name} passes {software}"
                    cell = f'<td style="--a:{shade:.2f}" title="{escape(title)}">{winner.entry.lanes}</td>'
                cells[duel.case.text, job, spacing] = cell
    if not shown:
        return ""
    spans = [(job, sum(1 for other, _ in shown if other == job)) for job in JOBS]
    jobs = "".join(f'<th colspan="{span}">{TASKS[job].short}</th>' for job, span in spans if span)
    errors = _cells(("clean" if spacing is None else _ERRORS[spacing] for _, spacing in shown), "th")
    body = "".join(
        f'<tr><th title="{escape(text.name)}">{escape(text.name)}</th>'
        + "".join(cells.get((text.name, job, spacing), "<td></td>") for job, spacing in shown) + "</tr>"
        for text in comparison.texts
    )
    unmatched = "".join(
        f" {TASKS[match.job].title}: what simdutf is published to move no core "
        "passes." for match in matches(comparison) if match.published and not match.won)
    return (
        "<h2>The fewest lanes that pass the fastest software</h2>"
        '<p class="note">Clean, with an error a KiB, and with one every 64 bytes. A dash: the fastest '
        f"software beats every core on {escape(comparison.target)}.{_text(unmatched)}</p>"
        f'<div class="scroll"><table class="heat"><thead><tr><th></th>{jobs}</tr><tr><th></th>{errors}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _jobs(comparison: Comparison) -> str:
    if not matches(comparison):
        return ""
    found = []
    for (head, body), notes in (
            (jobs(comparison), [*footnotes(comparison), chip(comparison)]), (ranges(comparison), [])):
        lines = "".join(f"<tr><th>{_text(name)}</th>{_cells(cells)}</tr>" for name, *cells in body)
        found.append(
            f'<div class="scroll"><table class="jobs"><thead><tr>{_cells(head, "th")}</tr></thead>'
            f'<tbody>{lines}</tbody></table></div>{"".join(f"<p class=note>{_text(note)}</p>" for note in notes)}')
    median = "Medians over the texts. " if len(comparison.texts) > 1 else ""
    return (
        f'<h2>By job</h2><p class="note">{median}Software on one thread, measured; cores, and all '
        f'{SOCKET_CORES} cores of a socket, modelled.</p>{"".join(found)}'
    )


def _lines(lines: Lines) -> str:
    head = line_report.headings(lines)
    body = "".join(f"<tr><th>{_text(name)}</th>{_cells(cells)}</tr>" for name, *cells in line_report.rows(lines))
    said = _marked(" ".join(line_report.sentences(lines)), "**", "strong")
    found = [
        "<tr>" + _cells([
            f.case.text, f.case.lengths, "none" if f.case.one_in is None else f"1/{f.case.one_in}", f.peer,
            number(f.median), f"{number(f.low)}–{number(f.high)}", f.repeats,
        ]) + "</tr>"
        for f in lines.software
    ]
    columns = ["text", "bytes a line", "ill-formed", "software", "GB/s of UTF-8", "quartiles", "repeats"]
    missing = "".join(f"<p>{_text(sentence)}</p>" for sentence in line_report.not_measured(lines))
    items = "".join(f"<li>{_text(note)}</li>" for note in line_report.method(lines))
    return (
        f'<h2>{lines.job.title}</h2><p>{said}</p>{missing}<p class="note">{_text(line_report.legend(lines))}</p>'
        f'<div class="scroll"><table class="lines"><thead><tr>{_cells(head, "th")}</tr></thead><tbody>{body}</tbody>'
        f"</table></div>{_folded(f'{lines.job.title}: every measurement', columns, found, f'<ul>{items}</ul>')}"
    )


def _engines(comparison: Comparison) -> str:
    body = []
    columns = 1 + len(headings(comparison))
    for job in JOBS:
        found = rows(comparison, job)
        if found:
            title = _text(f"{TASKS[job].title}, {TASKS[job].rate}")
            body.append(f'<tr class="work"><th colspan="{columns}">{title}</th></tr>')
        for name, cells, modelled in found:
            kind = ' class="modelled"' if modelled else ""
            body.append(f"<tr><td{kind}>{escape(name)}</td>{_cells(cells)}</tr>")
    note = f'<p class="note">{escape(legend(comparison))}</p>'
    return _folded("All engines", ["", *headings(comparison)], body, note)


def _cores(comparison: Comparison) -> str:
    if not comparison.entries:
        return ""
    body = [
        "<tr>" + _cells([
            entry.name, f"{entry.fmax_mhz:.0f}", f"{entry.clock_mhz:.0f}", entry.luts, entry.ffs,
            entry.latency_cycles,
        ]) + "</tr>"
        for entry in comparison.entries if not entry.stand_in
    ]
    head = ["", "Fmax, MHz", "clock used, MHz", "LUT", "FF", "latency, cycles"]
    return _folded(f"The cores on {comparison.target}", head, body)


def _texts(comparison: Comparison) -> str:
    body = [
        f"<tr>{_cells([text.name, text.bytes, *(f'{share:.1%}' for share in text.shares)])}</tr>"
        for text in comparison.texts
    ]
    return _folded("The texts", ["", "bytes", "1-byte characters", "2-byte", "3-byte", "4-byte"], body)


def _measurements(comparison: Comparison) -> str:
    large = [] if comparison.large is None else [(size(comparison.large.bytes), f) for f in comparison.large.software]
    body = [
        "<tr>" + _cells([
            f.case.text, _ERRORS[f.case.spacing], packets, f.peer, number(f.median),
            f"{number(f.low)}–{number(f.high)}", f.repeats,
        ]) + "</tr>"
        for packets, f in [*((f.case.packet_bytes or "whole", f) for f in comparison.software), *large]
    ]
    head = ["text", "errors", "packets", "software", RATE, "quartiles", "repeats"]
    return _folded("Every measurement", head, body)


def _method(comparison: Comparison) -> str:
    calls = ", ".join(f"{peer.name} {peer.call_ns:.0f} ns" for peer in comparison.peers)
    notes = [
        "Software runs on one thread. simdutf is called in a compiled loop, and by Node.js, in processes of their own; "
        "all else is called from Python. Time is the processor's, by the clock of the process the work is done in. "
        "Each figure is the median of repeated samples after a warm-up, the candidates taking turns. One that would "
        f"need more than {BUDGET_NS / 1e9:g} s gets fewer repeats, three at least.",
        "Node.js is what a program in JavaScript has: transcode makes a pass over the text for the length of the "
        "result, and a new buffer, at each call. The compiled loop writes all results to one buffer.",
        f"A call on an empty buffer takes: {calls}. In {PACKET_BYTES}-byte packets that is part of every "
        "packet's time, but for polars, which takes all packets as one column; Node.js returns an empty buffer "
        "without a call of simdutf's conversion.",
        f"Packets have {PACKET_BYTES} bytes, or up to three fewer where a character would be cut.",
        "Hardware is modelled: bytes per cycle from the cycle model, times the placed and routed clock (the "
        "median of the seeds, never above what the parts of the device carry). Errors do not change it.",
        "What stops at the first error is not measured on damaged text. Validators in software say whether there is "
        "an error; the cores also say where, and of what kind.",
        "GB/s are 10^9 bytes a second, of UTF-8 on whichever side it is; checks count what they read. Characters "
        "that Latin-1 lacks are left out where that is read, and texts with more than a few of them. UTF-16 with "
        "errors has an unpaired surrogate for each byte of UTF-8 that is ill-formed.",
        f"A socket is modelled: {SOCKET_CORES} cores (an AMD EPYC 9654 has that many), each as fast as one thread "
        f"here, and together at most the {SOCKET_MEMORY:g} GB/s that 12 channels of DDR5-4800 deliver.",
        "‡ Clocks of cores that are not in the datasheet are those of other cores that are: of the decoder or the "
        "encoder that sorts as many places per cycle, of the validator that checks as many bytes.",
        *(f"{peer.name} {peer.note}." for peer in comparison.peers if peer.note),
        "Every answer was checked against that of CPython's codecs.",
    ]
    ill_formed = [text.name for text in comparison.texts if not text.well_formed]
    if ill_formed:
        notes.append(f"Ill-formed as it is, so that strict decoding was left out: {', '.join(ill_formed)}.")
    items = "".join(f"<li>{_text(note)}</li>" for note in notes)
    return f"<h2>How this was measured</h2><ul>{items}</ul>"


def render(comparison: Comparison) -> str:
    """The page, as the text of one HTML file."""
    title = headline(comparison)
    said = " ".join(tally(comparison))
    lead = [f'<p class="lead">{_marked(said, "**", "strong")}</p>'] if said else []
    words = "".join(f"<p>{_marked(' '.join(sentences(comparison, job)), '**', 'strong')}</p>" for job in JOBS
                    if any(peer.job == job for peer in comparison.peers))
    if not lead:
        lead, words = [words.replace("<p>", '<p class="lead">', 1)], ""
    missing = []
    for sentence in [*fitting(comparison), *without_clock(comparison), *not_measured(comparison)]:
        missing.append(f'<p class="note">{_marked(sentence, "`", "code")}</p>')
    folded = f"<details><summary>Each job in words</summary>{words}</details>" if words else ""
    style = charts_style() + (resources.files(__package__) / "page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body><h1>{_text(title)}</h1>"
        f'{"".join(lead)}{_break_even(comparison)}{_jobs(comparison)}{folded}'
        f'<p class="from">{escape(provenance(comparison))}</p>{"".join(missing)}'
        f"{_lanes_charts(comparison)}{_text_charts(comparison)}"
        f"{''.join(map(_lines, comparison.lines))}"
        f"<h2>Figures</h2>{_engines(comparison)}{_cores(comparison)}{_texts(comparison)}"
        f"{_measurements(comparison)}{_method(comparison)}</body></html>\n"
    )
