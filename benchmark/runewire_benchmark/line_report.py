"""Report on a job on lines, as a table and in sentences, for the terminal and for pages."""

from collections.abc import Mapping, Sequence

from .findings import number, size, span
from .lines import LENGTHS, LOG_QUANTILES, TEXTS, LineCase, LineFigure, Lines
from .quantities import spread


def core_name(lines: Lines) -> str:
    """The name of the job's core, with its width."""
    assert lines.core is not None
    return f"{lines.core.entry.lanes}-lane {lines.job.core}"


def headings(lines: Lines) -> list[str]:
    """Headings of `rows`. All columns except the first and the last are in 10^9 bytes of lines a second."""
    core = [] if lines.core is None else [f"core{' ‡' if lines.core.stand_in else ''}", "times as fast"]
    shares = ["clean" if one_in is None else f"1/{one_in}" for one_in in lines.job.shares]
    return ["lines; GB/s of UTF-8", *shares, "line by line", *core]


def legend(lines: Lines) -> str:
    """The meaning of `rows`' columns."""
    core = "" if lines.core is None else (f" The next two columns have the {core_name(lines)}, modelled, and how many "
                                          "times as fast it is in each case.")
    *some, last = (str(one_in) for one_in in lines.job.shares if one_in is not None)
    apart = spread(lines.software)
    quartiles = "" if apart is None else (
        f" Figures are medians of one run; the quartiles of their samples differ by {apart[0]:.1%} in the median of "
        f"figures, {apart[1]:.0%} at most.").replace("%", " %")
    shares = f"one in {', '.join(some)} and {last}"
    return (
        f"GB/s of UTF-8, {size(lines.bytes)} of lines of so many bytes, LF included. The first columns have the "
        f"fastest software: with no line ill-formed, then with {shares}. \"line by line\" has the fastest that "
        f"looks at every line of clean text alone.{core} Lines of \"log\" have the lengths of Debian's dpkg.log, "
        f"{LOG_QUANTILES[0]} to {LOG_QUANTILES[-1]} bytes, {LOG_QUANTILES[len(LOG_QUANTILES) // 2]} in the median."
        f"{quartiles}"
    )


def rows(lines: Lines) -> list[list[str]]:
    """One row per text and kind of lines."""
    found = []
    for text in TEXTS:
        for lengths in LENGTHS:
            cases = [LineCase(text, lengths, one_in) for one_in in lines.job.shares]
            best = [lines.fastest(case) for case in cases]
            alone = lines.fastest(cases[0], each=True)
            row = [f"{text}, {lengths}",
                   *("–" if figure is None else number(figure.median) for figure in (*best, alone))]
            if lines.core is not None:
                rates = [lines.core.rates[case] for case in cases]
                times = ["–" if figure is None else number(rate / figure.median)
                         for rate, figure in zip(rates, best, strict=True)]
                row += [" / ".join(dict.fromkeys(map(number, rates)) if _alike(rates) else map(number, rates)),
                        " / ".join(times)]
            found.append(row)
    return found


def _best(lines: Lines, one_in: int | None, *, each: bool = False) -> list[LineFigure]:
    """The fastest software on each text and kind of lines."""
    cases = [LineCase(text, lengths, one_in) for text in TEXTS for lengths in LENGTHS]
    return [figure for case in cases if (figure := lines.fastest(case, each=each)) is not None]


def ends(figures: Sequence[LineFigure]) -> str:
    """The least and the greatest rate, each with its program."""
    low, high = (reduce(figures, key=lambda figure: figure.median) for reduce in (min, max))
    if low.peer == high.peer:
        return f"{span([low.median, high.median])} ({low.peer})"
    return f"{number(low.median)} ({low.peer}) to {number(high.median)} ({high.peer})"


def _ratios(rates: Mapping[LineCase, float], figures: Sequence[LineFigure]) -> str:
    return span([rates[figure.case] / figure.median for figure in figures])


def _alike(rates: Sequence[float]) -> bool:
    """Whether the rates are the same, as they are read."""
    return len({*map(number, rates)}) == 1


def sentences(lines: Lines) -> list[str]:
    """Conclusions from the figures; emphasis is between pairs of asterisks."""
    clean, alone = _best(lines, None), _best(lines, None, each=True)
    if not clean:
        return [f"{lines.job.title}: no software here to compare with."]
    found = [
        f"{lines.job.title}: where none is ill-formed, the fastest software moves **{ends(clean)}** GB/s of UTF-8 on "
        f"one thread. Lines have 8 to 128 bytes. The fastest that looks at every line alone moves {ends(alone)}.",
    ]
    some = {one_in: figures for one_in in lines.job.shares if one_in is not None and (figures := _best(lines, one_in))}
    if some:
        said = [f"{ends(figures)} with one line in {one_in} ill-formed" for one_in, figures in some.items()]
        found.append(f"The fastest moves {'. It moves '.join(said)}.")
    core = lines.core
    if core is None:
        return [*found, f"The datasheet has no {lines.job.core} of this width to compare with."]
    rates = [*core.rates.values()]
    moves = f"**{number(rates[0])} GB/s** whatever the lines are" if _alike(rates) else f"**{span(rates)} GB/s**"
    found.append(f"The {core_name(lines)} (modelled) moves {moves}. Against the fastest software it moves "
                 f"{_ratios(core.rates, clean)} times as much where none is ill-formed.")
    if some:
        said = [f"**{_ratios(core.rates, figures)} times** with one in {one_in}" for one_in, figures in some.items()]
        found.append(f"It is {', '.join(said)}.")
    found.append(f"Against the fastest that looks at every line alone it moves {_ratios(core.rates, alone)} times as "
                 "much.")
    if not any("simdutf" in peer.name for peer in lines.peers):
        found.append("libsimdutf in a compiled loop, not measured here, is faster, most where lines are short and "
                     "errors many.")
    if core.stand_in:
        found.append(
            f"‡ No clock is measured of it on {core.entry.target}: that of the {core.entry.name} is taken."
        )
    return found


def not_measured(lines: Lines) -> list[str]:
    """Ways that were not available, and the remedy: one sentence per remedy. Software that does another job."""
    by_remedy: dict[str, list[str]] = {}
    for name, remedy in lines.missing:
        by_remedy.setdefault(remedy, []).append(name)
    said = lines.job.title
    return [*(f"{said}, not measured: {'; '.join(names)} ({remedy})." for remedy, names in by_remedy.items()),
            *(f"{said}, not timed: {name}, which {does}." for name, does in lines.otherwise)]


def method(lines: Lines) -> list[str]:
    """The method of measurement, in sentences."""
    ways: dict[str, list[str]] = {}
    for peer in lines.peers:
        ways.setdefault(peer.way, []).append(peer.name)
    return [
        *lines.job.method,
        *(f"{'; '.join(names)}: {way}." for way, names in ways.items()),
        "An ill-formed line has one byte that UTF-8 never has; such lines are spread evenly.",
    ]
