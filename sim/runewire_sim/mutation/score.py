"""How many mutants of a core the trials find, and what the others are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

from runewire_model import TranscoderParameters, __version__
from runewire_proofs import Engine

from ..design import generated
from ..errors import SimulationError
from .battery import battery, kill
from .equivalence import comparison
from .netlist import Mutation, mutated

__all__ = ["Fate", "Record", "fates", "fingerprint"]

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
class Record:
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
    def begin(cls, parameters: TranscoderParameters, seed: int) -> Record:
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
    def of(cls, text: str) -> Record:
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
    for trial in trials:
        if (flaw := kill(core.design, trial, 0)) is not None:
            raise SimulationError(f"the core fails the trial {trial.name!r} without a mutation: {flaw}")
    survivors = []
    for number, mutation in enumerate(core.mutations, 1):
        for trial in trials:
            if (how := kill(core.design, trial, number)) is not None:
                yield Fate(number, mutation, how, trial.name)
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
