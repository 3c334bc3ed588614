"""Checker of certificates: its own copies of the graph, cycle after cycle, as clauses for the solver CaDiCaL.

Nothing here is ABC's. Three questions are asked of a certificate, each a list of satisfiability problems: whether the
first window satisfies the invariant, whether a window that satisfies it is followed by another, and whether outputs
stay 0.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runewire_jobs.errors import missing

from .aiger import Graph
from .certificate import Certificate, Signal


@dataclass(frozen=True)
class Answer:
    """What the solver says: ``verdict`` is "confirmed" or "refuted". ``where``: the first problem that failed, "" if
    none did."""

    verdict: str
    where: str = ""


CONFIRMED = Answer("confirmed")


def checker_name() -> str:
    """Name and version of the checker. Raises MissingToolError."""
    _solver()
    return f"CaDiCaL 1.9.5 (python-sat {importlib.metadata.version('python-sat')})"


def _solver() -> Any:
    """The solver's class."""
    try:
        from pysat.solvers import Cadical195
    except ImportError:
        raise missing("a check of proofs needs the solver CaDiCaL from PyPI", "prove") from None
    return Cadical195


class Unrolled:
    """Successive cycles of a graph, in a solver. Signals of the solver are literals too: 0 and 1 are the constants.

    Signals that a caller joins are one signal from then on, also for gates that are built later.
    """

    def __init__(self, graph: Graph, *, initial: bool) -> None:
        """``initial``: registers of cycle 0 are 0; else they are free."""
        self._graph = graph
        self._solver = _solver()()
        self._from_first = initial
        self._values: dict[tuple[int, int], int] = {}
        self._gates: dict[tuple[int, int], int] = {}
        self._aliases: dict[int, int] = {}
        self._written: set[int] = {0}
        self._defined: dict[int, tuple[int, int]] = {}
        self._created = 0
        self._solver.add_clause([-1])

    def close(self) -> None:
        """Free the solver."""
        self._solver.delete()

    def __call__(self, signal: Signal) -> int:
        """The solver's signal of a literal in a cycle."""
        cycle, literal = signal
        return self._found(self._value(cycle, literal >> 1) ^ literal & 1)

    def _found(self, literal: int) -> int:
        while literal >> 1 in self._aliases:
            literal = self._aliases[literal >> 1] ^ literal & 1
        return literal

    def _value(self, cycle: int, variable: int) -> int:
        """The signal of a variable, after those that it depends on: a stack, as chains of gates are long."""
        values, graph = self._values, self._graph
        stack = [(cycle, variable)]
        while stack:
            key = stack[-1]
            if key in values:
                stack.pop()
                continue
            when, which = key
            if which >= graph.first_gate:
                high, low = graph.gates[which - graph.first_gate]
                needed = [(when, high >> 1), (when, low >> 1)]
            elif which >= graph.first_register and when:
                after = graph.following[which - graph.first_register]
                needed = [(when - 1, after >> 1)]
            else:
                needed = []
            open_ones = [each for each in needed if each not in values]
            if open_ones:
                stack += open_ones
                continue
            if which >= graph.first_gate:
                values[key] = self._and(values[needed[0]] ^ high & 1, values[needed[1]] ^ low & 1)
            elif needed:
                values[key] = values[needed[0]] ^ after & 1
            elif which == 0 or (which >= graph.first_register and self._from_first):
                values[key] = 0
            else:
                values[key] = self._free()
            stack.pop()
        return values[cycle, variable]

    def _free(self) -> int:
        self._created += 1
        return 2 * self._created

    def _and(self, one: int, other: int) -> int:
        one, other = sorted((self._found(one), self._found(other)))
        if one == 0 or one == other ^ 1:
            return 0
        if one in (1, other):
            return other
        if (one, other) not in self._gates:
            made = self._gates[one, other] = self._free()
            self._defined[made >> 1] = one, other
        return self._gates[one, other]

    def _clause(self, literals: Sequence[int]) -> None:
        self._solver.add_clause([self._number(literal) for literal in literals])

    def _number(self, literal: int) -> int:
        """The solver's number of a signal whose gates are written into it first. Variable 1 is the constant."""
        stack = [literal >> 1]
        while stack:
            variable = stack.pop()
            if variable in self._written:
                continue
            self._written.add(variable)
            if variable in self._defined:
                one, other = self._defined[variable]
                stack += one >> 1, other >> 1
                one, other = _numbered(one), _numbered(other)
                made = variable + 1
                self._solver.append_formula([[-made, one], [-made, other], [made, -one, -other]])
        return _numbered(literal)

    def assume_equal(self, one: Signal, other: Signal) -> None:
        """From now on two signals are the same one."""
        first, second = self(one), self(other)
        if first == second:
            return
        self._clause([first, second ^ 1])
        self._clause([first ^ 1, second])
        self._alias(first, second)

    def _alias(self, first: int, second: int) -> None:
        low, high = sorted((first, second))
        if low >> 1 != high >> 1:
            self._aliases[high >> 1] = low ^ high & 1

    def assume(self, clause: Sequence[Signal]) -> None:
        """From now on one of the signals is 1."""
        self._clause([self(signal) for signal in clause])

    def equal(self, one: Signal, other: Signal) -> str:
        """Whether two signals are always the same; if so they are one from now on."""
        first, second = self(one), self(other)
        if first == second:
            return "confirmed"
        for pair in ((first, second ^ 1), (first ^ 1, second)):
            verdict = self._never(pair)
            if verdict != "confirmed":
                return verdict
        self._clause([first, second ^ 1])
        self._clause([first ^ 1, second])
        self._alias(first, second)
        return "confirmed"

    def holds(self, clause: Sequence[Signal]) -> str:
        """Whether one of the signals is always 1."""
        return self._never([self(signal) ^ 1 for signal in clause])

    def _never(self, literals: Sequence[int]) -> str:
        numbers = [self._number(literal) for literal in literals]
        return "refuted" if self._solver.solve(assumptions=numbers) else "confirmed"


