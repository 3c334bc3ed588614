"""Fixtures of the proofs' tests."""

from collections.abc import Callable

import pytest
from runewire_model import TranscoderParameters
from runewire_proofs import Engine, Proof, proofs

PartOf = Callable[[TranscoderParameters, str], Proof]


@pytest.fixture
def part_of() -> PartOf:
    """The part of a core, by its name."""
    def found(parameters: TranscoderParameters, name: str) -> Proof:
        (proof,) = (proof for proof in proofs(parameters) if proof.name == name)
        return proof
    return found


@pytest.fixture
def engine() -> Engine:
    """This machine's engine, from Debian's package."""
    return Engine.find()
