"""The comparison in a terminal: one table, and conclusions in sentences."""

from rich.box import SIMPLE
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from . import line_report
from .findings import not_measured, number, sentences, size, tally, without_clock
from .inputs import PACKET_BYTES, Case
from .lines import Lines
from .quantities import SOCKET_CORES, core_rates, match, over_texts, rates_of, socket, spread
from .run import Comparison
from .tasks import JOBS, RATE, TASKS, Job, short


def headings(comparison: Comparison) -> list[str]:
    """Headings of `rows`' columns. All except the last are in 10^9 bytes a second."""
    clean = "clean" if all(text.well_formed for text in comparison.texts) else "as it is"
    extremes = ["min", "max"] if len(comparison.texts) > 1 else []
    return [clean, *extremes, "1/KiB", "1/64 B", f"{PACKET_BYTES} B", "IQR"]


def legend(comparison: Comparison) -> str:
    """The meaning of `rows`' columns, in a few lines of prose."""
    several = "medians over the texts, with slowest and fastest; " if len(comparison.texts) > 1 else ""
    return (
        f"{RATE}: {several}with an error a KiB and every 64 "
        f"bytes; in {PACKET_BYTES}-byte packets. "
        "IQR is the spread of the samples. Cores, with their clock, are modelled; with ‡ the clock is that of another "
        f"core, which stands in. So is a socket: the fastest software on {SOCKET_CORES} cores; with † by its published "
        "rate."
    )


def _columns(comparison: Comparison, rates: dict[Case, float]) -> list[str]:

    def shown(spacing: int | None, packet_bytes: int | None) -> str:
        median = over_texts(comparison, rates, spacing, packet_bytes)
        return "–" if median is None else number(median)

    clean = [rates[case] for text in comparison.texts if (case := Case(text.name, None, None)) in rates]
    extremes = [number(reduce(clean)) if clean else "–" for reduce in (min, max)] if len(comparison.texts) > 1 else []
    return [shown(None, None), *extremes, shown(1024, None), shown(64, None), shown(None, PACKET_BYTES)]


def rows(comparison: Comparison, job: Job) -> list[tuple[str, list[str], bool]]:
    """For each engine that does `job`: its name, its cells, and whether it is modelled.

    The cells are medians over the texts: clean, with damage, clean in packets. The slowest and the fastest text follow
    the first cell. The last cell of a measured engine is the samples' interquartile range in percent of their median.
    """
    found: list[tuple[str, list[str], bool]] = []
    for peer in comparison.peers:
        if peer.job != job:
            continue
        apart = spread(figure for figure in comparison.software if figure.peer == peer.name)
        columns = _columns(comparison, rates_of(comparison.software, peer.name))
        found.append((short(peer.name, job), [*columns, f"{100 * (apart or (0.0,))[0]:.0f} %"], False))
    one = match(comparison, job)
    if one is not None:
        rates = {case: socket(rate) for case, rate in rates_of(comparison.software, one.program.peer).items()}
        if one.published:
            rates = {Case(text.name, None, None): socket(one.rate) for text in comparison.texts}
        name = f"socket: {one.software}{' †' if one.published else ''}"
        found.append((name, [*_columns(comparison, rates), ""], True))
    for entry in comparison.entries:
        rates = core_rates(comparison, job, entry)
        if rates:
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
        table.add_row(Text(TASKS[job].title, style="bold"), *[""] * len(headings(comparison)))
        for name, cells, modelled in found:
            table.add_row(Text(f"  {name}"), *cells, style="cyan" if modelled else "")
        table.add_section()
    parts: list[RenderableType] = [Text(legend(comparison), style="dim"), "", table, "",
                                   *map(_stressed, tally(comparison))]
    for job in JOBS:
        if any(peer.job == job for peer in comparison.peers):
            parts.append(_stressed(" ".join(sentences(comparison, job))))
    for lines in comparison.lines:
        parts += _lines(lines)
    parts += [Text(sentence) for sentence in without_clock(comparison)]
    parts += [Text(sentence) for sentence in not_measured(comparison)]
    parts.append(Text(provenance(comparison), style="dim"))
    return Group(*parts)


def _lines(lines: Lines) -> list[RenderableType]:
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0), collapse_padding=True, show_edge=False)
    table.add_column(no_wrap=True)
    for heading in line_report.headings(lines)[1:]:
        table.add_column(heading, justify="right")
    table.add_row(Text(lines.job.title, style="bold"), *[""] * (len(line_report.headings(lines)) - 1))
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
    """One line: the machine, its load, and the versions that the figures come from."""
    here = comparison.machine
    software = ", ".join(dict.fromkeys(peer.version for peer in comparison.peers))
    # A packaged tool's version begins with the package's name.
    tools = dict.fromkeys(
        version if " " in version else f"{tool} {version}"
        for entry in comparison.entries for tool, version in entry.tool_versions.items()
        if tool.startswith(("yosys", "nextpnr"))
    )
    placed = f"; cores placed and routed with {', '.join(tools)}" if tools else ""
    caches = f", caches {here.caches}" if here.caches else ""
    load = f", load {' to '.join(f'{value:.1f}' for value in comparison.load)}" if comparison.load else ""
    long = [] if comparison.large is None else [comparison.large.bytes]
    sizes = ", ".join(dict.fromkeys(size(count) for count in [*(text.bytes for text in comparison.texts), *long]))
    apart = spread([*comparison.software, *(comparison.large.software if comparison.large else ())])
    said = f"; texts of {sizes}"
    if apart is not None:
        said += f"; quartiles of the samples differ by {apart[0]:.1%} in the median of figures, {apart[1]:.0%} at most"
    return (f"{here.cpu}, {here.cpus} CPUs{caches}{load}, {here.system}, {here.python}{said.replace('%', ' %')}; "
            f"{software}{placed}")
