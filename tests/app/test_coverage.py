"""``runewire coverage``: its counts, and the holes that it names."""

import importlib
from itertools import product
from pathlib import Path

import pytest
from runewire_model import TranscoderParameters, ValidatorParameters
from runewire_sim import coverage, generated
from runewire_sim.code_coverage import CodeCoverage, CodeRecord, CoveragePoint
from runewire_sim.coverage_goals import goals
from runewire_sim.results import PacketEnd


@pytest.mark.slow
def test_all_is_seen(runewire) -> None:
    outcome = runewire("coverage", "validator", "--lanes", 1)
    assert (outcome.status, outcome.err) == (0, "")
    total = sum(int(line.split()[-4].replace(",", "")) for line in outcome.out.splitlines()[1:])
    assert total == len(goals(ValidatorParameters(1)))
    assert outcome.out.count("100.0 %") == 2


@pytest.mark.parametrize("target", ["latin-1", pytest.param("utf-8", marks=pytest.mark.slow)])
def test_a_transcoder_is_covered_by_the_rules_of_its_source_and_its_places(runewire, target: str) -> None:
    outcome = runewire("coverage", "transcoder", "--from", "utf-16be", "--to", target, "--lanes", 2)
    assert (outcome.status, outcome.err) == (0, "")
    parameters = TranscoderParameters("utf-16be", target, 2)
    rules = {goal.rule for goal in goals(parameters)}
    assert rules == set(parameters.reads.rules)
    places = {(goal.lane, goal.item) for goal in goals(parameters) if goal.item is not None}
    # A unit of UTF-16 becomes one of Latin-1, and never two, so all stay in their lanes.
    assert places == ({(0, 0), (1, 1)} if target == "latin-1" else {*product(range(2), range(8))})
    total = sum(int(line.split()[-4].replace(",", "")) for line in outcome.out.splitlines()[1:])
    assert total == len(goals(parameters))


def test_holes_and_differences_are_named(runewire, monkeypatch: pytest.MonkeyPatch) -> None:
    def cover(parameters, seed):
        seen = coverage.Coverage(parameters)
        seen.add(b"a\xE2\x82", PacketEnd(0, 0, 0, 0, 0))
        return seen, "packet 61: byte 0: hardware 62, model 61"

    monkeypatch.setattr(importlib.import_module("runewire.commands.coverage"), "cover", cover)
    outcome = runewire("coverage", "validator", "--lanes", 1)
    assert outcome.status == 1
    lines = outcome.err.splitlines()
    assert lines[0] == "runewire: hardware and model differ: packet 61: byte 0: hardware 62, model 61"
    assert ("runewire: not seen: F8..FF (header bits) from lane 0, in a later beat, before the packet's end, flowing"
            in lines)
    assert all(line.startswith("runewire: not seen: ") for line in lines[1:])


def test_a_core_with_flows_has_goals_of_segments(runewire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("runewire.commands.coverage"), "cover",
                        lambda parameters, seed: (coverage.Coverage(parameters), None))
    outcome = runewire("coverage", "validator", "--lanes", 1, "--flows", 2, "--id", 1)
    assert outcome.status == 1
    assert ("runewire: not seen: C2..DF 80..BF cut after byte 1 by a segment's end in lane 0, "
            "then other flows' segments, flowing") in outcome.err.splitlines()


@pytest.mark.slow
def test_the_code_is_counted_and_recorded(runewire, tmp_path: Path) -> None:
    options = ("--lanes", 1, "--pipeline", "compact", "--offset-bits", 16, "--code", "--json", tmp_path / "record.json")
    outcome = runewire("coverage", "validator", *options)
    assert (outcome.status, outcome.err) == (0, "")
    record = CodeRecord.of((tmp_path / "record.json").read_text())
    assert record.holes == []
    rows = {cells[0]: cells[1:] for cells in map(str.split, outcome.out.splitlines())}
    for kind, points in record.points.items():
        assert rows[kind][:2] == [f"{points:,}", f"{record.seen[kind]:,}"]
        assert rows[kind][-2:] == ["100.0", "%"]


def test_holes_of_the_code_and_refuted_reasons_are_named(runewire, monkeypatch: pytest.MonkeyPatch) -> None:
    def cover_code(parameters, seed):
        code = CodeCoverage(generated(parameters))
        code.seen.update({CoveragePoint("toggle", 29, 24, "core.report", "error 0->1"): 0,
                          CoveragePoint("toggle", 29, 24, "core.report", "caught[0] 1->0"): 1})
        functional = coverage.Coverage(parameters)
        functional.seen.clear()
        return functional, code, None

    monkeypatch.setattr(importlib.import_module("runewire.commands.coverage"), "cover_code", cover_code)
    outcome = runewire("coverage", "validator", "--lanes", 1, "--code")
    assert outcome.status == 1
    assert outcome.err.splitlines() == [
        "runewire: not seen: runewire_validator_x1.v, line 29:24, toggle, core.report: error 0->1",
        "runewire: seen, though said to be unreachable: runewire_validator_x1.v, line 29:24, toggle, core.report: "
        "caught[0] 1->0"]


@pytest.mark.parametrize("arguments", [("coverage", "validator", "--lanes", 3), ("coverage", "parser"),
                                       ("coverage", "validator", "--json", "record.json")])
def test_a_bad_option_is_one_line(runewire, arguments: tuple[object, ...]) -> None:
    outcome = runewire(*arguments)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
