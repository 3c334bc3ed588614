"""How many mutants of a core the trials find, and what the others are."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from runewire_jobs.cache import built
from runewire_jobs.errors import ToolError
from runewire_jobs.fingerprint import digest, sources
from runewire_model import TranscoderParameters, __version__
from runewire_proofs import Engine

from ..design import generated
from ..errors import SimulationError
from .equivalence import comparison
from .netlist import Mutated, Mutation, mutated
from .trials import Trial, battery, kill

__all__ = ["Asked", "Fate", "MutationRecord", "fates", "fingerprint", "judged", "sound"]

VERDICTS = {"proven": "equivalent", "refuted": "different", "undecided": "undecided"}


@dataclass(frozen=True)
class Fate:
    """What became of mutant number ``number``.

    ``kill``: how a trial found it, a key of `battery.KILLS`, "" if none did. Then ``verdict`` says whether it can be
    told from the sound core at all: "equivalent" (it cannot), "different", or "undecided"; ``apart`` that this took
    the comparison with the memories apart; ``cycles`` after which it first differs, or, if undecided, in which it
    does not.
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
    """The mutants of a core and what became of them. ``core``: its parameters. ``verilog``: its `fingerprint`, and
    ``version`` that of runewire which generated it.
    ``killed``: by how they were. ``survived``: the others, equivalent or not."""

    core: dict[str, str | int | None]
    verilog: str
    version: str
    seed: int
    killed: dict[str, int] = field(default_factory=dict)
    survived: list[Fate] = field(default_factory=list)

    @classmethod
    def begin(cls, parameters: TranscoderParameters, seed: int) -> MutationRecord:
        """A record without mutants."""
        return cls(parameters.record(), fingerprint(parameters), __version__,
                   seed)

    def add(self, fate: Fate) -> None:
        """Enter a mutant."""
        if fate.kill:
            self.killed[fate.kill] = self.killed.get(fate.kill, 0) + 1
        else:
            self.survived.append(fate)

    @property
    def mutants(self) -> int:
        """All of them."""
        return sum(self.killed.values()) + len(self.survived)

    @property
    def equivalent(self) -> int:
        """Those that nothing can tell from the sound core."""
        return self.mutants - sum(self.killed.values()) - len(self.unexplained)

    @property
    def unexplained(self) -> list[Fate]:
        """Those that survived and are not shown to be equivalent."""
        return [fate for fate in self.survived if fate.verdict != "equivalent"]

    @property
    def score(self) -> float:
        """The part that was killed of those that are not equivalent; 1 if there are none."""
        killed = sum(self.killed.values())
        return killed / (killed + len(self.unexplained)) if killed or self.unexplained else 1.0

    def json(self) -> str:
        """The record as a text that `of` reads."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def of(cls, text: str) -> MutationRecord:
        """The record that `json` wrote."""
        values = json.loads(text)
        values["survived"] = [Fate(**{**fate, "mutation": Mutation(**fate["mutation"])})
                              for fate in values["survived"]]
        return cls(**values)


def fingerprint(parameters: TranscoderParameters) -> str:
    """The first 16 digits of the SHA-256 of a core's Verilog."""
    return hashlib.sha256(generated(parameters).verilog.read_bytes()).hexdigest()[:16]


def fates(parameters: TranscoderParameters, count: int, seed: int, engine: Engine, seconds: float) -> Iterator[Fate]:
    """What becomes of ``count`` mutants of a core, one after another: first of all in the trials, then of those that
    survive in a comparison with the sound core, ``seconds`` long at most.

    Raises SimulationError where the sound core fails a trial, and what `mutated` and `kill` raise.
    """
    core = mutated(parameters, count, seed, engine)
    trials = list(battery(parameters, seed))
    _pass(core, trials)
    yield from _fates(core, trials, range(1, count + 1), engine, seconds)


@dataclass(frozen=True)
class Asked:
    """Mutants that another process judges: ``count`` of a core, by ``seed``. ``engine``: the version of what compares
    those that survive, ``seconds`` long at most; ``mutants``: the digest of the Verilog with all of them."""

    parameters: TranscoderParameters
    count: int
    seed: int
    seconds: float
    engine: str
    mutants: str

    @classmethod
    def of(cls, parameters: TranscoderParameters, count: int, seed: int, engine: Engine, seconds: float) -> Asked:
        """The mutants of this machine. Raises what `mutated` does."""
        core = mutated(parameters, count, seed, engine)
        return cls(parameters, count, seed, seconds, engine.version, digest(core.design.verilog.read_bytes()))


def judged(asked: Asked, numbers: Sequence[int]) -> list[Fate]:
    """What becomes of the mutants of these numbers, as `fates` has it.

    Raises ToolError where this machine makes other mutants or has another engine, and what `mutated` and `kill` raise.
    """
    core, engine = _same(asked)
    return list(_fates(core, _trials(asked.parameters, asked.seed), numbers, engine, asked.seconds))


def sound(asked: Asked) -> None:
    """The trials of the core without a mutation: raises SimulationError where it fails one, and what `judged` does."""
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
    """The trials, worked out once on a machine for all processes that judge mutants."""
    def build(folder: Path) -> None:
        (folder / "trials").write_bytes(pickle.dumps(list(battery(parameters, seed))))

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
