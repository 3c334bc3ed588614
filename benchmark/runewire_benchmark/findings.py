"""Conclusions of a comparison, computed from its figures: when hardware wins, by how much, and when it does not."""

from collections import Counter
from collections.abc import Sequence

from runewire_model.transcoder import CORES, PACKINGS, widths

from .inputs import Case
from .quantities import (
    SOCKET_CORES,
    SOCKET_MEMORY,
    Match,
    Program,
    duels,
    match,
    matches,
    program,
    published,
    socket,
    software_figures,
)
from .run import Comparison
from .tasks import TASKS, Job, short


def number(value: float) -> str:
    """A rate or ratio for readers, with at most three digits."""
    if value >= 100:
        return f"{value:.0f}"
    if value >= 10:
        return f"{value:.1f}".removesuffix(".0")
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def size(count: int) -> str:
    """A number of bytes in words."""
    for factor, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count} bytes"


def span(values: Sequence[float]) -> str:
    """The least and the greatest of several rates or ratios; one number if both look the same."""
    return " to ".join(dict.fromkeys([number(min(values)), number(max(values))]))


def lanes(count: int) -> str:
    """A width in words."""
    return f"{count} lane{'s' if count > 1 else ''}"


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def headline(comparison: Comparison) -> str:
    """The answer for decoding in one line. It says so if libsimdutf was not measured."""
    measured = any(peer.job == "decode" and "simdutf" in peer.name for peer in comparison.peers)
    return _headline(comparison) + ("" if measured else " (libsimdutf not measured)")


def tally(comparison: Comparison) -> list[str]:
    """The number of jobs at which hardware wins against the fastest software on one thread, and where it loses."""
    found = matches(comparison)
    if not found:
        return []
    won, lost = ([one for one in found if one.won is wanted] for wanted in (True, False))
    parts = [f"**wins** at {len(won)} of {len(found)} jobs"] if won else []
    if lost:
        parts.append(f"**loses** at {len(lost)} ({'; '.join(TASKS[one.job].title for one in lost)})")
    several = " and the median text" if len(comparison.texts) > 1 else ""
    said = [f"Against the fastest software for each job, on one thread{several}, hardware {' and '.join(parts)}."]
    lost_on = Counter(duel.case.text for one in won for duel in duels(comparison, one.job, None)
                      if duel.break_even is None)
    if lost_on:
        on = _list([f"on {text} at {count}" for text, count in lost_on.items()])
        said.append(f"Of the {len(won)} jobs that it wins, it loses {on}.")
    full = [one for one in found if socket(one.rate) > one.hardware]
    if full:
        said.append(
            f"A complete socket of {SOCKET_CORES} cores is modelled as that many threads, and at most the "
            f"{SOCKET_MEMORY:.0f} GB/s of its memory. It moves more than the one core at {len(full)} of them.")
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


def _software(comparison: Comparison, job: Job, found: Program) -> str:
    title, unit = TASKS[job].title, TASKS[job].rate
    one = match(comparison, job)
    if one is not None and one.published:
        return (
            f"{title}: simdutf, not measured here, is published to move **{number(one.rate)} {unit}** "
            f"({one.published.where}); the fastest program here, {short(found.peer, job)}, moves "
            f"{number(found.median)}.")
    said = (f"{title}: the fastest program, {short(found.peer, job)}, moves **{number(found.median)} {unit}** on one "
            "thread")
    if len(found.rates) > 1:
        said += (
            f" on the median text ({number(found.rates[found.slowest])} on {found.slowest} to "
            f"{number(found.rates[found.fastest])} on {found.fastest})"
        )
    if one is not None and one.large is not None and comparison.large is not None:
        said += f", {number(one.large)} on texts of {size(comparison.large.bytes)}"
    return f"{said}."


def _hardware(comparison: Comparison, found: Match) -> list[str]:
    where = "" if len(comparison.texts) == 1 else " on the median text"
    top, entry = found.widest, found.narrowest
    moves = f"moves **{number(found.ratio)} times** as much"
    if entry is None:
        said = (f"No core in the datasheet for {comparison.target} keeps up{where}: the fastest, the {top.name}, "
                f"{moves}.")
    elif entry.name == top.name:
        said = (f"On {comparison.target} (modelled) it takes **{lanes(entry.lanes)}**, the widest in the datasheet: "
                f"the {top.name} {moves}{where}.")
    else:
        said = f"On {comparison.target} (modelled) **{lanes(entry.lanes)}** pass it, and the {top.name} {moves}{where}."
    return [said, f"All {SOCKET_CORES} cores of a socket (modelled) move {number(socket(found.rate))} GB/s."]


