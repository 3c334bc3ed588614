"""Jobs on lines: texts of short lines, some ill-formed, and the rates of software and of a core."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from runewire_model.texts import generate

from .datasheet import Entry
from .errors import Disagreement
from .line_jobs import LineJob, differences
from .measure import measure
from .peers import LinePeer
from .throughput import bytes_per_cycle_of

LOG_QUANTILES = (44, 58, 60, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 74, 75, 76, 78, 81, 85, 107)
"""Line lengths of a log in bytes, LF included: least, each twentieth, greatest. The log: Debian's dpkg.log, 6197
lines."""

LENGTHS: dict[str, tuple[int, ...]] = {"8": (8,), "32": (32,), "128": (128,), "log": LOG_QUANTILES}
"""Kinds of lines and their lengths in bytes, LF included; all lengths of a kind are equally likely."""
TEXTS = ("ascii", "mixed")
"""The built-in texts that lines are cut from."""
TEXT_BYTES = 1 << 19
"""Bytes of a text of lines: enough for ill-formed lines in every case."""

_NEVER = bytes([0xC0, 0xC1, *range(0xF5, 0x100)])


@dataclass(frozen=True)
class LineCase:
    """Lines of `text`, of a kind in `LENGTHS`; one in `one_in` is ill-formed, None for none."""

    text: str
    lengths: str
    one_in: int | None


@dataclass(frozen=True)
class LineFigure:
    """Measured: 10^9 bytes of lines a second on one thread, the median of `repeats` and its quartiles."""

    case: LineCase
    peer: str
    median: float
    low: float
    high: float
    repeats: int


@dataclass(frozen=True)
class LinePeerNote:
    """A peer that was measured. `way`: how it does the job."""

    name: str
    way: str
    version: str
    each: bool


@dataclass(frozen=True)
class LineCore:
    """Modelled: the core, and 10^9 bytes of lines a second for each case.

    `entry` is its row of the datasheet, or with `stand_in` the row of the core whose clock is taken.
    """

    entry: Entry
    stand_in: bool
    rates: Mapping[LineCase, float]


@dataclass(frozen=True)
class Lines:
    """The results of one job. `otherwise`: peers that do another one, and what they do."""

    job: LineJob
    bytes: int
    peers: tuple[LinePeerNote, ...]
    missing: tuple[tuple[str, str], ...]
    otherwise: tuple[tuple[str, str], ...]
    software: tuple[LineFigure, ...]
    core: LineCore | None

    def fastest(self, case: LineCase, *, each: bool = False) -> LineFigure | None:
        """The fastest software on `case`; with `each`, among software that checks every line separately."""
        names = [peer.name for peer in self.peers if peer.each or not each]
        found = [figure for figure in self.software if figure.case == case and figure.peer in names]
        return max(found, key=lambda figure: figure.median, default=None)


def lines(case: LineCase, size: int, seed: int = 0) -> list[bytes]:
    """About `size` bytes of lines, each ended by LF, the same for the same seed.

    Text is cut to each line's length before a character, and filled with spaces. An ill-formed line has one byte that
    UTF-8 never has, anywhere before its LF. Ill-formed lines are evenly spread.
    """
    rng = random.Random(f"lines/{case.text}/{case.lengths}/{seed}")
    text = generate(case.text, size, seed).replace(b"\n", b" ")
    found = []
    start = 0
    while start < len(text):
        room = rng.choice(LENGTHS[case.lengths]) - 1
        end = min(start + room, len(text))
        while end < len(text) and 0x80 <= text[end] < 0xC0:
            end -= 1
        found.append(text[start:end].ljust(room) + b"\n")
        start = end
    if case.one_in is not None:
        for first in range(0, len(found) - case.one_in + 1, case.one_in):
            number = first + rng.randrange(case.one_in)
            line = bytearray(found[number])
            line[rng.randrange(len(line) - 1)] = rng.choice(_NEVER)
            found[number] = bytes(line)
    return found


def line_cases(job: LineJob) -> Iterator[LineCase]:
    """Every case of `job`, in the order of the tables."""
    for text in TEXTS:
        for lengths in LENGTHS:
            for one_in in job.shares:
                yield LineCase(text, lengths, one_in)


def line_core(job: LineJob, entries: Sequence[Entry], target: str) -> LineCore | None:
    """The core of `job` on `target`, from the placed cores, or the one that replaces it.

    None if neither was placed.
    """
    for parameters in job.cores:
        placed = [entry for entry in entries if entry.target == target and entry.parameters == parameters]
        if placed:
            entry = max(placed, key=lambda entry: entry.clock_mhz)
            wanted = job.cores[0]
            return LineCore(entry, parameters.lanes == wanted.lanes and parameters != wanted, {})
    return None


def measure_lines(
    job: LineJob, peers: Sequence[LinePeer], entries: Sequence[Entry], target: str, repeat: int, size: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Lines:
    """Measure `peers` on every case of `job`, of `size` bytes each, and model the core.

    A peer that gives another answer on the job's probes is not measured. `progress` is called with the name of each
    kind of lines. Raises `Disagreement` for another answer on a case.
    """
    found = {peer.name: differences(job, peer) for peer in peers if peer.available()}
    there = [peer for peer in peers if found.get(peer.name) == ""]
    software: list[LineFigure] = []
    core = line_core(job, entries, target)
    rates: dict[LineCase, float] = {}
    for case in line_cases(job):
        progress(f"{case.text}, lines of {case.lengths}")
        made = lines(case, size)
        total = sum(map(len, made))
        suited = {peer.name: peer for peer in there if case.one_in is None or peer.reads_on}
        timings = measure({name: peer.timed(made) for name, peer in suited.items()}, repeat)
        right = job.answer(made)
        for name, timing in timings.items():
            if timing.answer != right:
                raise Disagreement(f"{name} gives another answer than the golden model on lines of {case.text}, "
                                   f"{case.lengths} bytes: {timing.answer}, not {right}")
            software.append(LineFigure(case, name, total / 1e9 / timing.median, total / 1e9 / timing.high,
                                       total / 1e9 / timing.low, timing.repeats))
        if core is not None:
            rates[case] = bytes_per_cycle_of(core.entry.parameters, b"".join(made)) * core.entry.clock_mhz / 1000
    return Lines(
        job=job,
        bytes=size,
        peers=tuple(LinePeerNote(peer.name, peer.way, peer.version, peer.each) for peer in there),
        missing=tuple((peer.name, peer.missing) for peer in peers if not peer.available()),
        otherwise=tuple((name, does) for name, does in found.items() if does),
        software=tuple(software),
        core=None if core is None else replace(core, rates=rates),
    )


def to_json(found: Lines, entry: Callable[[Entry], dict[str, Any]]) -> dict[str, Any]:
    """`found` as JSON's types; `entry` converts a row of the datasheet."""
    core = found.core
    return {
        "bytes": found.bytes,
        "peers": [vars(peer) for peer in found.peers],
        "missing": [{"name": name, "remedy": remedy} for name, remedy in found.missing],
        "otherwise": [{"name": name, "does": does} for name, does in found.otherwise],
        "software": [
            {**vars(figure.case), "peer": figure.peer, "gigabytes_per_second": figure.median,
             "low_quartile": figure.low, "high_quartile": figure.high, "repeats": figure.repeats}
            for figure in found.software
        ],
        "core": None if core is None else {
            "datasheet": entry(core.entry), "clock_of_the_core_without_records": core.stand_in,
            "rates": [{**vars(case), "gigabytes_per_second": rate} for case, rate in core.rates.items()],
            "modelled": True},
    }


def from_json(job: LineJob, content: dict[str, Any], entry: Callable[[dict[str, Any]], Entry]) -> Lines:
    """The inverse of `to_json` for the results of `job`."""
    core = content["core"]
    return Lines(
        job=job,
        bytes=content["bytes"],
        peers=tuple(LinePeerNote(**peer) for peer in content["peers"]),
        missing=tuple((peer["name"], peer["remedy"]) for peer in content["missing"]),
        otherwise=tuple((peer["name"], peer["does"]) for peer in content["otherwise"]),
        software=tuple(
            LineFigure(LineCase(f["text"], f["lengths"], f["one_in"]), f["peer"], f["gigabytes_per_second"],
                       f["low_quartile"], f["high_quartile"], f["repeats"])
            for f in content["software"]
        ),
        core=None if core is None else LineCore(
            entry(core["datasheet"]), core["clock_of_the_core_without_records"],
            {LineCase(f["text"], f["lengths"], f["one_in"]): f["gigabytes_per_second"] for f in core["rates"]}),
    )
