"""The comparison in a terminal: one table, and what it says in sentences."""

import statistics
from collections.abc import Callable, Sequence

from rich.box import SIMPLE
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from . import line_report
from .inputs import PACKET_BYTES, Case
from .lines import Lines
from .run import Comparison
from .verdict import SOCKET_CORES, matches, not_measured, number, sentences, socket, tally, without_clock
from .works import JOBS, WORKS, Job, short


def headings(comparison: Comparison) -> list[str]:
    """Headings of the columns of `rows`, which are in 10^9 bytes a second but for the last."""
    clean = "clean" if all(text.well_formed for text in comparison.texts) else "as it is"
    extremes = ["min", "max"] if len(comparison.texts) > 1 else []
    return [clean, *extremes, "1/KiB", "1/64 B", f"{PACKET_BYTES} B", "IQR"]


def legend(comparison: Comparison) -> str:
    """What the columns of `rows` are, in a few lines of prose."""
    several = "medians over the texts, with slowest and fastest; " if len(comparison.texts) > 1 else ""
    return (
        f"GB/s of UTF-8, or of what is read where neither side is that: {several}with an error a KiB and every 64 "
        f"bytes; in {PACKET_BYTES}-byte packets. "
        "IQR is the spread of the samples. Cores, with their clock, are modelled; with ‡ the clock is that of another "
        f"core, which stands in. So is a socket: the fastest software on {SOCKET_CORES} cores; with † by its published "
        "rate."
    )


def _columns(comparison: Comparison, rates: dict[Case, float]) -> list[str]:

    def over(spacing: int | None, packet_bytes: int | None) -> list[float]:
        wanted = [Case(text.name, spacing, packet_bytes) for text in comparison.texts]
        return [rates[case] for case in wanted if case in rates]

    def shown(reduce: Callable[[Sequence[float]], float], values: Sequence[float]) -> str:
        return number(reduce(values)) if values else "–"

    clean = over(None, None)
    extremes = [shown(min, clean), shown(max, clean)] if len(comparison.texts) > 1 else []
    others = [over(1024, None), over(64, None), over(None, PACKET_BYTES)]
    middle = statistics.median
    return [shown(middle, clean), *extremes, *(shown(middle, values) for values in others)]


def rows(comparison: Comparison, job: Job) -> list[tuple[str, list[str], bool]]:
    """For each engine that does `job`: its name, its cells, and whether it is modelled.

    The cells are medians over the texts (clean, with damage, clean in packets), after the first of them the
    slowest and the fastest text, and last, of what was measured, the interquartile range of the samples in
    percent of their median.
    """
    found: list[tuple[str, list[str], bool]] = []
    for peer in comparison.peers:
        if peer.job != job:
            continue
        figures = [figure for figure in comparison.software if figure.peer == peer.name]
        spread = statistics.median([(f.high - f.low) / f.median for f in figures]) if figures else 0.0
        rates = {figure.case: figure.median for figure in figures}
        found.append((short(peer.name, job), [*_columns(comparison, rates), f"{100 * spread:.0f} %"], False))
    for match in matches(comparison):
        if match.job == job:
            rates = {figure.case: socket(figure.median) for figure in comparison.software
                     if figure.peer == match.software}
            if match.published:
                rates = {Case(text.name, None, None): socket(match.rate) for text in comparison.texts}
            name = f"socket: {short(match.software, job)}{' †' if match.published else ''}"
            found.append((name, [*_columns(comparison, rates), ""], True))
    for entry in comparison.entries:
        modelled = [figure for figure in comparison.hardware if figure.entry == entry and figure.job == job]
        if modelled:
            rates = {figure.case: figure.gigabytes_per_second for figure in modelled}
            name = f"{entry.lanes}-lane {entry.packing or ''}".rstrip()
            name += " ‡" if entry.stand_in else ""
            found.append((f"{name}, {entry.clock_mhz:.0f} MHz", [*_columns(comparison, rates), ""], True))
    return found


def render(comparison: Comparison) -> RenderableType:
    """The whole comparison: table, sentences, and the machine."""
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0), collapse_padding=True, show_edge=False)
    table.add_column("", no_wrap=True)
    for heading in headings(comparison):
        table.add_column(heading, justify="right")
    for job in JOBS:
        found = rows(comparison, job)
        if not found:
            continue
        table.add_row(Text(WORKS[job].title, style="bold"), *[""] * len(headings(comparison)))
        for name, cells, modelled in found:
            table.add_row(Text(f"  {name}"), *cells, style="cyan" if modelled else "")
        table.add_section()
    parts: list[RenderableType] = [Text(legend(comparison), style="dim"), "", table, "",
                                   *map(_stressed, tally(comparison))]
    for job in JOBS:
        if any(peer.job == job for peer in comparison.peers):
            parts.append(_stressed(" ".join(sentences(comparison, job))))
    if comparison.lines is not None:
        parts += _lines(comparison.lines)
    parts += [Text(sentence) for sentence in without_clock(comparison)]
    parts += [Text(sentence) for sentence in not_measured(comparison)]
    parts.append(Text(provenance(comparison), style="dim"))
    return Group(*parts)


def _lines(lines: Lines) -> list[RenderableType]:
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0), collapse_padding=True, show_edge=False)
    table.add_column(no_wrap=True)
    for heading in line_report.headings(lines)[1:]:
        table.add_column(heading, justify="right")
    table.add_row(Text(line_report.WORK, style="bold"), *[""] * (len(line_report.headings(lines)) - 1))
    for name, *cells in line_report.rows(lines):
        table.add_row(f"  {name}", *cells)
    said = " ".join(line_report.sentences(lines))
    return ["", Text(line_report.legend(lines), style="dim"), "", table, "", _stressed(said),
            *map(Text, line_report.not_measured(lines))]


def _stressed(sentences: str) -> Text:
    text = Text()
    for index, piece in enumerate(sentences.split("**")):
        text.append(piece, style="bold" if index % 2 else "")
    return text


def provenance(comparison: Comparison) -> str:
    """The machine and the versions that the figures come from, in one line."""
    here = comparison.machine
    software = ", ".join(dict.fromkeys(peer.version for peer in comparison.peers))
    # A packaged tool's version begins with the package's name.
    tools = dict.fromkeys(
        version if " " in version else f"{tool} {version}"
        for entry in comparison.entries for tool, version in entry.tool_versions.items()
        if tool.startswith(("yosys", "nextpnr"))
    )
    placed = f"; cores placed and routed with {', '.join(tools)}" if tools else ""
    return f"{here.cpu}, {here.cpus} CPUs, {here.system}, {here.python}; {software}{placed}"
