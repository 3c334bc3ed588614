"""The check of a proven part: who found the invariant, who checked it, and what came of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from runewire_jobs.errors import ToolError

from ..engines import LIMITED, Engine
from ..proof import INDUCTIVE, Proof
from .aiger import Graph
from .checker import Answer, checker_name
from .finder import certificate

MERGE = "scorr -C 100000"
"""ABC's command that merges signals by induction over one cycle."""


@dataclass(frozen=True)
class Check:
    """A check of a proven part by a program that did not prove it.

    Attributes
    ----------
    verdict : "confirmed", "refuted" or "not checked"
    program : name and version of the checker
    how : what was checked; where not confirmed, the reason
    seconds : processor time of the checker, without the engine that finds the invariant
    """

    verdict: str
    program: str
    how: str
    seconds: float


def checked(proof: Proof, graph: Path, engine: Engine, seconds: float) -> Check:
    """The check of a proven part; ``graph`` is its comparison as an AIGER file of Yosys, in a folder for more files.

    A part without registers or of few cycles is asked of the checker as it is. For all others the engine finds an
    invariant. ``seconds`` bounds the processor time of each of both programs. Raises ToolError where the checker
    fails, MissingToolError where there is none.
    """
    program = checker_name()
    read = Graph.read(graph)
    cycles = proof.frames or (0 if read.following else 1)
    if cycles:
        said = f"each of {cycles} cycles" if read.following else "the gates"
        question: object = cycles
    else:
        found = certificate(read, graph.parent, partial(engine.said, graph.parent), retimed=proof.reduce != INDUCTIVE,
                            merge=MERGE, seconds=seconds)
        if isinstance(found, str):
            return Check("not checked", program, f"no invariant: {found}", 0)
        said = f"an invariant of {len(found.equal)} equal pairs and {len(found.clauses)} clauses"
        if found.cycles > 1:
            said += f" over {found.cycles} cycles"
        question = asdict(found)
    answer, spent = asked(graph, question, seconds)
    if answer is None:
        return Check("not checked", program, f"{said}: not decided in {seconds:g} s", spent)
    if answer.verdict == "refuted":
        return Check("refuted", program, f"{said}: wrong in {answer.where}", spent)
    return Check("confirmed", program, said, spent)


def asked(graph: Path, question: object, seconds: float) -> tuple[Answer | None, float]:
    """The checker's answer, None if it needs more than the ``seconds``; and its processor time. Raises ToolError where
    the checker fails."""
    file = graph.parent / "question.json"
    file.write_text(json.dumps(question))
    command = [sys.executable, "-c", LIMITED, str(seconds), sys.executable, "-m", "runewire_proofs.checking.checker"]
    before = os.times()
    done = subprocess.run([*command, str(graph), str(file)], capture_output=True, text=True, check=False)
    after = os.times()
    spent = round(after.children_user - before.children_user + after.children_system - before.children_system, 2)
    if done.returncode == -signal.SIGPROF:
        return None, spent
    if done.returncode != 0:
        raise ToolError(f"the checker failed: {done.stderr.strip().rpartition(chr(10))[2]}")
    return Answer(*json.loads(done.stdout)), spent
