"""One comparison run: every peer and every core of the datasheet on the same bytes."""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from runewire_model import TranscoderParameters

from .best_chips import BestChip, fastest_elsewhere
from .datasheet import Entry, with_usual_options
from .errors import Disagreement
from .inputs import Case, SampleText, cases
from .line_jobs import LINE_JOBS
from .lines import Lines
from .lines import from_json as lines_from_json
from .lines import to_json as lines_to_json
from .machine import Machine, load, machine
from .measure import Run, measure
from .peers import Peer
from .tasks import TASKS, Job, Task, converted, short
from .throughput import gigabytes_per_second


@dataclass(frozen=True)
class TextNote:
    """A measured text: its bytes, and the shares of its characters that are one to four bytes long.

    `well_formed` is false for a user's file that contains ill-formed UTF-8.
    """

    name: str
    bytes: int
    well_formed: bool
    shares: tuple[float, ...]


@dataclass(frozen=True)
class PeerNote:
    """A measured peer: the software's version, and the nanoseconds of a call on an empty buffer.

    `note` is the peer's.
    """

    name: str
    job: Job
    version: str
    call_ns: float
    note: str = ""


@dataclass(frozen=True)
class Missing:
    """A peer that was not available, and the remedy."""

    name: str
    remedy: str


@dataclass(frozen=True)
class SoftwareFigure:
    """Measured: 10^9 bytes a second on one thread, the median of `repeats` and its quartiles.

    UTF-8 bytes are counted; if neither side of the job is UTF-8, the bytes that are read.
    """

    case: Case
    peer: str
    job: Job
    median: float
    low: float
    high: float
    repeats: int


@dataclass(frozen=True)
class Large:
    """The fastest software on long texts: clean, in one piece, of ``bytes`` each."""

    bytes: int
    software: tuple[SoftwareFigure, ...]


@dataclass(frozen=True)
class HardwareFigure:
    """Modelled: 10^9 bytes a second of one core at its placed and routed clock, or at its stand-in's."""

    case: Case
    entry: Entry
    job: Job
    gigabytes_per_second: float


