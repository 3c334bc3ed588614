"""When hardware wins, by how much and when it does not, in sentences that are computed from the figures."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from runewire_model.transcoder import CORES, PACKINGS, widths

from ..datasheet import Entry
from .inputs import Case
from .run import Comparison, HardwareFigure, SoftwareFigure
from .works import JOBS, WORKS, Job, Published, short

SOCKET_CORES = 96
"""Cores of a whole socket, as an AMD EPYC 9654 has."""
SOCKET_MEMORY = 460.8
"""10^9 bytes a second that its memory delivers: 12 channels of DDR5-4800."""


def number(value: float) -> str:
    """A rate or ratio in three digits at most, for reading."""
    if value >= 100:
        return f"{value:.0f}"
    if value >= 10:
        return f"{value:.1f}".removesuffix(".0")
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def span(values: Sequence[float]) -> str:
    """The least and the greatest of some rates or ratios, once where they read the same."""
    return " to ".join(dict.fromkeys([number(min(values)), number(max(values))]))


def lanes(count: int) -> str:
    """A width in words."""
    return f"{count} lane{'s' if count > 1 else ''}"


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@dataclass(frozen=True)
class Duel:
    """One text and kind of damage, whole: the fastest software, and the cores, narrowest first."""

    case: Case
    software: SoftwareFigure
    hardware: tuple[HardwareFigure, ...]

    @property
    def break_even(self) -> HardwareFigure | None:
        """The narrowest core that is faster than the software; None when none is."""
        return next((f for f in self.hardware if f.gigabytes_per_second > self.software.median), None)

    @property
    def fastest(self) -> HardwareFigure:
        return max(self.hardware, key=lambda figure: figure.gigabytes_per_second)

    @property
    def ratio(self) -> float:
        """How many times as fast as the software the fastest core is."""
        return self.fastest.gigabytes_per_second / self.software.median


def software_figures(comparison: Comparison, job: Job, case: Case) -> list[SoftwareFigure]:
    """What was measured of `job` on `case`, fastest first."""
    found = [figure for figure in comparison.software if figure.job == job and figure.case == case]
    return sorted(found, key=lambda figure: -figure.median)


def hardware_figures(comparison: Comparison, job: Job, case: Case) -> list[HardwareFigure]:
    """What was modelled of `job` on `case`, narrowest first, dense before sparse."""
    found = [figure for figure in comparison.hardware if figure.job == job and figure.case == case]
    return sorted(found, key=lambda figure: (figure.entry.lanes, figure.entry.packing or ""))


def duels(comparison: Comparison, job: Job, spacing: int | None) -> list[Duel]:
    """The texts in order, as far as software was measured and cores modelled for `job` on them."""
    found = []
    for text in comparison.texts:
        case = Case(text.name, spacing, None)
        software = software_figures(comparison, job, case)
        hardware = hardware_figures(comparison, job, case)
        if software and hardware:
            found.append(Duel(case, software[0], tuple(hardware)))
    return found


def narrowest(found: Sequence[Duel], rate: float | None = None) -> Entry | None:
    """The narrowest core that beats `rate`, or without it the median of the software's rates, over these texts."""
    middle = statistics.median([duel.software.median for duel in found]) if rate is None else rate
    for figure in found[0].hardware:
        rates = [f.gigabytes_per_second for duel in found for f in duel.hardware if f.entry == figure.entry]
        if statistics.median(rates) > middle:
            return figure.entry
    return None


def socket(rate: float) -> float:
    """Modelled: what all cores of a socket move where one thread moves `rate`, never more than its memory delivers."""
    return min(SOCKET_CORES * rate, max(SOCKET_MEMORY, rate))


def headline(comparison: Comparison) -> str:
    """The answer for decoding in one line, which says so where the fastest software was not there to be measured."""
    measured = any(peer.job == "decode" and "simdutf" in peer.name for peer in comparison.peers)
    return _headline(comparison) + ("" if measured else " (simdutf not measured)")


def tally(comparison: Comparison) -> list[str]:
    """At which jobs hardware wins against the fastest software for each on one thread, and at which it loses."""
    found = matches(comparison)
    parts = []
    for won, verb in ((True, "wins"), (False, "loses")):
        titles = [WORKS[match.job].title for match in found if match.won is won]
        if titles:
            parts.append(f"**{verb}** at {len(titles)} of {len(found)} jobs ({'; '.join(titles)})")
    if not parts:
        return []
    said = [f"Against the fastest software for each job, on one thread and the median text, hardware "
            f"{' and '.join(parts)}."]
    full = [match for match in found if socket(match.rate) > match.hardware]
    if full:
        said.append(
            f"A whole socket of {SOCKET_CORES} cores, modelled as that many threads and at most the "
            f"{SOCKET_MEMORY:.0f} GB/s of its memory, moves more than the one core at {len(full)} of them.")
    return said


