"""Checks of proofs by another program: certificates that hold, and broken ones, which are refuted."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from runewire_jobs.errors import ToolError
from runewire_model import TranscoderParameters, ValidatorParameters
from runewire_proofs import Engine, Proof, check_part
from runewire_proofs.checking import check as checks
from runewire_proofs.checking.aiger import Graph
from runewire_proofs.checking.certificate import Certificate
from runewire_proofs.checking.checker import Answer, check, never
from runewire_proofs.checking.finder import certificate

pytest.importorskip("pysat")

COMPACT = ValidatorParameters(1, "compact")


def twins(output: int) -> Graph:
    """Two registers, 4 and 6, that toggle where the input 2 is 1. Signals 20 and 22: only one of the two is 1."""
    gates = [(2, 5), (3, 4), (9, 11), (2, 7), (3, 6), (15, 17), (4, 7), (5, 6), (21, 23)]
    return Graph(1, [13, 19], [output], gates)


DIFFERENT = 25
"""That the twins' registers differ."""
PAIR = Certificate(1, [((0, 4), (0, 6))], [])


def test_a_graph_is_read_as_it_was_written(tmp_path: Path) -> None:
    graph = Graph(1, [7, 4], [6], [(5, 3)])
    graph.write(tmp_path / "graph.aig")
    assert Graph.read(tmp_path / "graph.aig") == replace(graph, gates=[(5, 3)])


@pytest.mark.parametrize("text", [b"aag 1 1 0 0 0\n2\n", b"aig 2 1 0 0 0\n", b"aig 1 0 1 0 0\n0 1\n"])
def test_another_format_is_refused(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "graph.aig").write_bytes(text)
    with pytest.raises(ValueError, match=r"graph\.aig"):
        Graph.read(tmp_path / "graph.aig")


def test_an_invariant_is_confirmed() -> None:
    assert check(twins(DIFFERENT), PAIR) == Answer("confirmed")
    clauses = [[(0, 4), (0, 7)], [(0, 5), (0, 6)]]
    assert check(twins(DIFFERENT), Certificate(1, [], clauses)) == Answer("confirmed")


def test_an_invariant_without_one_clause_is_refuted() -> None:
    graph = twins(22)
    half = Certificate(1, [], [[(0, 4), (0, 7)]])
    assert check(graph, half).verdict == "refuted"
    assert check(graph, half).where.startswith("the step")


def test_an_invariant_that_the_first_state_violates_is_refuted() -> None:
    inverted = Certificate(1, [((0, 4), (0, 7))], [])
    found = check(twins(0), inverted)
    assert (found.verdict, found.where) == ("refuted", "the first cycles: (0, 4) = (0, 7)")


def test_an_invariant_that_does_not_imply_the_property_is_refuted() -> None:
    assert check(twins(4), PAIR).verdict == "refuted"


def test_outputs_of_the_cycles_before_the_first_window_ends_are_checked() -> None:
    """The output is 1 in the first cycle alone."""
    graph = Graph(0, [1], [3], [])
    assert check(graph, Certificate(2, [((1, 2), (0, 1))], [])).where == "the first cycles: output 0"
    assert never(graph, 1) == Answer("refuted", "output 0 in cycle 0")


def test_few_cycles_are_checked_as_they_are() -> None:
    """The output is 1 from the third cycle on."""
    graph = Graph(0, [1, 2], [4], [])
    assert never(graph, 2) == Answer("confirmed")
    assert never(graph, 3) == Answer("refuted", "output 0 in cycle 2")


@pytest.mark.needs("berkeley-abc")
def test_a_window_is_as_long_as_the_pipeline(tmp_path: Path, engine: Engine) -> None:
    """Register 4 counts the input's ones after a step, register 8 before it: 10 is 8 a step later."""
    gates = [(4, 7), (5, 6), (13, 15), (2, 9), (3, 8), (19, 21), (6, 11), (7, 10), (25, 27)]
    graph = Graph(1, [2, 17, 23, 8], [29], gates)
    found = certificate(graph, tmp_path, partial(engine.said, tmp_path), retimed=True, merge="scorr", seconds=20)
    assert isinstance(found, Certificate)
    assert found.cycles == 2
    assert check(graph, found) == Answer("confirmed")
    assert check(replace(graph, following=[2, 17, 22, 8]), found).verdict == "refuted"


