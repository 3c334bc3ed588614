"""Runs of the engines: each part of a core is proven, and its broken copies are refuted."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from runewire_model import TranscoderParameters

from .checking.check import Check, checked
from .engines import Engine, Outcome
from .miter import Miter
from .paired import Paired, graph_of_gates
from .parts import proofs
from .proof import broken_copy
from .record import EngineRun


def run(parameters: TranscoderParameters, engine: Engine, *, seconds: float = 600, mutants: bool = True,
        parts: Sequence[str] = (), known: Mapping[str | None, Outcome] = MappingProxyType({})) -> Iterator[EngineRun]:
    """Prove every part of a core (or only those named), and refute its mutants, one record after another.

    ``seconds`` bounds each engine run. ``known``: outcomes that still hold, by the mutant's title, by None for the
    sound part; they are given back and not run again. Raises ToolError where a part cannot be built, LookupError where
    a mutant breaks nothing.
    """
    for proof in proofs(parameters):
        if parts and proof.name not in parts:
            continue
        sound = proof.miter(None)
        harness = ""
        made: dict[str, int] | None = None
        built = cache(partial(proof.miter, sound.parameters))
        for mutant in (None, *(proof.mutants if mutants else ())):
            title = None if mutant is None else mutant.title
            if title in known:
                yield EngineRun(proof.name, sound.digest, title, known[title])
                continue
            miter = sound if mutant is None else broken_copy(proof, mutant, built())
            if miter.parameters != made:
                harness = "" if isinstance(miter, Paired) else engine.comparison(miter)
                made = miter.parameters
            with _graph(engine, miter, harness) as graph:
                if mutant is not None:
                    outcome = engine.refute(graph, seconds)
                elif proof.frames:
                    outcome = engine.exhaust(graph, proof.frames, seconds)
                else:
                    outcome = engine.prove(graph, proof.reduce, proof.scripts, seconds)
            yield EngineRun(proof.name, sound.digest, title, outcome)


def run_part(parameters: TranscoderParameters, part: str, version: str, seconds: float, mutants: bool,
             known: Mapping[str | None, Outcome]) -> list[EngineRun]:
    """The records of one part, by this machine's engine. Raises ToolError, also where that is not ``version``."""
    engine = Engine.find()
    engine.must_be(version)
    return list(run(parameters, engine, seconds=seconds, mutants=mutants, parts=[part], known=known))


def check_part(parameters: TranscoderParameters, part: str, version: str, seconds: float) -> Check:
    """The check of one proven part, by this machine's engine and checker. ``seconds`` bounds each of them. Raises
    ToolError, also where the engine is not ``version``."""
    engine = Engine.find()
    engine.must_be(version)
    (proof,) = (proof for proof in proofs(parameters) if proof.name == part)
    miter = proof.miter(None)
    with _graph(engine, miter, "" if isinstance(miter, Paired) else engine.comparison(miter)) as graph:
        return checked(proof, graph, engine, seconds)


@contextmanager
def _graph(engine: Engine, miter: Miter, comparison: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="runewire-proof-") as folder:
        room = Path(folder)
        if isinstance(miter, Paired):
            yield graph_of_gates(engine, miter, room)
        else:
            yield engine.graph(miter, comparison, room)