@dataclass(frozen=True)
class Comparison:
    """All results of one run.

    `large`: software on long texts, None if not requested. `lines`: the jobs on lines that were requested. `load`: the
    system's load averages over a minute, at the beginning and at the end. `best_chips`: the fastest core of each job,
    if it is on another device than `target`.
    """

    machine: Machine
    target: str
    texts: tuple[TextNote, ...]
    peers: tuple[PeerNote, ...]
    missing: tuple[Missing, ...]
    software: tuple[SoftwareFigure, ...]
    hardware: tuple[HardwareFigure, ...]
    lines: tuple[Lines, ...] = ()
    large: Large | None = None
    load: tuple[float, ...] = ()
    best_chips: tuple[BestChip, ...] = ()

    @property
    def entries(self) -> list[Entry]:
        """The modelled cores, in the datasheet's order."""
        return list({figure.entry.name: figure.entry for figure in self.hardware}.values())

    def cores(self, job: Job) -> list[Entry]:
        """The modelled cores that do `job`."""
        return list({figure.entry.name: figure.entry for figure in self.hardware if figure.job == job}.values())

    def as_json(self) -> dict[str, Any]:
        """The comparison as JSON's types. Rates are in 10^9 bytes a second, shares from 0 to 1."""
        return {
            "machine": asdict(self.machine),
            "target": self.target,
            "texts": [asdict(text) for text in self.texts],
            "peers": [asdict(peer) for peer in self.peers],
            "missing": [asdict(missing) for missing in self.missing],
            "load": list(self.load),
            "software": list(map(_software_record, self.software)),
            "large": None if self.large is None else {
                "bytes": self.large.bytes, "software": list(map(_software_record, self.large.software))},
            "hardware": [
                {**asdict(figure.case), **_kind(figure.entry), "clock_mhz": figure.entry.clock_mhz,
                 "stand_in": figure.entry.stand_in, "job": figure.job,
                 "gigabytes_per_second": figure.gigabytes_per_second, "modelled": True}
                for figure in self.hardware
            ],
            "datasheet": [_entry_record(entry) for entry in self.entries],
            "best_chips": [{"job": best.job, "gigabytes_per_second": best.gigabytes_per_second,
                            "datasheet": _entry_record(best.entry)} for best in self.best_chips],
            "lines": {lines.job.name: lines_to_json(lines, _entry_record) for lines in self.lines},
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """The inverse of `as_json`."""
        entries = map(_entry, content["datasheet"])
        by_kind = {tuple(_kind(entry).values()): entry for entry in entries}
        return cls(
            machine=Machine(**content["machine"]),
            target=content["target"],
            texts=tuple(TextNote(**{**text, "shares": tuple(text["shares"])}) for text in content["texts"]),
            peers=tuple(PeerNote(**peer) for peer in content["peers"]),
            missing=tuple(Missing(**missing) for missing in content["missing"]),
            load=tuple(content["load"]),
            software=tuple(map(_software, content["software"])),
            large=None if content["large"] is None else Large(
                content["large"]["bytes"], tuple(map(_software, content["large"]["software"]))),
            hardware=tuple(
                HardwareFigure(_case(f), by_kind[tuple(f[name] for name in _KIND)], f["job"],
                               f["gigabytes_per_second"])
                for f in content["hardware"]
            ),
            best_chips=tuple(BestChip(best["job"], _entry(best["datasheet"]), best["gigabytes_per_second"])
                             for best in content["best_chips"]),
            lines=tuple(lines_from_json(LINE_JOBS[name], found, _entry) for name, found in content["lines"].items()),
        )


def _case(figure: Mapping[str, Any]) -> Case:
    return Case(figure["text"], figure["spacing"], figure["packet_bytes"])


def _software_record(figure: SoftwareFigure) -> dict[str, Any]:
    return {**asdict(figure.case), "peer": figure.peer, "job": figure.job, "gigabytes_per_second": figure.median,
            "low_quartile": figure.low, "high_quartile": figure.high, "repeats": figure.repeats}


def _software(figure: Mapping[str, Any]) -> SoftwareFigure:
    return SoftwareFigure(_case(figure), figure["peer"], figure["job"], figure["gigabytes_per_second"],
                          figure["low_quartile"], figure["high_quartile"], figure["repeats"])


_KIND = ("core", "from", "to", "lanes", "packing", "pipeline")


def _kind(entry: Entry) -> dict[str, Any]:
    """The fields that identify a core of a comparison, `_KIND`."""
    core = entry.parameters
    return dict(zip(_KIND, (core.core, core.source, core.target, core.lanes, entry.packing, core.pipeline),
                    strict=True))


def _entry_record(entry: Entry) -> dict[str, Any]:
    return {"core": entry.core, **asdict(entry), "parameters": entry.parameters.record()}


def _entry(record: Mapping[str, Any]) -> Entry:
    options = {name: value for name, value in record.items() if name not in ("core", "parameters")}
    options["unknown_limits"] = tuple(record.get("unknown_limits", ()))
    return Entry(TranscoderParameters.of({"core": record["core"], **record["parameters"]}), **options)


def _check(case: Case, task: Task, given: Sequence[bytes], answers: Mapping[str, int]) -> None:
    """Raise `Disagreement` unless each answer is right."""
    right = task.said(task.answer(given), len(given))
    for name, answer in answers.items():
        found = task.said(answer, len(given))
        if found != right:
            spoilt = f" with an error every {case.spacing} bytes" if case.spacing else ""
            raise Disagreement(f"{name} finds {case.text}{spoilt} to be {found}, it is {right}")


def best_cores(entries: Iterable[Entry], target: str) -> list[Entry]:
    """For each core, packing and width on `target` the entry with the highest clock, among those with default
    options."""
    best: dict[tuple[str, str | None, int], Entry] = {}
    for entry in with_usual_options(entries):
        between = entry.parameters.source, entry.parameters.target
        if entry.target == target and any(between == (task.source, task.target) for task in TASKS.values()):
            kind = entry.title, entry.packing, entry.lanes
            known = best.setdefault(kind, entry)
            if entry.clock_mhz > known.clock_mhz:
                best[kind] = entry
    return list(best.values())


@dataclass(frozen=True)
class _Input:
    """The packets of a case, in any encoding."""

    case: Case
    packets: Sequence[bytes]
    well_formed: bool
    made: dict[str, list[bytes] | None]

    def read(self, encoding: str) -> list[bytes] | None:
        """The packets in this encoding, None if it lacks their characters."""
        if encoding not in self.made:
            self.made[encoding] = converted(self.packets, encoding)
        return self.made[encoding]

    def measured(self, peers: Iterable[Peer], repeat: int) -> list[SoftwareFigure]:
        """The rates of the peers that the case suits. Raises `Disagreement`."""
        runs: dict[str, Run] = {}
        jobs: dict[str, Job] = {}
        for peer in peers:
            read = self.read(peer.reads or TASKS[peer.job].source)
            if read is not None and peer.suits(damaged=self.case.spacing is not None or not self.well_formed,
                                               packets=self.case.packet_bytes is not None):
                jobs[peer.name], runs[peer.name] = peer.job, peer.timed(read)
        timings = measure(runs, repeat)
        found = []
        for job in dict.fromkeys(jobs.values()):
            task, read = TASKS[job], self.read(TASKS[job].source)
            assert read is not None
            done = {name: timings[name] for name in jobs if jobs[name] == job}
            _check(self.case, task, read, {name: timing.answer for name, timing in done.items()})
            size = sum(task.weighed(read)) / 1e9
            found += [SoftwareFigure(self.case, name, job, size / timing.median, size / timing.high, size / timing.low,
                                     timing.repeats) for name, timing in done.items()]
        return found


def compare(
    texts: Sequence[SampleText],
    peers: Sequence[Peer],
    entries: Sequence[Entry],
    target: str,
    repeat: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Measure `peers` on every case of `texts`, and model the cores among `entries` for `target`.

    Where another device has the fastest core for a job, that core is modelled too. `progress` is called with each
    text's name before it is measured. Raises `Disagreement`.
    """
    before = load()
    there = [peer for peer in peers if peer.available()]
    placed, elsewhere = best_cores(entries, target), fastest_elsewhere(entries, target)
    rates: dict[Job, list[float]] = {}
    software: list[SoftwareFigure] = []
    hardware: list[HardwareFigure] = []
    empty = measure({peer.name: peer.timed([b""]) for peer in there}, repeat)
    for text in texts:
        progress(text.name)
        for case, packets in cases(text):
            given = _Input(case, packets, text.well_formed, {})
            software += given.measured(there, repeat)
            for job, task in TASKS.items():
                read = given.read(task.source)
                if read is not None:
                    counted = task.weighed(read)
                    hardware += [HardwareFigure(case, entry, job, gigabytes_per_second(
                        entry, list(map(len, read)), counted)) for entry in task.cores(placed)]
                    if job in elsewhere and case.spacing is None and case.packet_bytes is None:
                        rates.setdefault(job, []).append(
                            gigabytes_per_second(elsewhere[job], list(map(len, read)), counted))
    return Comparison(
        machine=machine(),
        target=target,
        texts=tuple(TextNote(t.name, len(t.data), t.well_formed, t.shares) for t in texts),
        peers=tuple(PeerNote(p.name, p.job, p.version, 1e9 * empty[p.name].median, p.note) for p in there),
        missing=tuple(dict.fromkeys(Missing(short(p.name, p.job), p.missing) for p in peers if not p.available())),
        software=tuple(software),
        hardware=tuple(hardware),
        load=before + load(),
        best_chips=tuple(BestChip(job, elsewhere[job], statistics.median(found)) for job, found in rates.items()),
    )


def measure_large(
    found: Comparison, texts: Iterable[SampleText], peers: Iterable[Peer], repeat: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Large:
    """Measure on long texts, clean and whole, each peer that is the fastest at its job on one of ``found``'s texts.

    Raises `Disagreement`.
    """
    clean = [figure for figure in found.software if figure.case.spacing is None and figure.case.packet_bytes is None]
    best: dict[tuple[Job, Case], SoftwareFigure] = {}
    for figure in clean:
        known = best.setdefault((figure.job, figure.case), figure)
        if figure.median > known.median:
            best[figure.job, figure.case] = figure
    names = {figure.peer for figure in best.values()}
    fastest = [peer for peer in peers if peer.name in names]
    software: list[SoftwareFigure] = []
    size = 0
    for text in texts:
        progress(f"{text.name}, long")
        size = max(size, len(text.data))
        software += _Input(Case(text.name, None, None), [text.data], text.well_formed, {}).measured(fastest, repeat)
    return Large(size, tuple(software))
