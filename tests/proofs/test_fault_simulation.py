"""Parallel fault simulation agrees with a graph that has the fault, one fault at a time."""

from random import Random

import pytest
from runewire_proofs.checking.aiger import Graph
from runewire_proofs.fault_simulation import simulated, with_stuck

GRAPH = Graph(
    inputs=2,
    following=[2, 2, 4, 0, 9],
    outputs=[21],
    gates=[(7, 8), (6, 9), (17, 19)])
"""Registers 3 and 4 have the first input, and the output says whether they differ; 5 has the second input, 6 nothing,
and 7 what register 4 has not."""


@pytest.mark.parametrize("fields", [1, 10])
def test_a_stuck_register_is_shown_if_the_output_depends_on_it(fields: int) -> None:
    faults = [(variable, value) for variable in (3, 4, 5, 6, 7) for value in (0, 1)]
    for some in (faults[at:at + fields] for at in range(0, len(faults), fields)):
        found, changed = simulated(GRAPH, some, 8, 50, Random(1))
        assert found == {(variable, value) for variable, value in some if variable in (3, 4)}
        assert changed == {fault for fault in some if fault != (6, 0)}
    assert GRAPH.behind(GRAPH.outputs) == {1, 3, 4, 8, 9, 10}


def test_the_graph_with_a_fault_fails_as_its_field_does() -> None:
    for variable in (3, 4):
        with pytest.raises(ValueError, match="the sound graph sets an output"):
            simulated(with_stuck(GRAPH, (variable, 1)), [], 8, 50, Random(1))
    assert simulated(with_stuck(GRAPH, (5, 1)), [], 8, 50, Random(1)) == (set(), set())


def test_a_stuck_gate_is_shown() -> None:
    faults = [(gate, value) for gate in (8, 9, 10) for value in (0, 1)]
    assert simulated(GRAPH, faults, 8, 50, Random(1))[0] == {(8, 1), (9, 1), (10, 0)}


def test_a_register_that_needs_all_inputs_at_0_for_many_cycles_is_shown() -> None:
    """As the high bits of an encoder's offset need many scalars, of which all high bits are 0."""
    inputs, length = 12, 30
    first = 1 + inputs + 2 * length
    gates = [(3, 5), *((2 * (first + at), 2 * at + 7) for at in range(inputs - 2))]
    none = 2 * (first + len(gates) - 1)
    following = []
    for chain in range(2):
        for at in range(length):
            following.append(none if at == 0 else 2 * (first + len(gates)))
            if at:
                gates.append((2 * (inputs + chain * length + at), none))
    one, other = (2 * (inputs + length), 2 * (inputs + 2 * length))
    differ = 2 * (first + len(gates))
    gates += [(one, other + 1), (one + 1, other), (differ + 1, differ + 3)]
    graph = Graph(inputs, following, [differ + 5], gates)
    stuck = (inputs + length, 0)
    assert simulated(graph, [stuck], 4000, 100, Random(1))[0] == {stuck}
