"""Validating each line, as a table and in sentences, for the terminal and for pages."""

import statistics

from .lines import LENGTHS, LOG_QUANTILES, SHARES, TEXTS, LineCase, Lines
from .verdict import number, span

WORK = "Validating each line"


def shares(of: str = "ill-formed") -> list[str]:
    """What the figures with more than one share of ill-formed lines are of, in their order."""
    return ["clean" if one_in is None else f"1/{one_in} {of}".rstrip() for one_in in SHARES]


def headings(lines: Lines) -> list[str]:
    """Headings of `rows`: all but the first and the last are 10^9 bytes of lines a second."""
    core = [] if lines.core is None else [f"core{' ‡' if lines.core.stand_in else ''}", "times as fast"]
    return ["lines", *shares(""), "line by line", *core]


def legend(lines: Lines) -> str:
    """What the columns of `rows` are."""
    core = "" if lines.core is None else f"; the {lines.core.name}, modelled, and how many times as fast it is in each"
    return (
        "GB/s of lines of so many bytes, LF included: the fastest software with no line ill-formed, and with one in "
        f"1000, 100 and 10; the fastest that looks at every line of clean text by itself{core}. Lines of \"log\" have "
        f"the lengths of Debian's dpkg.log, {LOG_QUANTILES[0]} to {LOG_QUANTILES[-1]} bytes, "
        f"{LOG_QUANTILES[len(LOG_QUANTILES) // 2]} in the median. All are medians of one run; the quartiles "
        f"of a figure's samples lie {_spread(lines)} apart, in the median of figures and at most."
    )


def _spread(lines: Lines) -> str:
    spreads = [(figure.high - figure.low) / figure.median for figure in lines.software]
    return f"{statistics.median(spreads):.0%} and {max(spreads):.0%}".replace("%", " %") if spreads else "–"


def rows(lines: Lines) -> list[list[str]]:
    """A row for each text and kind of lines."""
    found = []
    for text in TEXTS:
        for lengths in LENGTHS:
            cases = [LineCase(text, lengths, one_in) for one_in in SHARES]
            best = [lines.fastest(case) for case in cases]
            alone = lines.fastest(cases[0], each=True)
            row = [f"{text}, {lengths}",
                   *("–" if figure is None else number(figure.median) for figure in (*best, alone))]
            if lines.core is not None:
                rate = lines.core.gigabytes_per_second
                times = ["–" if figure is None else number(rate / figure.median) for figure in best]
                row += [number(rate), " / ".join(times)]
            found.append(row)
    return found


def _rates(lines: Lines, one_in: int | None, *, each: bool = False) -> list[tuple[float, str]]:
    """The fastest software on each text and kind of lines: its rate and its name."""
    cases = [LineCase(text, lengths, one_in) for text in TEXTS for lengths in LENGTHS]
    best = [lines.fastest(case, each=each) for case in cases]
    return [(figure.median, figure.peer) for figure in best if figure is not None]


def sentences(lines: Lines) -> list[str]:
    """What the figures say; what to stress stands between pairs of asterisks."""
    clean, alone = _rates(lines, None), _rates(lines, None, each=True)
    if not clean:
        return [f"{WORK}: no software here to compare with."]
    slowest, fastest = min(alone), max(alone)
    found = [
        f"{WORK}: where none is ill-formed, software looks at the whole at once and moves "
        f"**{span([rate for rate, _ in clean])} GB/s** on one thread, from 8 to 128 bytes a line; line by line it is "
        f"{number(slowest[0])} ({slowest[1]}) to {number(fastest[0])} ({fastest[1]}).",
    ]
    some = {one_in: rates for one_in in SHARES if one_in is not None and (rates := _rates(lines, one_in))}
    told = [f"{span([rate for rate, _ in rates])} with one line in {one_in} ill-formed"
            for one_in, rates in some.items()]
    found.append(f"It moves {', '.join(told)}.")
    core = lines.core
    if core is None:
        return [*found, "The datasheet has no validator of this width to compare with."]
    rate = core.gigabytes_per_second
    found.append(
        f"The {core.name} (modelled) moves **{number(rate)} GB/s** whatever the lines are: "
        f"{span([rate / speed for speed, _ in clean])} times as much where none is ill-formed"
        + "".join(f", **{span([rate / speed for speed, _ in rates])} times** with one in {one_in}"
                  for one_in, rates in some.items()) + "."
    )
    found.append(
        "Software is called from Python and Node.js, which costs most where lines are short and errors many. A "
        "compiled program that asks line by line is nearest to the figures line by line, whatever the errors: the core "
        f"is {span([rate / speed for speed, _ in alone])} times as fast."
    )
    if core.stand_in:
        found.append(
            f"‡ No clock is measured of it on {core.entry.target}: that of the {core.entry.name} is taken."
        )
    return found


def not_measured(lines: Lines) -> list[str]:
    """Which ways were not there, and what brings them: a sentence for each remedy."""
    by_remedy: dict[str, list[str]] = {}
    for name, remedy in lines.missing:
        by_remedy.setdefault(remedy, []).append(name)
    return [f"Not measured on lines: {'; '.join(names)} ({remedy})." for remedy, names in by_remedy.items()]


def method(lines: Lines) -> list[str]:
    """How the figures come about, in sentences."""
    ways: dict[str, list[str]] = {}
    for peer in lines.peers:
        ways.setdefault(peer.way, []).append(peer.name)
    return [
        "A text of lines is cut before it is measured: software is given where they begin, the core finds each LF "
        "itself. A verdict is one byte a line, or the number of each ill-formed line. Every verdict was checked.",
        *(f"{'; '.join(names)}: {way}." for way, names in ways.items()),
        "An ill-formed line has one byte that UTF-8 never has; such lines are spread evenly.",
        "A call from Python or Node.js is part of every line's time where there is one for each, and so is an "
        "exception where that tells of an error. A compiled program has neither: what it gets line by line, whatever "
        "the errors, is nearest to what pyarrow does, in C++, where none is ill-formed.",
    ]
