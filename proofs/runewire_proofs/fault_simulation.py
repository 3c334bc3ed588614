"""Parallel fault simulation: random inputs for a graph and all of its faults at once.

Each signal is one integer of equal fields: the first belongs to the sound graph, each other one to a fault. Bit *k* of
every field belongs to trial *k*, and all fields of a trial have the same inputs.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from random import Random

from .checking.aiger import Graph

StuckVariable = tuple[int, int]
"""A variable of a graph, and the value at which it is held in each cycle."""

RARE = (1, 4, 11)
"""An input of a trial is 1 in a cycle with a probability of 1/2, 1/16 or 1/2048, or it is 0 with that probability.

A quarter of the trials are calm: all inputs have the last probability, and a quarter of them are the ones that are
rarely 0. Otherwise no trial has many well-formed scalars of UTF-32 in a row, of which most bits are 0."""


def simulated(graph: Graph, faults: Collection[StuckVariable], trials: int, cycles: int, source: Random,
              ) -> tuple[set[StuckVariable], set[StuckVariable]]:
    """The faults that are seen in one of ``trials`` random trials, and those that could be.

    Seen: an output is set. Could be: in the sound graph, the fault's variable has another value in some trial.
    Raises ValueError if the sound graph sets an output too.
    """
    field = (1 << trials) - 1
    fields = sum(1 << trials * at for at in range(len(faults) + 1))
    ones = fields * field
    zeros, held = _held(faults, trials)
    calm = source.getrandbits(trials) & source.getrandbits(trials)
    rates = [_rates(source, trials, calm) for _ in range(graph.inputs)]
    gates = [(gate, high >> 1, high & 1, low >> 1, low & 1)
             for gate, (high, low) in enumerate(graph.gates, graph.first_gate)]
    values = [0] * graph.variables
    state = [0] * len(graph.following)
    stuck_before = [variable for variable in held if variable < graph.first_gate]
    wrong = 0
    seen = dict.fromkeys(held, 0)
    unseen = dict.fromkeys(held, field)

    def literal(signal: int) -> int:
        return values[signal >> 1] ^ ones if signal & 1 else values[signal >> 1]

    for _ in range(cycles):
        values[1:graph.first_gate] = [*(fields * _input(source, trials, rate) for rate in rates), *state]
        for variable in stuck_before:
            values[variable] = values[variable] & ~zeros[variable] | held[variable]
        for gate, high, inverted_high, low, inverted_low in gates:
            value = (values[high] ^ ones if inverted_high else values[high]) & (
                values[low] ^ ones if inverted_low else values[low])
            values[gate] = value & ~zeros[gate] | held[gate] if gate in held else value
        for output in graph.outputs:
            wrong |= literal(output)
        for variable in held:
            seen[variable] |= values[variable] & field
            unseen[variable] &= values[variable]
        state = [literal(signal) for signal in graph.following]
    if wrong & field:
        raise ValueError("the sound graph sets an output")
    changed = {*((variable, 0) for variable, trial in seen.items() if trial),
               *((variable, 1) for variable, trial in unseen.items() if trial != field)}
    return {fault for at, fault in enumerate(faults, 1) if wrong >> trials * at & field}, changed & {*faults}


def with_stuck(graph: Graph, fault: StuckVariable) -> Graph:
    """The graph with a constant wherever it reads the variable."""
    variable, value = fault

    def changed(signal: int) -> int:
        return value ^ signal & 1 if signal >> 1 == variable else signal

    return replace(graph, following=[changed(signal) for signal in graph.following],
                   outputs=[changed(signal) for signal in graph.outputs],
                   gates=[(changed(high), changed(low)) for high, low in graph.gates])


def _held(faults: Collection[StuckVariable], trials: int) -> tuple[dict[int, int], dict[int, int]]:
    """Of each stuck variable the fields in which it is held, and its value there."""
    zeros: dict[int, int] = {}
    held: dict[int, int] = {}
    for at, (variable, value) in enumerate(faults, 1):
        mask = (1 << trials) - 1 << trials * at
        zeros[variable] = zeros.get(variable, 0) | mask
        held[variable] = held.get(variable, 0) | mask * value
    return zeros, held


def _rates(source: Random, trials: int, calm: int) -> list[int]:
    """Of an input, the trials of each of the `RARE` probabilities, and those in which it is inverted."""
    masks = [0] * len(RARE)
    for trial in range(trials):
        masks[-1 if calm >> trial & 1 else source.randrange(len(RARE))] |= 1 << trial
    return [*masks, source.getrandbits(trials) & (source.getrandbits(trials) | ~calm)]


def _input(source: Random, trials: int, rates: list[int]) -> int:
    """Values of an input in all trials, in one cycle."""
    *masks, inverted = rates
    value = 0
    for draws, mask in zip(RARE, masks, strict=True):
        for _ in range(draws):
            mask &= source.getrandbits(trials)
        value |= mask
    return value ^ inverted