def _numbered(literal: int) -> int:
    number = (literal >> 1) + 1
    return -number if literal & 1 else number


def check(graph: Graph, certificate: Certificate) -> Answer:
    """The answer to the certificate's three questions."""
    last = certificate.cycles - 1
    first = Unrolled(graph, initial=True)
    try:
        early = [[(cycle, output ^ 1)] for cycle in range(last) for output in graph.outputs]
        for verdict, where in _problems(first, graph, certificate, 0):
            if verdict != "confirmed":
                return Answer(verdict, f"the first cycles: {where}")
        for clause in early:
            verdict = first.holds(clause)
            if verdict != "confirmed":
                return Answer(verdict, f"the first cycles: output {graph.outputs.index(clause[0][1] ^ 1)}")
    finally:
        first.close()
    step = Unrolled(graph, initial=False)
    try:
        for one, other in _ordered(certificate, 0):
            step.assume_equal(one, other)
        for clause in _clauses(graph, certificate, 0):
            step.assume(clause)
        for verdict, where in _problems(step, graph, certificate, 1):
            if verdict != "confirmed":
                return Answer(verdict, f"the step: {where}")
    finally:
        step.close()
    return CONFIRMED


def _clauses(graph: Graph, certificate: Certificate, later: int) -> list[list[Signal]]:
    """The invariant's clauses, that no output is 1 among them, of a window some cycles ``later``."""
    last = certificate.cycles - 1 + later
    return [*([(cycle + later, literal) for cycle, literal in clause] for clause in certificate.clauses),
            *([(last, output ^ 1)] for output in graph.outputs)]


def _ordered(certificate: Certificate, later: int) -> list[tuple[Signal, Signal]]:
    """The invariant's pairs, of a window some cycles ``later``, in an order in which gates depend on former ones."""
    def place(pair: tuple[Signal, Signal]) -> tuple[int, int]:
        return max((cycle, literal >> 1) for cycle, literal in pair)

    return [((one[0] + later, one[1]), (other[0] + later, other[1]))
            for one, other in sorted(certificate.equal, key=place)]


def _problems(unrolled: Unrolled, graph: Graph, certificate: Certificate, later: int) -> Iterator[tuple[str, str]]:
    """Each problem's verdict, and what it is about."""
    for one, other in _ordered(certificate, later):
        yield unrolled.equal(one, other), f"{one} = {other}"
    clauses = _clauses(graph, certificate, later)
    for number, clause in enumerate(clauses):
        yield unrolled.holds(clause), f"clause {number} of {len(clauses)}"


def never(graph: Graph, cycles: int) -> Answer:
    """Whether no output is 1 in any of the first ``cycles``: the question itself, without a certificate."""
    unrolled = Unrolled(graph, initial=True)
    try:
        for cycle in range(cycles):
            for number, output in enumerate(graph.outputs):
                verdict = unrolled.holds([(cycle, output ^ 1)])
                if verdict != "confirmed":
                    return Answer(verdict, f"output {number} in cycle {cycle}")
    finally:
        unrolled.close()
    return CONFIRMED


def main(graph: Path, question: Path) -> None:
    """Print the answer to a question about the graph: a certificate, or a number of cycles, each as JSON."""
    asked = json.loads(question.read_text())
    read = Graph.read(graph)
    if isinstance(asked, int):
        answer = never(read, asked)
    else:
        equal = [((one[0], one[1]), (other[0], other[1])) for one, other in asked["equal"]]
        clauses = [[(cycle, literal) for cycle, literal in clause] for clause in asked["clauses"]]
        answer = check(read, Certificate(asked["cycles"], equal, clauses))
    print(json.dumps([answer.verdict, answer.where]))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
