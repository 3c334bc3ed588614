"""One comparison: every peer and every core of the datasheet on the same bytes."""

import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import runewire_model
from runewire_model import TranscoderParameters, validate

from ..datasheet import Entry, with_usual_options
from ..throughput import utf8_gigabytes_per_second
from .errors import Disagreement
from .inputs import Case, Text, cases
from .lines import Lines
from .lines import from_json as lines_from_json
from .lines import to_json as lines_to_json
from .measure import measure
from .peers import Job, Peer

JOB_OF_CORE: dict[str, Job] = {"decoder": "decode", "validator": "validate", "encoder": "encode"}

_CONTINUATIONS = bytes(range(0x80, 0xC0))


@dataclass(frozen=True)
class Machine:
    """Where the software was measured."""

    cpu: str
    cpus: int
    system: str
    python: str
    runewire: str


@dataclass(frozen=True)
class TextNote:
    """A text that was measured with: its bytes, and the shares of its characters that are one to four long.

    `well_formed` is false for a user's file that is not UTF-8 throughout.
    """

    name: str
    bytes: int
    well_formed: bool
    shares: tuple[float, ...]


@dataclass(frozen=True)
class PeerNote:
    """A peer that was measured: what did the work, and the nanoseconds of a call on an empty buffer.

    `note` is the peer's.
    """

    name: str
    job: Job
    version: str
    call_ns: float
    note: str = ""


@dataclass(frozen=True)
class Missing:
    """A peer that was not there, and what would bring it."""

    name: str
    remedy: str


@dataclass(frozen=True)
class SoftwareFigure:
    """Measured: 10^9 bytes of UTF-8 a second on one thread, the median of `repeats` and its quartiles."""

    case: Case
    peer: str
    job: Job
    median: float
    low: float
    high: float
    repeats: int


@dataclass(frozen=True)
class HardwareFigure:
    """Modelled: 10^9 bytes of UTF-8 a second of one core at its placed and routed clock."""

    case: Case
    entry: Entry
    job: Job
    gigabytes_per_second: float