def exceptions(comparison: Comparison, job: Job) -> list[str]:
    """Exceptions from the medians of ``job``: texts where another program is faster or no core is, and notes."""
    usual, clean = program(comparison, job), duels(comparison, job, None)
    if usual is None:
        return []
    found = []
    best = {text.name: figures[0] for text in comparison.texts
            if (figures := software_figures(comparison, job, Case(text.name, None, None)))}
    others: dict[str, list[str]] = {}
    for text, figure in best.items():
        if figure.peer != usual.peer:
            others.setdefault(figure.peer, []).append(f"{text} ({number(figure.median)} GB/s)")
    found += [f"{short(peer, job)} is the fastest on {_list(texts)}." for peer, texts in others.items()]
    one = match(comparison, job)
    if one is not None and one.widest.stand_in:
        found.append(f"‡ Its clock is that of the {one.widest.stand_in}, which stands in: it is not placed and routed "
                     "yet.")
    lost = [duel for duel in clean if duel.break_even is None]
    if one is not None and one.won and lost:
        parts = [f"{duel.case.text}, {short(duel.software.peer, job)} {number(duel.software.median)} GB/s against "
                 f"{number(duel.fastest.gigabytes_per_second)} of the fastest core" for duel in lost]
        found.append(f"Hardware does not win on {'; '.join(parts)}.")
    names = {usual.peer, *others}
    damaged = program(comparison, job, 64)
    if damaged is not None:
        names.add(damaged.peer)
    found += [f"Note: {short(peer.name, job)} {peer.note}."
              for peer in comparison.peers if peer.note and peer.name in names]
    known = TASKS[job].published
    if known is not None and published(comparison, job) is None:
        found.append(f"simdutf is published to move {number(known.rate)} GB/s ({known.where}).")
    return found


def _damage(comparison: Comparison, job: Job, clean: Match) -> list[str]:
    damaged = match(comparison, job, 64)
    if damaged is None:
        return []
    if damaged.rate > 0.9 * clean.rate:
        return ["Damaged text is no slower for either."]
    return [
        f"With an error every 64 bytes the fastest program that reads on, {damaged.software}, moves "
        f"{number(damaged.rate)} GB/s, and hardware does not slow down: **{number(damaged.ratio)} times** as much."
    ]


def sentences(comparison: Comparison, job: Job) -> list[str]:
    """Conclusions about `job`; emphasis is between pairs of asterisks."""
    fastest = program(comparison, job)
    if fastest is None:
        return [f"{TASKS[job].title}: no software here to compare with."]
    found = [_software(comparison, job, fastest)]
    one = match(comparison, job)
    if one is not None:
        found += [*_hardware(comparison, one), *_damage(comparison, job, one)]
    return found + exceptions(comparison, job)


def fitting(comparison: Comparison) -> list[str]:
    """Whether a cache holds the long texts, if there are any."""
    if comparison.large is None or comparison.machine.largest_cache < comparison.large.bytes:
        return []
    cache = size(comparison.machine.largest_cache)
    return [f"The largest cache of this machine, {cache}, which its cores share, holds the texts of "
            f"{size(comparison.large.bytes)}, too: from memory they may be slower."]


def not_measured(comparison: Comparison) -> list[str]:
    """Software that was not available, and the remedy: one sentence per remedy."""
    by_remedy: dict[str, list[str]] = {}
    for missing in comparison.missing:
        by_remedy.setdefault(missing.remedy, []).append(missing.name)
    return [f"Not measured: {_list(names)} ({remedy})." for remedy, names in by_remedy.items()]


def _missing_widths(comparison: Comparison) -> dict[str, list[int]]:
    """For each kind of core, the widths without figures."""
    there = {(entry.core, entry.packing, entry.lanes) for entry in comparison.entries if not entry.stand_in}
    found: dict[str, list[int]] = {}
    for core in (core for core, named in CORES.items() if any(
            (named.source, named.target) == (task.source, task.target) for task in TASKS.values())):
        for packing in PACKINGS if "packing" in CORES[core].options else (None,):
            missing = [lanes for lanes in widths(core) if (core, packing, lanes) not in there]
            if missing:
                found[f"{packing or ''} {core}".strip()] = missing
    return found


def without_clock(comparison: Comparison) -> list[str]:
    """The cores without figures: they were not placed and routed for the target."""
    if not comparison.hardware:
        return [f"The datasheet has no placed and routed core for {comparison.target}; `runewire sweep` adds it."]
    missing = _missing_widths(comparison)
    if not missing:
        return []
    named = "; ".join(f"{kind} {', '.join(map(str, found))}" for kind, found in missing.items())
    return [f"Not shown, as they have no measured clock on {comparison.target} (lanes): {named}. "
            "`runewire sweep` measures them."]