def _headline(comparison: Comparison) -> str:
    clean = duels(comparison, "decode", None)
    if not clean:
        return "UTF-8 in software on this machine"
    won = [duel for duel in clean if duel.break_even]
    if not won:
        return f"Decoding UTF-8: software on this machine beats every core on {comparison.target}"
    if len(clean) == 1:
        entry = won[0].break_even
        assert entry is not None
        return f"Decoding UTF-8: hardware wins on {clean[0].case.text} from {lanes(entry.entry.lanes)} up"
    widths = [duel.break_even.entry.lanes for duel in won if duel.break_even]
    span = str(min(widths)) if min(widths) == max(widths) else f"{min(widths)} to {max(widths)}"
    return (
        f"Decoding UTF-8: hardware wins on {len(won)} of {len(clean)} texts, from {span} "
        f"lane{'' if span == '1' else 's'} up"
    )


@dataclass(frozen=True)
class Match:
    """A job on clean text, whole, in the medians over the texts: the fastest software, and cores narrowest first.

    `software` is the peer that is fastest most often, `rate` what the fastest moves; with `published` that is simdutf's
    as it is published, and faster than what was measured. `narrowest` passes it, None where none does; `widest` is the
    fastest core.
    """

    job: Job
    software: str
    rate: float
    narrowest: Entry | None
    widest: Entry
    hardware: float
    published: bool = False

    @property
    def won(self) -> bool:
        """Whether the fastest core passes the software."""
        return self.narrowest is not None


def matches(comparison: Comparison) -> list[Match]:
    """Each job that software was measured and cores modelled for."""
    found = []
    for job in JOBS:
        clean = duels(comparison, job, None)
        if clean:
            names = [duel.software.peer for duel in clean]
            top = max(clean, key=lambda duel: duel.fastest.gigabytes_per_second).fastest.entry
            rates = [f.gigabytes_per_second for duel in clean for f in duel.hardware if f.entry == top]
            match = Match(job, max(sorted(set(names)), key=names.count),
                          statistics.median([duel.software.median for duel in clean]), narrowest(clean), top,
                          statistics.median(rates))
            known = published(comparison, job)
            if known is not None and known.rate > match.rate:
                match = replace(match, software="simdutf", rate=known.rate, published=True,
                                narrowest=narrowest(clean, known.rate))
            found.append(match)
    return found


def published(comparison: Comparison, job: Job) -> Published | None:
    """What simdutf is published to move at `job`, where it was not measured."""
    there = any(peer.job == job and "simdutf" in peer.name for peer in comparison.peers)
    return None if there else WORKS[job].published


def _software(comparison: Comparison, job: Job) -> list[str]:
    best = [
        figures[0] for text in comparison.texts
        if (figures := software_figures(comparison, job, Case(text.name, None, None)))
    ]
    if not best:
        return [f"{WORKS[job].title}: no software here to compare with."]
    names = [figure.peer for figure in best]
    usual = max(sorted(set(names)), key=names.count)
    middle = statistics.median([figure.median for figure in best])
    sentence = (
        f"{WORKS[job].title}: the fastest software here, {short(usual, job)}, moves **{number(middle)} GB/s** on one "
        "thread"
    )
    if len(best) > 1:
        low, high = min(best, key=lambda f: f.median), max(best, key=lambda f: f.median)
        sentence += (
            f" on the median text ({number(low.median)} on {low.case.text} to {number(high.median)} "
            f"on {high.case.text})"
        )
    noted = [f"Note: {short(peer.name, job)} {peer.note}."
             for peer in comparison.peers if peer.note and peer.name in names]
    return [f"{sentence}.", *noted]


