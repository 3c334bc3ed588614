"""Cores of every two encodings, under stalls: the generated Verilog against the golden model and CPython's codecs.

`make records` simulates the whole matrix. `runewire soak --pairs --resume FILE` does the same, shows its progress and
continues after an interruption.
"""

from itertools import product
from typing import Any

import pytest
from runewire_model import ENCODINGS, TranscoderParameters
from runewire_model.report import Sidebands
from runewire_sim import Stalls, generated
from runewire_sim.all_pairs import DROPPING, PACKETS, pair_packets, pair_stalls, pairs, scalar_packets
from runewire_sim.cpython_oracle import reference
from runewire_sim.soak import check
from runewire_sim.stimuli import random_packets

QUICK = {("utf-8", "utf-16le", 2), ("utf-16le", "utf-8", 1), ("utf-16be", "latin-1", 2)}
SLOW = {
    ("utf-8", "ascii", 1), ("ascii", "utf-8", 1), ("utf-32le", "utf-16be", 1), ("utf-16le", None, 2),
    ("ascii", None, 1), ("utf-16", None, 2), ("utf-16", "utf-8", 4), ("utf-32", "utf-16", 8),
    ("utf-8", "utf-16be", 8), ("latin-1", "utf-8", 4), ("utf-8", "utf-8", 4),
}
"""Source, target and lanes of those that are quick, and that are slow: each encoding on either side."""


@pytest.mark.parametrize("parameters", [
    *(pytest.param(TranscoderParameters(*each)) for each in sorted(QUICK)),
    *(pytest.param(TranscoderParameters(*each), marks=pytest.mark.slow) for each in sorted(SLOW, key=str)),
], ids=str)
def test_random_packets(parameters: TranscoderParameters) -> None:
    packets = pair_packets(parameters, seed=1, count=2000, scalars=False)
    report, wrong = check(generated(parameters), packets, Stalls(0.2, 0.25, 3))
    assert wrong is None
    assert report.packets == len(packets)


@pytest.mark.slow
@pytest.mark.records
@pytest.mark.parametrize("parameters", pairs(), ids=str)
def test_every_pair_and_every_scalar(parameters: TranscoderParameters) -> None:
    packets = pair_packets(parameters, seed=1)
    assert len(packets) > PACKETS
    report, wrong = check(generated(parameters), packets, pair_stalls(parameters, seed=1))
    assert wrong is None
    assert report.packets == len(packets)


def test_the_matrix_is_every_encoding_to_every_other_in_every_width() -> None:
    wanted = {(source, target, lanes) for source, target in product(ENCODINGS, (*ENCODINGS, None))
              for lanes in (1, 2, 4, 8, 16, 32, 64, 128, 256)
              if lanes <= TranscoderParameters(source, target, 1).most_lanes}
    found = [(each.source, each.target, each.lanes) for each in pairs() if each not in DROPPING]
    assert set(found) == wanted
    assert len(found) == len(wanted)
    assert {lanes for source, target, lanes in wanted if (source, target) == ("utf-8", None)} == {
        1, 2, 4, 8, 16, 32, 64, 128, 256}


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), [("utf-8", "utf-16le"), ("utf-32be", "latin-1")])
def test_what_one_core_sends_of_the_scalars_is_what_the_opposite_one_gets(one: str, other: str) -> None:
    source, target = ENCODINGS[one], ENCODINGS[other]
    there, back = ([*scalar_packets(*pair)] for pair in ((source, target), (target, source)))
    parameters = TranscoderParameters(one, other, 1)
    assert [reference(parameters, packet)[0] for packet in there] == back
    last = min(source.greatest, target.greatest)
    assert "".join(packet.decode(source.oracle) for packet in there) == "".join(
        chr(scalar) for scalar in range(last + 1) if not 0xD800 <= scalar < 0xE000)


@pytest.mark.slow
@pytest.mark.parametrize("options", [
    {"source": "utf-8", "target": "latin-1", "errors": "drop", "bom": "strip", "packing": "sparse"},
    {"source": "utf-16le", "target": "utf-32be", "errors": "drop", "bom": "strip", "packing": "sparse"},
    {"source": "utf-16be", "target": "utf-16le", "errors": "drop", "bom": "strip", "pipeline": "compact"},
    {"source": "ascii", "target": "utf-8", "errors": "drop", "packing": "sparse", "pipeline": "balanced"},
    {"source": "latin-1", "target": "ascii", "errors": "drop"},
    {"source": "utf-8", "target": "ascii", "replacement": 0x1A},
    {"source": "utf-16", "target": "latin-1", "errors": "drop", "bom": "strip", "packing": "sparse"},
    {"source": "utf-32", "target": "utf-16", "errors": "drop", "bom": "add", "pipeline": "balanced"},
    {"source": "utf-8", "target": "utf-16le", "bom": "add", "packing": "sparse"},
    {"source": "ascii", "target": "utf-8", "errors": "drop", "bom": "add"},
], ids=lambda options: "-".join(map(str, options.values())))
def test_options(options: dict[str, Any]) -> None:
    holds(TranscoderParameters(lanes=2, **options))


@pytest.mark.parametrize(("source", "target", "lanes"), [
    pytest.param(*each, marks=[] if each == ("utf-16", "utf-8", 1) else [pytest.mark.slow]) for each in (
        ("utf-16", "utf-8", 1), ("latin-1", "utf-8", 1), ("latin-1", "utf-16", 1), ("utf-8", "utf-8", 2),
        ("utf-8", "utf-16", 4), ("utf-16", "utf-32", 8))])
def test_marks_that_are_added(source: str, target: str, lanes: int) -> None:
    """At each width, and where the mark fills a row alone, or takes the places of several lanes."""
    side = Sidebands(count=("code-points", "utf16-units", "replacements", "bytes"), user=2, id=3, dest=1)
    holds(TranscoderParameters(source, target, lanes, bom="add", sidebands=side))


@pytest.mark.parametrize(("lanes", "options"), [
    pytest.param(lanes, options, id=f"{lanes}-{'-'.join(map(str, options.values()))}",
                 marks=[] if (lanes, options.get("pipeline")) == (2, "compact") else [pytest.mark.slow])
    for lanes, options in product((1, 2), (
        {"errors": "drop"}, {"errors": "drop", "pipeline": "balanced"}, {"errors": "drop", "pipeline": "compact"},
        {"replacement": 0x3F}, {"replacement": 0x3F, "pipeline": "compact"}))])
def test_a_mark_wider_than_the_text_of_a_narrow_core(lanes: int, options: dict[str, Any]) -> None:
    """The mark has three bytes, where these cores have no more than one byte of text per lane."""
    holds(TranscoderParameters("utf-8", "utf-8", lanes, bom="add", **options))


def holds(parameters: TranscoderParameters) -> None:
    """Random packets come out as the model and CPython have them."""
    packets = list(random_packets(parameters, 2000, seed=2))
    report, wrong = check(generated(parameters), packets, Stalls(0.2, 0.25, 4))
    assert wrong is None, wrong
    assert report.packets == len(packets)
