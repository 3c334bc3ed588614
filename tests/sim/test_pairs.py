"""Cores of every two encodings: the generated Verilog against the golden model, under stalls."""

from itertools import product

import pytest
from runewire_model import ENCODINGS, TranscoderParameters
from runewire_model.report import Sidebands
from runewire_sim import Stalls, compare, generated, simulate
from runewire_sim.stimuli import random_packets, troublemakers

LANES = (1, 2, 4, 8)
QUICK = {("utf-8", "utf-16le", 2), ("utf-16le", "utf-8", 1), ("utf-16be", "latin-1", 2)}
SLOW = {
    ("utf-8", "ascii", 1), ("ascii", "utf-8", 1), ("utf-32le", "utf-16be", 1), ("utf-16le", None, 2),
    ("ascii", None, 1), ("utf-16", None, 2), ("utf-16", "utf-8", 4), ("utf-32", "utf-16", 8),
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
    {"source": "utf-16", "target": "latin-1", "errors": "drop", "bom": "strip", "packing": "sparse"},
    {"source": "utf-32", "target": "utf-16", "errors": "drop", "bom": "add", "pipeline": "balanced"},
    {"source": "utf-8", "target": "utf-16le", "bom": "add", "packing": "sparse"},
    {"source": "ascii", "target": "utf-8", "errors": "drop", "bom": "add"},
], ids=lambda options: "-".join(options.values()))
def test_options(options: dict[str, str]) -> None:
    check(TranscoderParameters(lanes=2, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(("source", "target", "lanes"), [
    pytest.param(*each, marks=[] if each == ("utf-16", "utf-8", 1) else [pytest.mark.slow]) for each in (
        ("utf-16", "utf-8", 1), ("latin-1", "utf-8", 1), ("latin-1", "utf-16", 1), ("utf-8", "utf-8", 2),
        ("utf-8", "utf-16", 4), ("utf-16", "utf-32", 8))])
def test_marks_that_are_added(source: str, target: str, lanes: int) -> None:
    """At each width, and where the mark fills a row alone, or takes the places of several lanes."""
    side = Sidebands(count=("code-points", "utf16-units", "replacements", "bytes"), user=2, id=3, dest=1)
    check(TranscoderParameters(source, target, lanes, bom="add", sidebands=side))


def check(parameters: TranscoderParameters) -> None:
    """Random packets come out as the model has them."""
    packets = list(random_packets(parameters, 2000, seed=2))
    with simulate(generated(parameters), packets, Stalls(0.2, 0.25, 4)) as run:
        report = compare(parameters, packets, run)
    assert report.agree, (report.first_difference, report.protocol_errors)
