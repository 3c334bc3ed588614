"""Stall patterns."""

from itertools import islice

import pytest
from runewire_sim import Stalls

EXPECTED = [1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0]


@pytest.mark.parametrize("probability", [0.0, 0.1, 0.5, 0.95])
def test_pauses_come_as_often_as_asked(probability: float) -> None:
    stalls = Stalls(probability, probability, 9)
    for pauses in (stalls.source_pauses, stalls.sink_pauses):
        share = sum(islice(pauses, 20_000)) / 20_000
        assert share == pytest.approx(probability, abs=0.015)


def test_sides_and_seeds_differ() -> None:
    patterns = {
        tuple(islice(pauses, 64))
        for seed in range(20)
        for pauses in (Stalls(0.5, 0.5, seed).source_pauses, Stalls(0.5, 0.5, seed).sink_pauses)
    }
    assert len(patterns) == 40


def test_a_pattern_is_the_same_on_every_machine() -> None:
    assert [int(pause) for pause in islice(Stalls(0.5, 0.5, 1).source_pauses, 24)] == EXPECTED


@pytest.mark.parametrize("probability", [-0.1, 0.991, 1.0, float("nan")])
def test_another_probability_is_refused(probability: float) -> None:
    with pytest.raises(ValueError, match=r"must be from 0 to 0.99, got "):
        Stalls(source=probability)
    with pytest.raises(ValueError, match=r"must be from 0 to 0.99, got "):
        Stalls(sink=probability)


def test_negative_seeds_serve() -> None:
    assert any(islice(Stalls(0.5, 0, -3).source_pauses, 50))