@pytest.mark.needs("berkeley-abc")
def test_a_property_that_fails_has_no_certificate(tmp_path: Path, engine: Engine) -> None:
    found = certificate(twins(4), tmp_path, partial(engine.said, tmp_path), retimed=False, merge="scorr", seconds=20)
    assert found == "pdr alone says refuted"


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize(("parameters", "part", "how"), [
    (COMPACT, "skid", "an invariant of"), (COMPACT, "waiting", "clauses"), (COMPACT, "wrapper", "the gates"),
    (COMPACT, "reset", "each of 50 cycles"), (ValidatorParameters(1), "packing", "over 11 cycles"),
], ids=repr)
def test_a_part_is_checked(parameters: TranscoderParameters, part: str, how: str, engine: Engine) -> None:
    found = check_part(parameters, part, engine.version, 300)
    assert (found.verdict, how in found.how) == ("confirmed", True)
    assert found.program.startswith("CaDiCaL")


@pytest.fixture
def waiting(part_of: Callable[[TranscoderParameters, str], Proof]) -> Proof:
    """A part whose invariant has pairs and clauses."""
    return part_of(COMPACT, "waiting")


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
def test_what_is_broken_is_refuted(waiting: Proof, tmp_path: Path, engine: Engine) -> None:
    sound = waiting.miter(None)
    path = engine.graph(sound, engine.comparison(sound), tmp_path)
    graph = Graph.read(path)
    found = certificate(graph, tmp_path, partial(engine.said, tmp_path), retimed=False, merge=checks.MERGE, seconds=60)
    assert isinstance(found, Certificate)
    assert check(graph, found).verdict == "confirmed"
    # A clause that is changed: one of its signals is inverted.
    (cycle, literal), *rest = found.clauses[0]
    changed = replace(found, clauses=[[(cycle, literal ^ 1), *rest], *found.clauses[1:]])
    assert check(graph, changed).verdict == "refuted"
    # Not every clause is needed: the outputs' own clauses say some of it.
    without = [replace(found, clauses=[*found.clauses[:at], *found.clauses[at + 1:]])
               for at in range(len(found.clauses))]
    assert "refuted" in {check(graph, each).verdict for each in without}
    assert check(graph, replace(found, clauses=[])).verdict == "refuted"
    one, (cycle, literal) = found.equal[0]
    assert check(graph, replace(found, equal=[(one, (cycle, literal ^ 1)), *found.equal[1:]])).verdict == "refuted"
    # A fault in the design: the next value of a register of the invariant is inverted.
    for register in {literal >> 1 for clause in found.clauses[:5] for _, literal in clause}:
        following = [*graph.following]
        following[register - graph.first_register] ^= 1
        assert check(replace(graph, following=following), found).verdict == "refuted"


@pytest.mark.slow
def test_a_checker_without_time_has_no_answer(tmp_path: Path) -> None:
    twins(DIFFERENT).write(tmp_path / "graph.aig")
    assert checks.asked(tmp_path / "graph.aig", 3, 0.001)[0] is None


@pytest.mark.slow
def test_the_checker_is_a_program_of_its_own(tmp_path: Path) -> None:
    twins(DIFFERENT).write(tmp_path / "graph.aig")
    assert checks.asked(tmp_path / "graph.aig", 3, 60)[0] == Answer("confirmed")
    question = {"cycles": 1, "equal": [[[0, 4], [0, 6]]], "clauses": []}
    assert checks.asked(tmp_path / "graph.aig", question, 60)[0] == Answer("confirmed")
    with pytest.raises(ToolError, match="the checker failed: IndexError"):
        checks.asked(tmp_path / "graph.aig", {"cycles": 1, "equal": [[[0, 4], [0, 600]]], "clauses": []}, 60)
