"""The best chip of each job stands next to the comparison's own."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from runewire_benchmark.best_chips import fastest_elsewhere
from runewire_benchmark.datasheet import Entry
from runewire_benchmark.inputs import SampleText
from runewire_benchmark.job_tables import chip, jobs
from runewire_benchmark.markdown import short, summary
from runewire_benchmark.page import render as page
from runewire_benchmark.peer_registry import python_peers
from runewire_benchmark.run import Comparison, compare
from runewire_model import parameters

OWN = "ecp5-85k"
PEERS = [peer for peer in python_peers() if peer.name in ("CPython strict", "CPython encode")]
TEXT = SampleText("greek", "ж".encode() * 1500, True)


@pytest.fixture(name="entries")
def _entries(make_entry: Callable[..., Entry]) -> list[Entry]:
    """Of two chips: the other one has the faster validator, and no encoder."""
    other = {"target": "wide-chip", "device": "Wide chip", "unknown_limits": ("clock network",)}
    return [
        make_entry("decoder", 16, 300.0), make_entry("encoder", 4, 300.0), make_entry("validator", 8, 370.0),
        replace(make_entry("validator", 64, 400.0), **other), replace(make_entry("decoder", 8, 500.0), **other),
    ]


def test_a_job_has_another_chip_only_where_that_is_faster(entries: list[Entry]) -> None:
    assert fastest_elsewhere(entries, OWN) == {"validate": entries[3]}
    assert fastest_elsewhere(entries, "wide-chip").keys() == {"decode", "encode"}
    assert fastest_elsewhere(entries[:3], OWN) == {}


def test_a_chip_of_the_same_rate_is_no_better_and_options_do_not_count(entries: list[Entry]) -> None:
    same = replace(entries[2], target="wide-chip")
    flag = replace(entries[3], parameters=parameters("validator", lanes=64, report="flag"))
    assert fastest_elsewhere([same, *entries[:3], flag], OWN) == {}
    laid_out = replace(entries[3], parameters=parameters("validator", lanes=64, family="gowin-5a"))
    assert fastest_elsewhere([*entries[:3], laid_out], OWN) == {"validate": laid_out}


def test_the_best_chip_is_named_in_all_tables_of_jobs(entries: list[Entry]) -> None:
    found = compare([TEXT], PEERS, entries, OWN, 3)
    (best,) = found.best_chips
    # 3000 bytes are 47 beats of 64.
    assert (best.job, best.entry.target) == ("validate", "wide-chip")
    assert best.gigabytes_per_second == pytest.approx(3000 / 47 * 0.4)
    assert Comparison.from_json(json.loads(json.dumps(found.as_json()))).best_chips == found.best_chips
    checking = replace(found, software=tuple(replace(figure, job="validate") for figure in found.software))
    head, (row,) = jobs(checking)
    assert dict(zip(head, row, strict=True))["best chip, GB/s of UTF-8 (checks: of input)"] == \
        "25.5 (wide-chip ?, 64 lanes)"
    head, (row, _) = jobs(found)
    assert row[-1] == "4.79 (ecp5-85k, 16 lanes)"
    for text in (short(found), summary(found), page(found)):
        assert "best chip," in text
        assert "the last column has the fastest core of all chips in the datasheet" in text


def test_a_comparison_on_the_best_chip_says_so(entries: list[Entry]) -> None:
    found = compare([TEXT], PEERS, entries[:3], OWN, 3)
    assert found.best_chips == ()
    assert chip(found) == "Cores: modelled on ecp5-85k. No other chip of the datasheet has a faster core for any of " \
                          "the jobs."
    for text in (short(found), summary(found), page(found)):
        assert "best chip," not in text
        assert chip(found) in text
