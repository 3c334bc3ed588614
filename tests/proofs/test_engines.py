"""How an engine's answers are read, and what it is given."""

import importlib.util
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from runewire_jobs.errors import MissingToolError, ToolError
from runewire_model import TranscoderParameters, ValidatorParameters
from runewire_proofs import Engine, Proof


@pytest.mark.needs("berkeley-abc")
def test_what_is_not_proven_is_looked_at_cycle_by_cycle(
    tmp_path: Path, engine: Engine, part_of: Callable[[TranscoderParameters, str], Proof],
) -> None:
    proof = part_of(ValidatorParameters(lanes=1), "packing")
    sound = proof.miter(None)
    undecided = engine.prove(engine.graph(sound, engine.comparison(sound), tmp_path), "strash", [], 10)
    assert undecided.verdict == "undecided"
    assert undecided.depth is not None
    assert undecided.depth > 20
    (mutant,) = (mutant for mutant in proof.mutants if mutant.title == "every row is pushed as the first")
    broken = replace(proof.miter(sound.parameters), edits=mutant.edits)
    graph = engine.graph(broken, engine.comparison(broken), tmp_path)
    assert engine.prove(graph, "strash", [], 10).verdict == "refuted"


def engine_that(tmp_path: Path, does: str) -> Engine:
    """An engine that is this shell script."""
    abc = tmp_path / "abc"
    abc.write_text(f"#!/bin/sh\n{does}")
    abc.chmod(0o755)
    return Engine([], str(abc), "")


@pytest.mark.parametrize(("does", "verdict"), [
    ("sleep 0.5", "proven"), ("i=0; while [ $i -lt 2000000 ]; do i=$((i+1)); done", "undecided"),
])
def test_an_engine_is_given_processor_time(tmp_path: Path, does: str, verdict: str) -> None:
    engine = engine_that(tmp_path, f"{does}\necho 'Status = 1'\n")
    assert engine.decide(tmp_path / "miter.aig", "", ["prove"], 0.2).verdict == verdict


WRITES_TOO = """\
case "$2" in
    *fold*) printf 'aig 1 1 0 2 0\\n2\\n2\\n' > sm01.aig;;
    *'&w cone.aig'*) printf 'aig 1 1 0 1 0\\n2\\n' > cone.aig;;
    *) file=${2#&r }; grep -q '^aig 1 1 0 2 0' "${file%%;*}" && echo 'Status = 1'; echo > sm01.aig;;
esac
"""
"""An engine that leaves two outputs open, and decides each from the file that says so, which it then overwrites."""


def test_what_one_output_leaves_is_not_taken_for_the_next(tmp_path: Path) -> None:
    outcome = engine_that(tmp_path, WRITES_TOO).prove(tmp_path / "miter.aig", "dprove -u", ["dprove"], 10)
    assert (outcome.verdict, outcome.engine) == ("proven", "dprove -u; dprove")


SLOW = """\
case "$2" in
    *'-O 1 '*'-T 30;'*) echo 'Status = 0'; echo 'CEX: Po =   0  Frame =  30';;
esac
"""
"""An engine that finds what is wrong with the second output alone, in more than three seconds."""


def test_what_a_short_look_does_not_find_a_longer_one_does(tmp_path: Path) -> None:
    graph = tmp_path / "miter.aig"
    graph.write_text("aig 2 0 1 2 1\n")
    outcome = engine_that(tmp_path, SLOW).refute(graph, 10)
    assert (outcome.verdict, outcome.depth) == ("refuted", 30)


def test_a_missing_engine_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    with pytest.raises(MissingToolError, match="apt-get install berkeley-abc"):
        Engine.find()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingToolError, match=r"^proofs need Yosys from PyPI: pip install 'runewire\[prove\]'$"):
        Engine.find()


@pytest.mark.parametrize(("said", "reason"), [
    ("Warning: wide\nERROR: Module `\\dut' not found!\nat exit", r"ERROR: Module `\\dut' not found!"),
    ("19: 0x8a5a8b - sort_worker\nCaused by:\n    wasm trap: call stack exhausted\n\n",
     "wasm trap: call stack exhausted"),
])
def test_what_ended_yosys_is_said_in_a_line(tmp_path: Path, said: str, reason: str) -> None:
    engine = Engine((sys.executable, "-c", f"import sys; sys.exit({said!r})"), "abc", "no version")
    with pytest.raises(ToolError, match=rf"^Yosys failed on window: {reason}$"):
        engine.script(tmp_path, [], "window")
