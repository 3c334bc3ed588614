"""Stuck registers: each register bit of a core's proof is held at 0, then at 1, and an assertion has to notice it.

A register bit that is stuck without notice is not checked, even if it is in a cone of influence. A bit that is noticed
at both values also becomes both in the sound part: so the assumptions do not keep it at one value.
"""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from runewire_jobs.errors import ToolError
from runewire_jobs.record_text import record_text
from runewire_model import TranscoderParameters

from .checking.aiger import Graph
from .cone import (
    IN_PACKER,
    ITSELF,
    ONLY,
    Bit,
    Netlist,
    Seen,
    common,
    compared,
    matches,
    memories_of,
    numbered,
    of_design,
    plain,
    words,
)
from .engines import GATES, Engine, Outcome
from .fault_simulation import StuckVariable, simulated, with_stuck
from .parts import PACKER, proofs
from .proof import Proof

REASONS = Path(__file__).with_name("unnoticed_bits.toml")
"""Register bits that may be stuck without notice, and why."""

SHORT = (64, 150)
"""Trials and cycles of a simulation of all faults; it is repeated until it shows no further one."""
LONG = (16_000, 4000, 15_000_000)
"""Trials of all faults together, cycles, and evaluated gates at most, in a simulation of the faults that are left after
the engine: of a narrow part with packets that are longer than its shortened offset. It is repeated as `SHORT` is."""
SEARCH, LAST = "bmc3 -F 60 -T 3", "bmc3 -F 60 -T 15"
"""ABC's commands for each fault that no short simulation shows, and for each that nothing else shows."""
STAYS = ("dprove", "pdr -T 5")
"""ABC's commands for the question whether a register bit ever leaves the value, if it did in no simulation."""
SECONDS = 15
"""Processor time for each of the two questions."""

Fault = tuple[str, int, int, int]
"""Name of a register in the delivered Verilog, its width, the number of a bit, and the value at which it is stuck."""


@dataclass(frozen=True)
class StuckRun:
    """The answer about a fault of a part that no short simulation shows.

    ``design``: the part's digest. ``register``: the name and a bit's number, ``report.kind[2]``; ``value``: at which it
    is stuck. ``verdict``: "noticed"; "constant", as the sound part's bit never has another value; or "unnoticed".
    ``cycles``: that the engine looked at, up to the one in which an assertion notices it; None if a longer simulation
    shows it, or if the engine proves that none ever does. ``seconds``: processor time of the engine.
    """

    part: str
    design: str
    register: str
    value: int
    verdict: str
    cycles: int | None
    seconds: float


@dataclass(frozen=True)
class Stuck:
    """The register bits of a core's Verilog by what notices them.

    ``noticed``: an assertion of one part notices the bit at 0, and one at 1. ``represented``: the same is true of a
    narrower register in its place, or of one for several. ``unread``: no path leads to an output. ``explained``:
    bits that are not noticed, by the reason. ``unexplained``: the other bits that are not noticed. ``memories``,
    ``memories_noticed``: memories, and those with a row that is noticed.
    """

    registers: int
    noticed: int
    represented: int
    unread: int
    explained: dict[str, list[str]]
    unexplained: list[str]
    memories: int
    memories_noticed: int


@dataclass(frozen=True)
class StuckRecord:
    """The stuck registers of a core. ``core``: its parameters. ``verilog``: fingerprint of its Verilog. ``version``: of
    runewire. ``seconds``: wall time. ``stuck``: None if the command was interrupted. ``runs``: of the engine."""

    core: dict[str, str | int | None]
    verilog: str
    version: str
    seconds: float
    stuck: Stuck | None
    runs: list[StuckRun]

    def json(self) -> str:
        """The record as a text that `of` reads."""
        return record_text(asdict(self))

    @classmethod
    def of(cls, text: str) -> StuckRecord:
        """The record that `json` wrote."""
        values = json.loads(text)
        stuck = values["stuck"]
        return cls(**{**values, "stuck": None if stuck is None else Stuck(**stuck),
                      "runs": [StuckRun(**run) for run in values["runs"]]})


