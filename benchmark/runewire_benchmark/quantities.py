"""Quantities of a comparison: medians over texts, fastest program, ratios, break-even."""

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from .datasheet import Entry
from .inputs import Case
from .run import Comparison, HardwareFigure, SoftwareFigure
from .tasks import JOBS, TASKS, Job, Published, short

SOCKET_CORES = 96
"""Cores of a socket, for example of an AMD EPYC 9654."""
SOCKET_MEMORY = 460.8
"""Memory bandwidth of that socket, in 10^9 bytes a second: 12 channels of DDR5-4800."""


class Spread(Protocol):
    """A measured figure: its median and quartiles."""

    @property
    def median(self) -> float: ...

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...


def spread(figures: Iterable[Spread]) -> tuple[float, float] | None:
    """Interquartile distance of figures, relative to each: the median over the figures, and the greatest."""
    found = [(figure.high - figure.low) / figure.median for figure in figures]
    return (statistics.median(found), max(found)) if found else None


@dataclass(frozen=True)
class Duel:
    """One text with one kind of damage, in one piece: the fastest software, and the cores, narrowest first."""

    case: Case
    software: SoftwareFigure
    hardware: tuple[HardwareFigure, ...]

    @property
    def break_even(self) -> HardwareFigure | None:
        """The narrowest core that is faster than the software; None if none is."""
        return next((f for f in self.hardware if f.gigabytes_per_second > self.software.median), None)

    @property
    def fastest(self) -> HardwareFigure:
        return max(self.hardware, key=lambda figure: figure.gigabytes_per_second)

    @property
    def ratio(self) -> float:
        """Rate of the fastest core divided by the software's."""
        return self.fastest.gigabytes_per_second / self.software.median


def software_figures(comparison: Comparison, job: Job, case: Case) -> list[SoftwareFigure]:
    """The measured figures of `job` on `case`, fastest first."""
    found = [figure for figure in comparison.software if figure.job == job and figure.case == case]
    return sorted(found, key=lambda figure: -figure.median)


def hardware_figures(comparison: Comparison, job: Job, case: Case) -> list[HardwareFigure]:
    """The modelled figures of `job` on `case`, narrowest first, dense before sparse."""
    found = [figure for figure in comparison.hardware if figure.job == job and figure.case == case]
    return sorted(found, key=lambda figure: (figure.entry.lanes, figure.entry.packing or ""))


def duels(comparison: Comparison, job: Job, spacing: int | None) -> list[Duel]:
    """One duel per text, in order, if software was measured and cores were modelled for `job` on it."""
    found = []
    for text in comparison.texts:
        case = Case(text.name, spacing, None)
        software = software_figures(comparison, job, case)
        hardware = hardware_figures(comparison, job, case)
        if software and hardware:
            found.append(Duel(case, software[0], tuple(hardware)))
    return found


def over_texts(
    comparison: Comparison, rates: Mapping[Case, float], spacing: int | None, packet_bytes: int | None = None,
) -> float | None:
    """The median over the texts of a program's or a core's rates; None if it has none."""
    wanted = (Case(text.name, spacing, packet_bytes) for text in comparison.texts)
    found = [rates[case] for case in wanted if case in rates]
    return statistics.median(found) if found else None


def rates_of(figures: Iterable[SoftwareFigure], peer: str) -> dict[Case, float]:
    """The rates of one program among ``figures``."""
    return {figure.case: figure.median for figure in figures if figure.peer == peer}


def core_rates(comparison: Comparison, job: Job, entry: Entry) -> dict[Case, float]:
    """The rates of one core at ``job``."""
    return {figure.case: figure.gigabytes_per_second for figure in comparison.hardware
            if figure.entry == entry and figure.job == job}


def socket(rate: float) -> float:
    """Modelled: the rate of all cores of a socket, from one thread's `rate`; its memory bandwidth is the limit."""
    return min(SOCKET_CORES * rate, max(SOCKET_MEMORY, rate))


@dataclass(frozen=True)
class Program:
    """One program at a job: its rate on each text, in one piece, with one kind of damage."""

    peer: str
    rates: Mapping[str, float]

    @property
    def median(self) -> float:
        return statistics.median(self.rates.values())

    @property
    def slowest(self) -> str:
        """The text on which it is slowest."""
        return min(self.rates, key=lambda text: self.rates[text])

    @property
    def fastest(self) -> str:
        return max(self.rates, key=lambda text: self.rates[text])


def program(comparison: Comparison, job: Job, spacing: int | None = None) -> Program | None:
    """The fastest program at ``job``: among the programs measured on the most texts, the highest median."""
    names = dict.fromkeys(figure.peer for figure in comparison.software if figure.job == job)
    found = []
    for name in names:
        rates = rates_of(comparison.software, name)
        known = {text.name: rates[case] for text in comparison.texts
                 if (case := Case(text.name, spacing, None)) in rates}
        if known:
            found.append(Program(name, known))
    return max(found, key=lambda one: (len(one.rates), one.median), default=None)


@dataclass(frozen=True)
class Match:
    """A job on complete texts with one kind of damage: one program against the cores, all as medians over the texts.

    ``rate``: the program's. With ``published`` it is simdutf's published rate, faster than any measured one.
    ``large``: the same program on long texts.
    ``narrowest``: the narrowest core that is faster, None if none is. ``widest``: the fastest core, with the rate
    ``hardware``.
    """

    job: Job
    program: Program
    rate: float
    large: float | None
    narrowest: Entry | None
    widest: Entry
    hardware: float
    published: Published | None = None

    @property
    def software(self) -> str:
        """The program's name, without the job."""
        return "simdutf" if self.published else short(self.program.peer, self.job)

    @property
    def ratio(self) -> float:
        """Rate of the fastest core divided by the program's."""
        return self.hardware / self.rate

    @property
    def won(self) -> bool:
        """Whether the fastest core outperforms the program."""
        return self.narrowest is not None


def match(comparison: Comparison, job: Job, spacing: int | None = None) -> Match | None:
    """The fastest program at ``job`` against the cores; None without a program or a core."""
    fastest = program(comparison, job, spacing)
    found = {}
    for entry in comparison.cores(job):
        rate = over_texts(comparison, core_rates(comparison, job, entry), spacing)
        if rate is not None:
            found[entry.name] = entry, rate
    if fastest is None or not found:
        return None
    known = published(comparison, job) if spacing is None else None
    if known is not None and known.rate <= fastest.median:
        known = None
    rate = known.rate if known else fastest.median
    order = sorted(found.values(), key=lambda pair: (pair[0].lanes, pair[0].packing or ""))
    widest, hardware = max(order, key=lambda pair: pair[1])
    large = None
    if comparison.large is not None and known is None and spacing is None:
        large = over_texts(comparison, rates_of(comparison.large.software, fastest.peer), None)
    return Match(job, fastest, rate, large, next((entry for entry, moved in order if moved > rate), None), widest,
                 hardware, known)


def matches(comparison: Comparison) -> list[Match]:
    """Each job on clean text with measured software and modelled cores."""
    return [found for job in JOBS if (found := match(comparison, job)) is not None]


def published(comparison: Comparison, job: Job) -> Published | None:
    """simdutf's published rate at `job`, if simdutf was not measured."""
    there = any(peer.job == job and "simdutf" in peer.name for peer in comparison.peers)
    return None if there else TASKS[job].published
