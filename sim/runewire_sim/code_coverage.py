"""Code coverage of the delivered Verilog, counted by Verilator: lines, branches, and the toggles of each bit.

It sends the packets of the functional `coverage`, then random ones with resets and with a stuck output, and long ones
whose errors are far into the packet. A point that no input can reach has its reason in unreachable.toml; an unseen
point without a reason is a hole.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, Self

from runewire_jobs.record_text import record_text
from runewire_model import TranscoderParameters, __version__

from . import verilator
from .coverage import Coverage, cover
from .design import VerilogDesign, generated
from .results import Run
from .scoreboard import compare
from .stalls import Stalls
from .stimuli import random_packets
from .wire_format import Packet

KINDS = {"v_line": "line", "v_branch": "branch", "v_toggle": "toggle"}
"""Verilator's names of what is counted, and the field's."""
FAR_BITS = 16
"""Bits of the offset that the longest packets use; a core with offsets of this width saturates."""
ROWS = 34
"""Long packets in sequence. Each takes one row more than a multiple of the buffer's rows, so every row gets one."""
BUSY = {"flowing": (3000, Stalls(), ()), "resets": (300, Stalls(0.5, 0.5), ("+resets=200",)),
        "full": (3000, Stalls(0.0, 0.97), ()), "full and empty": (1000, Stalls(0.9, 0.94), ())}
"""Random packets, their stalls, and the simulator's arguments (``plus`` of `verilator.run`)."""
REASONS = Path(__file__).parent / "unreachable.toml"


class CoveragePoint(NamedTuple):
    """A point of the Verilog to cover: a line, a branch, or a bit that rises or falls.

    ``kind``: a value of `KINDS`. ``instance``: the path of its module below the top, "" for the top. ``what``: the bit
    and its change, or the branch and its source text.
    """

    kind: str
    line: int
    column: int
    instance: str
    what: str

    @property
    def name(self) -> str:
        """Its name, which does not depend on line numbers."""
        return f"{self.instance}: {self.what}" if self.instance else self.what

    def __str__(self) -> str:
        return f"line {self.line}:{self.column}, {self.kind}, {self.name}"


class Reason(NamedTuple):
    """Why no input reaches some points of some cores. ``cores``, ``points``: patterns of names.

    A bit without its change means both changes.
    """

    cores: tuple[str, ...]
    points: tuple[str, ...]
    why: str

    def about(self, parameters: TranscoderParameters) -> bool:
        """Whether the reason applies to the core."""
        return any(_pattern(core).fullmatch(str(parameters)) for core in self.cores)

    def covers(self, point: CoveragePoint) -> bool:
        """Whether the reason applies to the point."""
        name = point.name
        return any(pattern.fullmatch(text) for pattern in map(_pattern, self.points)
                   for text in (name, name.removesuffix(" 0->1").removesuffix(" 1->0")))


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """A pattern of the reasons as a regular expression: ``*`` is any text, ``{1..3}`` a number from 1 to 3."""
    def part(word: str) -> str:
        numbers = re.fullmatch(r"\{(\d+)\.\.(\d+)\}", word)
        if numbers is not None:
            return f"({'|'.join(map(str, range(int(numbers[1]), int(numbers[2]) + 1)))})"
        return ".*" if word == "*" else re.escape(word)

    return re.compile("".join(map(part, re.split(r"(\*|\{\d+\.\.\d+\})", text))))


@cache
def reasons() -> tuple[Reason, ...]:
    """All reasons of unreachable.toml."""
    kept = tomllib.loads(REASONS.read_text(encoding="utf-8"))["unreachable"]
    return tuple(Reason(tuple(each["cores"]), tuple(each["points"]), each["why"]) for each in kept)


class CodeCoverage:
    """The points of a design, and how often each was seen."""

    def __init__(self, design: VerilogDesign) -> None:
        self.file = design.verilog.name
        """Name of the Verilog file."""
        self._source = design.verilog.read_text(encoding="utf-8").splitlines()
        self._reasons = [reason for reason in reasons() if reason.about(design.parameters)]
        self.seen: Counter[CoveragePoint] = Counter()
        """Count of each point, 0 for one that was never seen."""

    def add(self, counts: str) -> None:
        """Add the counts that Verilator wrote after a run."""
        for found in re.finditer(r"^C '(.*)' (\d+)$", counts, re.MULTILINE):
            fields = dict(field.split("\2", 1) for field in found[1].split("\1")[1:])
            kind = KINDS[fields["page"].partition("/")[0]]
            line, column = int(fields["l"]), int(fields["n"])
            instance = ".".join(fields["h"].split(".")[2:])
            what = fields["o"]
            if kind == "toggle":
                what = what.replace(":", " ")
            else:
                # Verilator counts an else at the column after its if, because two points never share a place.
                what += f" of {self._source[line - 1][column - 1 - (what == 'else') :]}"
            self.seen[CoveragePoint(kind, line, column, instance, what)] += int(found[2])

    def reason(self, point: CoveragePoint) -> Reason | None:
        """The reason why no input reaches the point, None without one."""
        return next((reason for reason in self._reasons if reason.covers(point)), None)

    @property
    def unseen(self) -> list[CoveragePoint]:
        """Unseen points, with a reason or without."""
        return sorted(point for point, count in self.seen.items() if not count)

    @property
    def holes(self) -> list[CoveragePoint]:
        """Unseen points without a reason."""
        return [point for point in self.unseen if self.reason(point) is None]

    @property
    def refuted(self) -> list[CoveragePoint]:
        """Seen points with a reason: the reason is wrong."""
        return sorted(point for point, count in self.seen.items() if count and self.reason(point) is not None)