@dataclass
class StuckPart:
    """A part's comparison. ``registers``: each one's names and bits, as literals of the graph; 0 if nothing reads it.
    ``faults``: those that an assertion depends on, each with its names. ``left``: faults that are not noticed so far.
    ``changed``: faults whose bit had another value in a simulation of the sound part."""

    proof: Proof
    design: str
    graph: Graph
    registers: list[tuple[list[str], list[int]]]
    faults: dict[StuckVariable, list[Fault]] = field(default_factory=dict)
    left: list[StuckVariable] = field(default_factory=list)
    changed: set[StuckVariable] = field(default_factory=set)

    def __post_init__(self) -> None:
        cone = self.graph.behind(self.graph.outputs) - {0}
        for names, signals in self.registers:
            for at, signal in enumerate(signals):
                for value in (0, 1) if signal >> 1 in cone else ():
                    called = [(name, len(signals), at, value) for name in names]
                    self.faults.setdefault((signal >> 1, value ^ signal & 1), []).extend(called)
        self.left = list(self.faults)

    def noticed(self) -> set[Fault]:
        """Faults that an assertion notices. If several registers have one name, it notices each."""
        left = {called for fault in self.left for called in self.faults[fault]}
        return {called for every in self.faults.values() for called in every} - left

    def both(self, noticed: set[Fault]) -> set[Bit]:
        """Register bits of which both faults are among those ``noticed`` in any part, as literals."""
        return {signal for names, signals in self.registers for at, signal in enumerate(signals)
                if signal and all({(name, len(signals), at, value) for value in (0, 1)} <= noticed for name in names)}

    def simulate(self, faults: Sequence[StuckVariable], trials: int, cycles: int, source: Random) -> bool:
        """Whether a simulation shows any of these faults. Raises ToolError if the sound part fails."""
        try:
            found, changed = simulated(self.graph, faults, trials, cycles, source)
        except ValueError as error:
            raise ToolError(f"an assertion of part {self.proof.name} fails in a simulation of the core as it is: "
                            "prove it first") from error
        self.changed |= changed
        self.left = [fault for fault in self.left if fault not in found]
        return bool(found)

    def search(self, fault: StuckVariable, script: str, engine: Engine) -> tuple[str, int | None, float]:
        """The verdict, cycles and seconds of a `StuckRun`, without the question whether the bit is constant."""
        outcome = self._asked(with_stuck(self.graph, fault), [f"orpos; {script}"], engine)
        cycles = None if outcome.depth is None else outcome.depth + 1
        return "noticed" if outcome.verdict == "refuted" else "unnoticed", cycles, outcome.seconds

    def constant(self, fault: StuckVariable, engine: Engine) -> tuple[bool, float]:
        """Whether the bit provably always has the value in the sound part, and the engine's seconds."""
        if fault in self.changed:
            return False, 0.0
        variable, value = fault
        outcome = self._asked(replace(self.graph, outputs=[2 * variable + value]), STAYS, engine)
        return outcome.verdict == "proven", outcome.seconds

    def _asked(self, graph: Graph, scripts: Sequence[str], engine: Engine) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="runewire-proof-") as room:
            path = Path(room) / "stuck.aig"
            graph.write(path)
            return engine.decide(path, f"&r {path.name}; &scl; &put", scripts, SECONDS)


