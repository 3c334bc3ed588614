"""Cores of every two encodings: the generated Verilog against the golden model, under stalls."""

from itertools import product
from typing import Any

import pytest
from runewire_model import ENCODINGS, TranscoderParameters
from runewire_sim import Stalls, compare, generated, simulate
from runewire_sim.stimuli import random_packets, troublemakers

LANES = (1, 2, 4, 8)
QUICK = {("utf-8", "utf-16le", 2), ("utf-16le", "utf-8", 1), ("utf-16be", "latin-1", 2)}
SLOW = {
    ("utf-8", "ascii", 1), ("ascii", "utf-8", 1), ("utf-32le", "utf-16be", 1), ("utf-16le", None, 2),
    ("ascii", None, 1),
    ("utf-8", "utf-16be", 8), ("latin-1", "utf-8", 4), ("utf-8", "utf-8", 4),
}
"""Source, target and lanes of those that are quick, and that are slow: each encoding on either side. The others, all
pairs at all of these lanes, take an hour."""
ALL = [*product(ENCODINGS, [*ENCODINGS, None], LANES)]


def marks(each: tuple[str, str | None, int]) -> list[pytest.MarkDecorator]:
    return [] if each in QUICK else [pytest.mark.slow] if each in SLOW else [pytest.mark.slow, pytest.mark.records]


@pytest.mark.parametrize("parameters", [
    pytest.param(TranscoderParameters(*each), marks=marks(each)) for each in ALL
], ids=str)
def test_random_packets(parameters: TranscoderParameters) -> None:
    packets = [*troublemakers(parameters.reads).values(), *parameters.reads.wrong,
               *random_packets(parameters, 2000, seed=1)]
    with simulate(generated(parameters), packets, Stalls(0.2, 0.25, 3)) as run:
        report = compare(parameters, packets, run)
    assert report.agree, (report.first_difference, report.protocol_errors)
    assert report.packets == len(packets)


@pytest.mark.slow
@pytest.mark.parametrize("options", [
    {"source": "utf-8", "target": "latin-1", "errors": "drop", "bom": "strip", "packing": "sparse"},
    {"source": "utf-16le", "target": "utf-32be", "errors": "drop", "bom": "strip", "packing": "sparse"},
    {"source": "utf-16be", "target": "utf-16le", "errors": "drop", "bom": "strip", "pipeline": "compact"},
    {"source": "ascii", "target": "utf-8", "errors": "drop", "packing": "sparse", "pipeline": "balanced"},
    {"source": "latin-1", "target": "ascii", "errors": "drop"},
    {"source": "utf-8", "target": "ascii", "replacement": 0x1A},
], ids=lambda options: "-".join(map(str, options.values())))
def test_options(options: dict[str, Any]) -> None:
    parameters = TranscoderParameters(lanes=2, **options)
    packets = list(random_packets(parameters, 2000, seed=2))
    with simulate(generated(parameters), packets, Stalls(0.2, 0.25, 4)) as run:
        report = compare(parameters, packets, run)
    assert report.agree, (report.first_difference, report.protocol_errors)