@dataclass(frozen=True)
class CodeRecord:
    """The code coverage of a core.

    ``core``: its parameters. ``verilog``: its design's `fingerprint`. ``version``: the generator's version of runewire.
    ``points``, ``seen``: numbers of points by kind. ``unreachable``: unseen points by their reason. ``holes``: unseen
    points without a reason. ``seconds``: wall time of the run; None in old records.
    """

    core: dict[str, str | int | None]
    verilog: str
    version: str
    seed: int
    points: dict[str, int]
    seen: dict[str, int]
    unreachable: dict[str, list[str]]
    holes: list[str]
    seconds: float | None = None

    @classmethod
    def begin(cls, parameters: TranscoderParameters, seed: int, code: CodeCoverage,
              seconds: float | None = None) -> Self:
        """The record of a finished run."""
        unreachable: dict[str, list[str]] = {}
        for point in code.unseen:
            if (reason := code.reason(point)) is not None:
                unreachable.setdefault(reason.why, []).append(point.name)
        return cls(parameters.record(), generated(parameters).fingerprint, __version__, seed,
                   dict(Counter(point.kind for point in code.seen)),
                   dict(Counter(point.kind for point, count in code.seen.items() if count)), unreachable,
                   [str(point) for point in code.holes], seconds)

    def json(self) -> str:
        """The record as a text that `of` reads."""
        values = asdict(self)
        if self.seconds is None:
            del values["seconds"]
        return record_text(values)

    @classmethod
    def of(cls, text: str) -> Self:
        """The record that `json` wrote."""
        return cls(**json.loads(text))


def cover_code(parameters: TranscoderParameters, seed: int = 0, design: VerilogDesign | None = None,
               ) -> tuple[Coverage, CodeCoverage, str | None]:
    """Simulate the core's Verilog with the packets of the functional coverage, and with those for code coverage.

    Returns both coverages, and the first error in one line or None; an error ends the run. ``design``: default, the
    generated core. Raises MissingToolError and SimulationError.
    """
    design = design or generated(parameters)
    code = CodeCoverage(design)
    with TemporaryDirectory(prefix="runewire-") as folder:
        def play(design: VerilogDesign, packets: Sequence[Packet], stalls: Stalls, plus: Sequence[str] = ()) -> Run:
            counts = Path(folder) / str(len(files))
            files.append(counts)
            return verilator.run(design, packets, stalls, plus=plus, coverage=counts)

        files: list[Path] = []
        functional, wrong = cover(parameters, seed, design, play)
        for packets, stalls, plus in _more(parameters, seed) if wrong is None else ():
            with play(design, packets, stalls, plus) as run:
                report = compare(parameters, packets, run)
            if not report.agree:
                wrong = report.first_difference.what if report.first_difference else report.protocol_errors[0]
                break
        for counts in files:
            if counts.exists():
                code.add(counts.read_text(encoding="utf-8"))
    return functional, code, wrong


def _more(parameters: TranscoderParameters, seed: int) -> Iterator[tuple[list[bytes], Stalls, tuple[str, ...]]]:
    """Packets for code coverage, their stalls, and the simulator's arguments."""
    for number, (count, stalls, plus) in enumerate(BUSY.values()):
        packets = list(random_packets(parameters, count, seed + 100 + number, longest=16 * parameters.lanes))
        yield packets, Stalls(stalls.source, stalls.sink, seed + number), plus
    yield [*_far(parameters), *random_packets(parameters, 400, seed, longest=4 * parameters.lanes)], Stalls(), ()


def _far(parameters: TranscoderParameters) -> list[bytes]:
    """Packets with an error at each power of two and beyond the greatest offset, in every row of the buffer."""
    encoding = parameters.reads
    plain = encoding.pack([ord("A")])
    wrong = next((unit for unit in (encoding.pack([edge]) for edge in encoding.edges)
                  if parameters.behind.compute(unit).error is not None), plain)
    powers = [plain * (1 << bit) + wrong for bit in range(FAR_BITS)]
    return [*powers, *[plain * (1 << FAR_BITS) + wrong] * ROWS]