def _hardware(comparison: Comparison, clean: Sequence[Duel]) -> list[str]:
    top = max(clean, key=lambda duel: duel.fastest.gigabytes_per_second).fastest.entry
    ratio = statistics.median([duel.ratio for duel in clean])
    entry = narrowest(clean)
    where = "" if len(clean) == 1 else " on the median text"
    found = []
    if entry is None:
        found.append(
            f"No core in the datasheet for {comparison.target} keeps up{where}: the fastest, the {top.name}, "
            f"moves **{number(ratio)} times** as much."
        )
    elif entry.name == top.name:
        found.append(
            f"On {comparison.target} (modelled) it takes **{lanes(entry.lanes)}**, the widest in the datasheet: the "
            f"{top.name} moves **{number(ratio)} times** as much{where}."
        )
    else:
        found.append(
            f"On {comparison.target} (modelled) **{lanes(entry.lanes)}** pass it, and the {top.name} moves "
            f"**{number(ratio)} times** as much{where}."
        )
    middle = statistics.median([duel.software.median for duel in clean])
    found.append(f"All {SOCKET_CORES} cores of a socket (modelled) move {number(socket(middle))} GB/s.")
    if top.stand_in:
        found.append(f"‡ Its clock is that of the {top.stand_in}, which stands in: it is not placed and routed yet.")
    lost = [duel for duel in clean if duel.break_even is None]
    if entry is not None and lost:
        worst = min(lost, key=lambda duel: duel.ratio)
        found.append(
            f"Hardware does not win on {_list([duel.case.text for duel in lost])}: software reaches "
            f"{number(worst.software.median)} GB/s there, the fastest core "
            f"{number(worst.fastest.gigabytes_per_second)}."
        )
    return found


def _damage(comparison: Comparison, job: Job, clean: Sequence[Duel]) -> list[str]:
    damaged = duels(comparison, job, 64)
    if not damaged:
        return []
    before = statistics.median([duel.software.median for duel in clean])
    after = statistics.median([duel.software.median for duel in damaged])
    if after > 0.9 * before:
        return ["Damaged text is no slower for either."]
    names = [duel.software.peer for duel in damaged]
    usual = max(sorted(set(names)), key=names.count)
    ratio = statistics.median([duel.ratio for duel in damaged])
    return [
        f"With an error every 64 bytes the fastest software that reads on, {short(usual, job)}, moves {number(after)} "
        f"GB/s, and hardware does not slow down: **{number(ratio)} times** as much."
    ]


def sentences(comparison: Comparison, job: Job) -> list[str]:
    """What the figures say about `job`; what to stress stands between pairs of asterisks."""
    found = _software(comparison, job)
    clean = duels(comparison, job, None)
    if clean:
        found += _hardware(comparison, clean)
        found += _damage(comparison, job, clean)
    known = published(comparison, job)
    if known is not None:
        said = f"simdutf, which cannot be called from here, is published to move **{number(known.rate)} GB/s** " \
               f"({known.where})"
        lost = any(match.job == job and not match.won for match in matches(comparison))
        found.append(f"{said}{': no core keeps up with that' if lost else ''}.")
    return found


def not_measured(comparison: Comparison) -> list[str]:
    """Which software was not there, and what brings it: a sentence for each remedy."""
    by_remedy: dict[str, list[str]] = {}
    for missing in comparison.missing:
        by_remedy.setdefault(missing.remedy, []).append(missing.name)
    return [f"Not measured: {_list(names)} ({remedy})." for remedy, names in by_remedy.items()]


def _missing_widths(comparison: Comparison) -> dict[str, list[int]]:
    """For each kind of core the widths that it comes in and that no figures were modelled for."""
    there = {(entry.core, entry.packing, entry.lanes) for entry in comparison.entries if not entry.stand_in}
    found: dict[str, list[int]] = {}
    for core in (core for core, named in CORES.items() if any(
            (named.source, named.target) == (work.source, work.target) for work in WORKS.values())):
        for packing in PACKINGS if "packing" in CORES[core].options else (None,):
            missing = [lanes for lanes in widths(core) if (core, packing, lanes) not in there]
            if missing:
                found[f"{packing or ''} {core}".strip()] = missing
    return found


def without_clock(comparison: Comparison) -> list[str]:
    """Which cores stand in no table and no chart, as nobody has placed and routed them for the target."""
    if not comparison.hardware:
        return [f"The datasheet has no placed and routed core for {comparison.target}; `runewire sweep` adds it."]
    missing = _missing_widths(comparison)
    if not missing:
        return []
    named = "; ".join(f"{kind} {', '.join(map(str, found))}" for kind, found in missing.items())
    return [f"Not shown, as they have no measured clock on {comparison.target} (lanes): {named}. "
            "`runewire sweep` measures them."]
