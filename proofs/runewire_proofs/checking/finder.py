"""Finder of certificates: ABC's induction and property-directed reachability, on a graph of a few cycles at once.

ABC does not say which signals `scorr` merged. So every signal of the graph that it is given is an output of it: signals
that are the same literal in the reduced graph were merged. Instead of retiming, the graph has the registers of some
cycles ago, and all inputs since.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .aiger import Graph
from .certificate import Certificate, Signal

Run = Callable[[str, float], tuple[str, float]]
"""ABC: its output of a script, empty if it needs more than the seconds, and its processor time."""


def certificate(
    graph: Graph, folder: Path, run: Run, *, retimed: bool, merge: str, seconds: float,
) -> Certificate | str:
    """A certificate that no output of the graph is ever 1, or the reason why there is none.

    ``run`` works in ``folder``. ``retimed``: windows are as long as the pipeline, else they have
    one cycle. ``merge``: ABC's command that merges signals.
    """
    window = _Window(graph, retimed=retimed)
    window.graph.write(folder / "window.aig")
    said, spent = run(f"read window.aig; strash; {merge}; write_aiger merged.aig; print_stats", seconds)
    if "lat =" not in said:
        return f"{merge} was not done in {seconds:g} s"
    merged = Graph.read(folder / "merged.aig")
    places: dict[int, int] = {}
    # Merged signals are each paired with the first of them.
    equal: list[tuple[Signal, Signal]] = []
    for literal, found in zip(window.watched, merged.outputs, strict=True):
        if found >> 1 == 0:
            equal.append((window.names[literal >> 1], (0, found)))
            continue
        first = places.setdefault(found >> 1, literal ^ found & 1)
        if first >> 1 != literal >> 1:
            one, inverted = window.names[literal >> 1], first & 1 ^ found & 1
            equal.append((one, _turned(window.names[first >> 1], inverted)))
    clauses: list[list[Signal]] = []
    left = [merged.outputs[window.watched.index(output & ~1)] ^ output & 1
            for output in window.outputs if output >> 1]
    for output in dict.fromkeys(each for each in left if each != 0):
        cone, registers = _cone(merged, output)
        cone.write(folder / "cone.aig")
        said, more = run("read cone.aig; strash; pdr -d -I invariant.pla; print_status", seconds - spent)
        spent += more
        if "Status = 1" not in said:
            status = "refuted" if "Status = 0" in said else "undecided"
            return f"pdr alone says {status}"
        for pairs in _cubes((folder / "invariant.pla").read_text(), len(registers)):
            clause = []
            for place, value in pairs:
                literal = places[registers[place]]
                clause.append(_turned(window.names[literal >> 1], literal & 1 ^ value))
            clauses.append(clause)
    # Outputs that share registers have some clauses in common.
    return Certificate(window.last + 1, equal, [*dict.fromkeys(map(tuple, clauses))])


def _turned(signal: Signal, inverted: int) -> Signal:
    return signal[0], signal[1] ^ inverted


def _starts(graph: Graph, retimed: bool) -> tuple[dict[int, int], int]:
    """For each register that a window starts with, by variable, the cycle in which; and the window's last cycle.

    Retimed, these are the registers with feedback, each in the cycle in which the window's first inputs reach it. All
    others follow from the inputs.
    """
    if not retimed:
        return dict.fromkeys(range(graph.first_register, graph.first_gate), 0), 0
    supports, ends = _supports(graph)
    component = _components(supports)
    members: dict[int, list[int]] = {}
    for register, number in enumerate(component):
        members.setdefault(number, []).append(register)
    straight = {number for number, those in members.items() if len(those) == 1 and those[0] not in supports[those[0]]}
    # A component's registers are available from some cycle on; those that it depends on have lower numbers.
    available: dict[int, int] = {}
    for number in sorted(members):
        before = {component[other] for register in members[number] for other in supports[register]} - {number}
        available[number] = max((available[each] for each in before), default=0) + (number in straight)
    last = max((available[component[register]] for register in ends), default=0)
    return {graph.first_register + register: available[number] for number in members if number not in straight
            for register in members[number]}, last


def _supports(graph: Graph) -> tuple[list[set[int]], set[int]]:
    """For each register those that its next value depends on; and those that outputs depend on."""
    first, gates = graph.first_register, graph.first_gate
    masks = [0] * graph.variables
    for register in range(len(graph.following)):
        masks[first + register] = 1 << register
    for gate, (one, other) in enumerate(graph.gates, gates):
        masks[gate] = masks[one >> 1] | masks[other >> 1]
    def registers(mask: int) -> set[int]:
        found = set()
        while mask:
            low = mask & -mask
            found.add(low.bit_length() - 1)
            mask ^= low
        return found

    ends = set().union(*(registers(masks[output >> 1]) for output in graph.outputs))
    return [registers(masks[after >> 1]) for after in graph.following], ends


def _components(support: Sequence[set[int]]) -> list[int]:
    """Number of each register's strongly connected component; those that it depends on have lower ones."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    component = [-1] * len(support)
    open_ones: list[int] = []
    number = 0
    for root in range(len(support)):
        if root in order:
            continue
        work = [(root, iter(support[root]))]
        order[root] = low[root] = len(order)
        open_ones.append(root)
        while work:
            node, others = work[-1]
            for other in others:
                if other not in order:
                    order[other] = low[other] = len(order)
                    open_ones.append(other)
                    work.append((other, iter(support[other])))
                    break
                if component[other] < 0:
                    low[node] = min(low[node], order[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    while component[node] < 0:
                        component[open_ones.pop()] = number
                    number += 1
    return component


class _Window:
    """A graph of some cycles at once, as gates: registers of some cycle each, and the inputs of all cycles, through
    chains of registers. ``names``: of each of its variables, the signal of the original that it is."""

    def __init__(self, original: Graph, *, retimed: bool) -> None:
        starts, self.last = _starts(original, retimed)
        self._original = original
        needed = _needed(original, starts, self.last)
        first = _first_values(original, self.last + 1)
        inputs = sorted({variable for _, variable in needed if variable < original.first_register})
        self.names: list[Signal] = [(0, 0), *((self.last, 2 * variable) for variable in inputs)]
        self._values: dict[Signal, int] = {
            (self.last, variable): 2 * place for place, variable in enumerate(inputs, 1)}
        delays: list[int] = []
        for variable in inputs:
            for cycle in reversed(range(min(cycle for cycle, other in needed if other == variable), self.last)):
                self._values[cycle, variable] = 2 * len(self.names)
                delays.append(self._values[cycle + 1, variable])
                self.names.append((cycle, 2 * variable))
        registers = sorted(variable for cycle, variable in needed if starts.get(variable) == cycle)
        for variable in registers:
            cycle = starts[variable]
            # Registers of the window start at 0.
            inverted = first[cycle][variable]
            self._values[cycle, variable] = 2 * len(self.names) ^ inverted
            self.names.append((cycle, 2 * variable ^ inverted))
        self._gates: list[tuple[int, int]] = []
        self._hashed: dict[tuple[int, int], int] = {}
        for cycle, variable in sorted(needed):
            self._build(cycle, variable)
        following = [*delays]
        for variable in registers:
            after = original.following[variable - original.first_register]
            following.append(self._literal(starts[variable], after) ^ first[starts[variable]][variable])
        self.outputs = [self._literal(self.last, output) for output in original.outputs]
        self.watched = [2 * variable for variable in range(1, len(self.names))]
        self.graph = Graph(len(inputs), following, self.watched, self._gates)

    def _literal(self, cycle: int, literal: int) -> int:
        return self._values[cycle, literal >> 1] ^ literal & 1 if literal > 1 else literal

    def _build(self, cycle: int, variable: int) -> None:
        original, values = self._original, self._values
        if (cycle, variable) in values:
            return
        if variable < original.first_gate:
            after = original.following[variable - original.first_register]
            values[cycle, variable] = self._literal(cycle - 1, after)
            return
        one, other = original.gates[variable - original.first_gate]
        one, other = sorted((self._literal(cycle, one), self._literal(cycle, other)))
        if one == 0 or one == other ^ 1:
            found = 0
        elif one in (1, other):
            found = other
        elif (one, other) in self._hashed:
            found = self._hashed[one, other]
        else:
            found = self._hashed[one, other] = 2 * len(self.names)
            self._gates.append((one, other))
            self.names.append((cycle, 2 * variable))
        values[cycle, variable] = found


def _needed(graph: Graph, starts: Mapping[int, int], last: int) -> set[Signal]:
    """What decides the outputs in cycle ``last``, by cycle and variable; and the next values of what it starts with."""
    found: set[Signal] = set()
    work = [(last, output >> 1) for output in graph.outputs]
    while work:
        cycle, variable = work.pop()
        if not variable or (cycle, variable) in found:
            continue
        found.add((cycle, variable))
        if variable >= graph.first_gate:
            work += [(cycle, literal >> 1) for literal in graph.gates[variable - graph.first_gate]]
        elif variable >= graph.first_register:
            before = cycle if starts.get(variable) == cycle else cycle - 1
            work.append((before, graph.following[variable - graph.first_register] >> 1))
    return found


def _first_values(graph: Graph, cycles: int) -> list[list[int]]:
    """The values of all variables in the first ``cycles``, with inputs that are 0."""
    found: list[list[int]] = []
    registers = [0] * len(graph.following)
    for _ in range(cycles):
        values = [0] * graph.first_register + registers
        for one, other in graph.gates:
            values.append((values[one >> 1] ^ one & 1) & (values[other >> 1] ^ other & 1))
        registers = [values[after >> 1] ^ after & 1 for after in graph.following]
        found.append(values)
    return found


def _cone(graph: Graph, output: int) -> tuple[Graph, list[int]]:
    """The graph of one output, and the variables of its registers in ``graph``."""
    needed = graph.behind([output])
    inputs = [variable for variable in range(1, graph.first_register) if variable in needed]
    registers = [variable for variable in range(graph.first_register, graph.first_gate) if variable in needed]
    gates = [variable for variable in range(graph.first_gate, graph.variables) if variable in needed]
    number = {old: new for new, old in enumerate([0, *inputs, *registers, *gates])}

    def new(literal: int) -> int:
        return 2 * number[literal >> 1] + (literal & 1)

    pairs = [graph.gates[gate - graph.first_gate] for gate in gates]
    return Graph(len(inputs), [new(graph.following[each - graph.first_register]) for each in registers], [new(output)],
                 [(new(one), new(other)) for one, other in pairs]), registers


def _cubes(text: str, registers: int) -> list[list[tuple[int, int]]]:
    """States without the invariant in ABC's file: pairs of a register's place and its value."""
    names = re.search(r"^\.ilb(.*)$", text, re.MULTILINE)
    rows = re.findall(r"^([01-]+) 1$", text, re.MULTILINE)
    places = [int(re.sub(r"\D", "", name)) for name in names[1].split()] if names else []
    return [[(place, int(value)) for place, value in zip(places, row, strict=True) if value != "-"] for row in rows]