@dataclass(frozen=True)
class Comparison:
    """Everything that one run found. `lines`: of validating each line, None where nobody asked."""

    machine: Machine
    target: str
    texts: tuple[TextNote, ...]
    peers: tuple[PeerNote, ...]
    missing: tuple[Missing, ...]
    software: tuple[SoftwareFigure, ...]
    hardware: tuple[HardwareFigure, ...]
    lines: Lines | None = None

    @property
    def entries(self) -> list[Entry]:
        """The cores that figures were modelled for, in the datasheet's order."""
        return list({figure.entry.name: figure.entry for figure in self.hardware}.values())

    def as_json(self) -> dict[str, Any]:
        """The comparison as JSON's types. Rates are in 10^9 bytes of UTF-8 a second, shares from 0 to 1."""
        return {
            "machine": asdict(self.machine),
            "target": self.target,
            "texts": [asdict(text) for text in self.texts],
            "peers": [asdict(peer) for peer in self.peers],
            "missing": [asdict(missing) for missing in self.missing],
            "software": [
                {**asdict(figure.case), "peer": figure.peer, "job": figure.job,
                 "gigabytes_per_second": figure.median, "low_quartile": figure.low,
                 "high_quartile": figure.high, "repeats": figure.repeats}
                for figure in self.software
            ],
            "hardware": [
                {**asdict(figure.case), "core": figure.entry.core, "lanes": figure.entry.lanes,
                 "packing": figure.entry.packing, "pipeline": figure.entry.pipeline,
                 "clock_mhz": figure.entry.clock_mhz, "job": figure.job,
                 "gigabytes_per_second": figure.gigabytes_per_second, "modelled": True}
                for figure in self.hardware
            ],
            "datasheet": [_entry_record(entry) for entry in self.entries],
            "lines": None if self.lines is None else lines_to_json(self.lines, _entry_record),
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """The comparison that `as_json` made `content` of."""
        entries = map(_entry, content["datasheet"])
        by_kind = {(entry.core, entry.lanes, entry.packing, entry.pipeline): entry for entry in entries}
        return cls(
            machine=Machine(**content["machine"]),
            target=content["target"],
            texts=tuple(TextNote(**{**text, "shares": tuple(text["shares"])}) for text in content["texts"]),
            peers=tuple(PeerNote(**peer) for peer in content["peers"]),
            missing=tuple(Missing(**missing) for missing in content["missing"]),
            software=tuple(
                SoftwareFigure(_case(f), f["peer"], f["job"], f["gigabytes_per_second"], f["low_quartile"],
                               f["high_quartile"], f["repeats"])
                for f in content["software"]
            ),
            hardware=tuple(
                HardwareFigure(_case(f), by_kind[f["core"], f["lanes"], f["packing"], f["pipeline"]], f["job"],
                               f["gigabytes_per_second"])
                for f in content["hardware"]
            ),
            lines=None if content.get("lines") is None else lines_from_json(content["lines"], _entry),
        )


def _case(figure: Mapping[str, Any]) -> Case:
    return Case(figure["text"], figure["spacing"], figure["packet_bytes"])


def _entry_record(entry: Entry) -> dict[str, Any]:
    return {"core": entry.core, **asdict(entry), "parameters": entry.parameters.record()}


def _entry(record: Mapping[str, Any]) -> Entry:
    options = {name: value for name, value in record.items() if name not in ("core", "parameters")}
    return Entry(TranscoderParameters.of({"core": record["core"], **record["parameters"]}), **options)


def machine() -> Machine:
    """This machine."""
    cpu = ""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() in ("model name", "Model"):
                cpu = value.strip()
                break
    return Machine(
        cpu=cpu or platform.processor() or platform.machine(),
        cpus=os.cpu_count() or 1,
        system=f"{platform.system()} {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        runewire=runewire_model.__version__,
    )


def _check(case: Case, packets: Sequence[bytes], answers: Iterable[tuple[Peer, int]]) -> None:
    """Raise `Disagreement` unless each answer is right; for decoders that is what the first of them says."""
    scalars: int | None = None
    for peer, answer in answers:
        if peer.job == "validate":
            found = "well-formed" if answer == len(packets) else "ill-formed"
            right = "well-formed" if all(validate(packet) is None for packet in packets) else "ill-formed"
        elif peer.job == "encode":
            found, right = f"{answer} bytes", f"{sum(map(len, packets))} bytes"
        else:
            scalars = answer if scalars is None else scalars
            found, right = f"{answer} code points", f"{scalars} code points"
        if found != right:
            spoilt = f" with an error every {case.spacing} bytes" if case.spacing else ""
            raise Disagreement(f"{peer.name} finds {case.text}{spoilt} to be {found}, it is {right}")


def best_cores(entries: Iterable[Entry], target: str) -> list[Entry]:
    """For each core that is compared, packing and width on `target` the entry with the highest clock, of those with
    usual options."""
    best: dict[tuple[str, str | None, int], Entry] = {}
    for entry in with_usual_options(entries):
        if entry.target == target and entry.core in JOB_OF_CORE:
            known = best.setdefault((entry.core, entry.packing, entry.lanes), entry)
            if entry.clock_mhz > known.clock_mhz:
                best[entry.core, entry.packing, entry.lanes] = entry
    return list(best.values())


def compare(
    texts: Sequence[Text],
    peers: Sequence[Peer],
    entries: Sequence[Entry],
    target: str,
    repeat: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Measure `peers` on every case of `texts`, and model the cores among `entries` that are for `target`.

    `progress` is called with each text's name before it is measured. Raises `Disagreement`.
    """
    there = [peer for peer in peers if peer.available()]
    cores = best_cores(entries, target)
    software: list[SoftwareFigure] = []
    hardware: list[HardwareFigure] = []
    empty = measure({peer.name: peer.timed([b""]) for peer in there}, repeat)
    for text in texts:
        progress(text.name)
        for case, packets in cases(text):
            damaged = case.spacing is not None or not text.well_formed
            cut = case.packet_bytes is not None
            suited = {peer.name: peer for peer in there if peer.suits(damaged=damaged, packets=cut)}
            timings = measure({name: peer.timed(packets) for name, peer in suited.items()}, repeat)
            _check(case, packets, ((peer, timings[name].answer) for name, peer in suited.items()))
            size = len(text.data) / 1e9
            software += [
                SoftwareFigure(case, name, peer.job, size / timings[name].median, size / timings[name].high,
                               size / timings[name].low, timings[name].repeats)
                for name, peer in suited.items()
            ]
            lengths = [len(packet) for packet in packets]
            scalars = [len(packet.translate(None, _CONTINUATIONS)) for packet in packets]
            hardware += [
                HardwareFigure(case, entry, JOB_OF_CORE[entry.core],
                               utf8_gigabytes_per_second(entry, lengths, scalars))
                for entry in cores if not (damaged and entry.core == "encoder")
            ]
    return Comparison(
        machine=machine(),
        target=target,
        texts=tuple(TextNote(t.name, len(t.data), t.well_formed, t.shares) for t in texts),
        peers=tuple(PeerNote(p.name, p.job, p.version, 1e9 * empty[p.name].median, p.note) for p in there),
        missing=tuple(Missing(p.name, p.missing) for p in peers if not p.available()),
        software=tuple(software),
        hardware=tuple(hardware),
    )