class StuckSearch:
    """The search for assertions that notice stuck registers, in all ``parts`` of a core; default: in all that it has.

    ``heard`` is called with a line of progress. Raises ToolError, ParameterError.
    """

    def __init__(self, parameters: TranscoderParameters, engine: Engine, parts: Sequence[Proof] | None = None,
                 heard: Callable[[str], None] = lambda _: None) -> None:
        self._core = str(parameters)
        self._engine = engine
        self._heard = heard
        heard("delivered Verilog")
        self._design = of_design(engine, parameters)
        names = {*(name for every, _ in self._design.words for name in numbered(every)),
                 *(name for name, _ in memories_of(self._design))}
        self._known = names | {common(name) for name in names}
        self._random = Random(self._core)
        self._parts: list[StuckPart] = []
        for proof in proofs(parameters) if parts is None else parts:
            if proof.name.removeprefix(PACKER) not in ITSELF:
                heard(f"{proof.name}: comparison")
                self._parts.append(of_part(engine, proof))
        for part in self._parts:
            while part.left and self._simulated(part, part.left, *SHORT):
                pass

    def runs(self, known: Iterable[StuckRun] = ()) -> Iterator[StuckRun]:
        """Ask the engine about each fault that no simulation shows, unless the answer is ``known``."""
        answers = {(run.part, run.design, run.register, run.value): run for run in known}
        for part in self._parts:
            doubtful: dict[StuckVariable, StuckRun] = {}
            for fault in self._doubted(part):
                name, _, bit, value = part.faults[fault][0]
                key = part.proof.name, part.design, f"{name}[{bit}]", value
                self._heard(f"{part.proof.name}: {name}[{bit}] stuck at {value}")
                run = answers.get(key)
                if run is None:
                    run = StuckRun(*key, *part.search(fault, SEARCH, self._engine))
                    if run.verdict == "unnoticed":
                        doubtful[fault] = run
                        continue
                if run.verdict == "noticed":
                    part.left.remove(fault)
                yield run
            trials, cycles, gates = LONG
            cycles = min(cycles, gates // max(1, len(part.graph.gates)))
            while left := [fault for fault in doubtful if fault in part.left]:
                if not self._simulated(part, left, trials // len(left), cycles):
                    break
            for fault, run in doubtful.items():
                yield self._answer(part, fault, run)

    def _answer(self, part: StuckPart, fault: StuckVariable, run: StuckRun) -> StuckRun:
        """The answer after a longer simulation, and after a longer search if that shows nothing."""
        if fault not in part.left:
            return replace(run, verdict="noticed", cycles=None)
        self._heard(f"{part.proof.name}: is {run.register} always {run.value}")
        constant, seconds = part.constant(fault, self._engine)
        if constant:
            return replace(run, verdict="constant", seconds=round(run.seconds + seconds, 2))
        self._heard(f"{part.proof.name}: {run.register} stuck at {run.value}")
        verdict, cycles, more = part.search(fault, LAST, self._engine)
        if verdict == "noticed":
            part.left.remove(fault)
        return replace(run, verdict=verdict, cycles=cycles, seconds=round(run.seconds + seconds + more, 2))

    def result(self) -> Stuck:
        """What is noticed so far."""
        seen = Seen()
        noticed = self._noticed()
        for part in self._parts:
            seen.enter(Netlist({}, {}, [(names, [*signals]) for names, signals in part.registers]), part.both(noticed))
        return judged(self._design, seen, self._core)

    def _simulated(self, part: StuckPart, faults: Sequence[StuckVariable], trials: int, cycles: int) -> bool:
        """Whether a simulation of the part shows any of these faults."""
        self._heard(f"{part.proof.name}: {len(faults)} stuck bits in {cycles} cycles")
        return part.simulate(faults, trials, cycles, self._random)

    def _noticed(self) -> set[Fault]:
        return set().union(*(part.noticed() for part in self._parts))

    def _doubted(self, part: StuckPart) -> list[StuckVariable]:
        """Faults of the core's registers that no part has noticed yet."""
        noticed = self._noticed()
        return [fault for fault in part.left if any(
            called not in noticed and (called[0] in self._known or common(called[0]) in self._known)
            for called in part.faults[fault])]


def of_part(engine: Engine, proof: Proof) -> StuckPart:
    """The comparison of a part, without lemmas, with its assertions alone as outputs."""
    miter = proof.miter(None)
    if "LEMMAS" in miter.parameters:
        miter = proof.miter({**miter.parameters, "LEMMAS": 0})
    comparison = engine.comparison(miter)
    with tempfile.TemporaryDirectory(prefix="runewire-proof-") as room:
        folder = Path(room)
        (folder / "dut").write_text(miter.netlist, encoding="utf-8")
        (folder / "comparison.il").write_text(comparison, encoding="utf-8")
        engine.script(folder, [
            *miter.reads, "proc", "flatten", "opt_clean", "write_json words.json", *GATES,
            "read_rtlil comparison.il", f"hierarchy -top {miter.harness}", "flatten",
            "setundef -undriven -anyseq", "setundef -anyseq", "opt_clean", "async2sync", "dffunmap", "aigmap",
            "write_aiger -symbols -zinit -vmap map.txt miter.aig"], miter.harness)
        graph = Graph.read(folder / "miter.aig")
        design = json.loads((folder / "words.json").read_text(encoding="utf-8"))["modules"]["dut"]
        lines = (folder / "map.txt").read_text(encoding="utf-8").splitlines()
    signals: dict[str, dict[int, int]] = defaultdict(dict)
    outputs: dict[int, str] = {}
    for line in lines:
        kind, *fields = line.split(maxsplit=3)
        if kind == "wire":
            signals[fields[2]][int(fields[1])] = int(fields[0])
        elif kind == "output":
            outputs[int(fields[0])] = fields[2]
    cell = re.search(r"cell \\dut \\?(\S+)", comparison)
    assert cell is not None, "a harness has one design"
    inside = IN_PACKER if proof.name.startswith(PACKER) else ""
    only = ONLY.get(proof.name.removeprefix(PACKER))
    graph = replace(graph, outputs=[
        signal for at, signal in enumerate(graph.outputs) if only is None or outputs.get(at) in only])
    registers = []
    for names in words(design):
        bits = signals[f"{cell[1]}.{names[0]}"]  # none of those that nothing reads
        width = len(design["netnames"][names[0]]["bits"])
        registers.append(([inside + plain(name) for name in names], [bits.get(at, 0) for at in range(width)]))
    return StuckPart(proof, miter.digest, graph, registers)


def judged(design: Netlist, seen: Seen, core: str) -> Stuck:
    """The registers of the design of a core with that name; ``seen``: those that are noticed."""
    read = design.behind(bit for port in design.outputs.values() for bit in port)[0]
    noticed = represented = unread = 0
    explained: dict[str, list[str]] = defaultdict(list)
    unexplained: list[str] = []
    for names, word, exact, stands in compared(design, seen):
        noticed += len(exact)
        if stands:
            represented += len(word) - len(exact)
            continue
        for at, bit in enumerate(word):
            if at in exact:
                continue
            if bit not in read:
                unread += 1
            elif (why := _reason(core, f"{names[0]}[{at}]")) is None:
                unexplained.append(f"{names[0]}[{at}]")
            else:
                explained[why].append(f"{names[0]}[{at}]")
    stores = [name for name, _ in memories_of(design)]
    return Stuck(sum(len(word) for _, word in design.words), noticed, represented, unread, dict(explained),
                 unexplained, len(stores), sum(map(seen.one_for_several, stores)))


def _reason(core: str, bit: str) -> str | None:
    """Why a register bit of a core may be stuck without notice, if there is a reason."""
    found = (reason for reason in _reasons() if matches(core, reason["cores"]) and matches(bit, reason["bits"]))
    return next((str(reason["why"]) for reason in found), None)


@cache
def _reasons() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(REASONS.read_text(encoding="utf-8"))["reason"]
    return found
