"""The mutation score of a core: mutants that the trials find, and the verdicts on the others."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from runewire_jobs.cache import built
from runewire_jobs.errors import ToolError
from runewire_jobs.fingerprint import digest, sources
from runewire_jobs.record_text import record_text
from runewire_model import TranscoderParameters, __version__
from runewire_proofs import Engine

from ..design import generated
from ..errors import SimulationError
from .equivalence import comparison
from .netlist import Mutated, Mutation, mutated
from .trials import Trial, core_trials, kill

VERDICTS = {"proven": "equivalent", "refuted": "different", "undecided": "undecided"}


@dataclass(frozen=True)
class Fate:
    """The fate of mutant number ``number``.

    ``kill``: how the trial ``trial`` found it, a key of `trials.KILLS`; "" if no trial did. For such a survivor,
    ``verdict`` compares it with the sound core: "equivalent", "different" or "undecided". ``apart``: the comparison
    replaced the memories by ports. ``cycles``: those until the first difference, or, if undecided, without one.
    """

    number: int
    mutation: Mutation
    kill: str = ""
    trial: str = ""
    verdict: str = ""
    apart: bool = False
    cycles: int | None = None


@dataclass
class MutationRecord:
    """The fates of a core's mutants.

    ``core``: its parameters. ``verilog``: its design's `fingerprint`. ``version``: the generator's version of runewire.
    ``killed``: numbers of killed mutants, by a key of `trials.KILLS`. ``survived``: the others, equivalent or not.
    ``seconds``: wall time of the run; None in old records.
    """

    core: dict[str, str | int | None]
    verilog: str
    version: str
    seed: int
    killed: dict[str, int] = field(default_factory=dict)
    survived: list[Fate] = field(default_factory=list)
    seconds: float | None = None

    @classmethod
    def begin(cls, parameters: TranscoderParameters, seed: int) -> MutationRecord:
        """A record without mutants."""
        return cls(parameters.record(), generated(parameters).fingerprint, __version__, seed)

    def add(self, fate: Fate) -> None:
        """Add a mutant."""
        if fate.kill:
            self.killed[fate.kill] = self.killed.get(fate.kill, 0) + 1
        else:
            self.survived.append(fate)

    @property
    def mutants(self) -> int:
        """Number of all mutants."""
        return sum(self.killed.values()) + len(self.survived)

    @property
    def equivalent(self) -> int:
        """Number of mutants that are equivalent to the sound core."""
        return self.mutants - sum(self.killed.values()) - len(self.unexplained)

    @property
    def unexplained(self) -> list[Fate]:
        """Survivors that are not proven equivalent."""
        return [fate for fate in self.survived if fate.verdict != "equivalent"]

    @property
    def score(self) -> float:
        """Killed mutants as a fraction of those that are not equivalent; 1 if there are none."""
        killed = sum(self.killed.values())
        return killed / (killed + len(self.unexplained)) if killed or self.unexplained else 1.0

    def json(self) -> str:
        """The record as a text that `of` reads."""
        values = asdict(self)
        if self.seconds is None:
            del values["seconds"]
        return record_text(values)

    @classmethod
    def of(cls, text: str) -> MutationRecord:
        """The record that `json` wrote."""
        values = json.loads(text)
        values["survived"] = [Fate(**{**fate, "mutation": Mutation(**fate["mutation"])})
                              for fate in values["survived"]]
        return cls(**values)


def fates(parameters: TranscoderParameters, count: int, seed: int, engine: Engine, seconds: float) -> Iterator[Fate]:
    """The fates of ``count`` mutants of a core: trials first, then an equivalence check of each survivor.

    An equivalence check takes ``seconds`` at most.

    Raises SimulationError where the sound core fails a trial, and what `mutated` and `kill` raise.
    """
    core = mutated(parameters, count, seed, engine)
    trials = list(core_trials(parameters, seed))
    _pass(core, trials)
    yield from _fates(core, trials, range(1, count + 1), engine, seconds)


@dataclass(frozen=True)
class Asked:
    """Mutants for another process to judge: ``count`` of a core, by ``seed``.

    ``engine``: version of the equivalence checker, which has ``seconds`` for each survivor. ``mutants``: the digest of
    the Verilog with all mutants.
    """

    parameters: TranscoderParameters
    count: int
    seed: int
    seconds: float
    engine: str
    mutants: str

    @classmethod
    def of(cls, parameters: TranscoderParameters, count: int, seed: int, engine: Engine, seconds: float) -> Asked:
        """The mutants as this machine makes them. Raises what `mutated` does."""
        core = mutated(parameters, count, seed, engine)
        return cls(parameters, count, seed, seconds, engine.version, digest(core.design.verilog.read_bytes()))


def judged(asked: Asked, numbers: Sequence[int]) -> list[Fate]:
    """The fates of the mutants of these numbers, as by `fates`.

    Raises ToolError where this machine makes other mutants or has another engine, and what `mutated` and `kill` raise.
    """
    core, engine = _same(asked)
    return list(_fates(core, _trials(asked.parameters, asked.seed), numbers, engine, asked.seconds))


def sound(asked: Asked) -> None:
    """Run the trials on the sound core. Raises SimulationError if it fails one, and what `judged` raises."""
    core, _ = _same(asked)
    _pass(core, _trials(asked.parameters, asked.seed))


def _same(asked: Asked) -> tuple[Mutated, Engine]:
    engine = Engine.find()
    engine.must_be(asked.engine)
    core = mutated(asked.parameters, asked.count, asked.seed, engine)
    if digest(core.design.verilog.read_bytes()) != asked.mutants:
        raise ToolError("a worker makes other mutants than this machine: it needs the same Yosys")
    return core, engine


def _trials(parameters: TranscoderParameters, seed: int) -> list[Trial]:
    """The trials, computed once on a machine for all processes that judge mutants."""
    def build(folder: Path) -> None:
        (folder / "trials").write_bytes(pickle.dumps(list(core_trials(parameters, seed))))

    key = digest(sources("runewire_model", "runewire_rtl", "runewire_sim"), repr(parameters), str(seed))
    found: list[Trial] = pickle.loads((built("trials", key, build) / "trials").read_bytes())
    return found


def _pass(core: Mutated, trials: Sequence[Trial]) -> None:
    for trial in trials:
        if (flaw := kill(core.design, trial, 0)) is not None:
            raise SimulationError(f"the core fails the trial {trial.name!r} without a mutation: {flaw}")


def _fates(
    core: Mutated, trials: Sequence[Trial], numbers: Iterable[int], engine: Engine, seconds: float,
) -> Iterator[Fate]:
    survivors = []
    for number in numbers:
        for trial in trials:
            if (how := kill(core.design, trial, number)) is not None:
                yield Fate(number, core.mutations[number - 1], how, trial.name)
                break
        else:
            survivors.append(number)
    if survivors:
        with comparison(core, engine) as side_by_side:
            for number in survivors:
                outcome, apart = side_by_side.outcome(number, seconds)
                verdict = VERDICTS[outcome.verdict]
                cycles = None if verdict == "equivalent" else outcome.depth
                yield Fate(number, core.mutations[number - 1], verdict=verdict, apart=apart, cycles=cycles)
