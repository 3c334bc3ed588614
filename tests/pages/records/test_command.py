"""``runewire records``: the status as a table and as JSON, and a night."""

import json
from collections.abc import Sequence

import pytest
from runewire.cli import main
from runewire_pages.records import command, kinds
from runewire_pages.records.group import RecordGroup


@pytest.fixture(autouse=True)
def stands(monkeypatch: pytest.MonkeyPatch) -> list[RecordGroup]:
    """Three kinds of records: of one proofs are due, of the others none or one by hand."""
    groups = [
        RecordGroup("proofs", "validator, 8 lanes", {"present": 5, "former": 2},
                    ["runewire", "prove", "validator", "--part", "window,buffer"], 4000.0, "0.1.0", resumable=True),
        RecordGroup("proofs", "decoder, 8 lanes", {"missing": 2}, ["runewire", "prove", "decoder"]),
        RecordGroup("mutants", "encoder-x2", {"present": 1}, ["runewire", "mutate", "encoder"], 60.0, "0.2.0"),
        RecordGroup("simulation-speed", "simulation-speed", {"unknown": 1}, ["runewire", "pages"], by_hand="is slow"),
    ]
    monkeypatch.setattr(kinds, "KINDS", {
        kind: lambda kind=kind: [group for group in groups if group.kind == kind]
        for kind in ("proofs", "mutants", "simulation-speed")})
    return groups


def test_the_status_has_a_row_for_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["records"], ["records", "--status"]):
        assert main(arguments) == 1
        lines = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert lines[1][:5] == ["proofs", "5", "2", "0", "2"]
        assert " ".join(lines[1][5:]) == "1 h 7 min, 1 of 2 commands without a recorded time"
        assert lines[2] == ["mutants", "1", "0", "0", "0"]
        assert lines[3][:5] == ["simulation-speed", "0", "0", "1", "0"]
        assert " ".join(lines[5]).startswith("Their commands: runewire records proofs.")


def test_with_a_kind_each_command_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", "proofs"]) == 1
    assert capsys.readouterr().out.splitlines()[3:] == [
        "proofs: validator, 8 lanes: 5 present, 2 former; 1 h 7 min:",
        "  runewire prove validator --part window,buffer",
        "proofs: decoder, 8 lanes: 2 missing; no recorded time:",
        "  runewire prove decoder",
    ]
    assert main(["records", "mutants"]) == 0


def test_the_status_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found[0] == {
        "kind": "proofs", "name": "validator, 8 lanes", "present": 5, "former": 2, "unknown": 0, "missing": 0,
        "version": "0.1.0", "seconds": 4000.0,
        "command": ["runewire", "prove", "validator", "--part", "window,buffer"], "by_hand": None}
    assert [each["kind"] for each in found] == ["proofs", "proofs", "mutants", "simulation-speed"]


def test_a_night_says_what_it_makes_and_what_is_left(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    ran: list[list[str]] = []

    def run(words: Sequence[str], seconds: float) -> int | None:
        assert seconds <= 8 * 3600
        ran.append(list(words))
        return {"validator": 0, "decoder": 1}[words[2]]

    monkeypatch.setattr(command, "run_command", run)
    assert main(["records", "--night", "8h", "--jobs", "3"]) == 1
    assert ran == [["runewire", "prove", "validator", "--part", "window,buffer", "--jobs", "3"],
                   ["runewire", "prove", "decoder", "--jobs", "3"]]
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "made after 0 s: runewire prove validator --part window,buffer",
        "exit status 1 after 0 s: runewire prove decoder",
        "2 of the commands are left: the same command continues. Tables: runewire pages --write.",
    ]
    assert said.err.splitlines() == [
        "runewire: simulation-speed is left out, as it is slow: runewire pages",
        "runewire: 8 h 0 min left, 3 to make: proofs: validator, 8 lanes, which took 1 h 7 min",
        "runewire: 8 h 0 min left, 2 to make: proofs: decoder, 8 lanes",
    ]


def test_a_night_that_makes_all_ends_with_status_0(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command, "run_command", lambda words, seconds: 0)
    assert main(["records", "proofs", "--night", "90m"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("All of these records belong to the present design.")


@pytest.mark.parametrize(("status", "said"), [
    (None, "stopped, continues later after"), (1, "exit status 1 after")])
def test_a_command_that_the_time_ended_is_told_from_one_that_failed(
        status: int | None, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command, "run_command", lambda words, seconds: status)
    assert main(["records", "proofs", "--night", "90m"]) == 1
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "said"), [
    (["proof"], "runewire: KIND must be one of proofs, mutants, simulation-speed, got 'proof': did you mean 'proofs'?"),
    (["--night", "8"], "runewire: a time must have a unit, such as 8h, 1h30m or 45m, got '8'"),
    (["--night", "8h", "--status"], "runewire: give --status or --night, not both"),
    (["--night", "8h", "--json"], "runewire: --json prints the status, and goes without --night"),
])
def test_what_cannot_be_is_said_in_a_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", *arguments]) == 2
    assert capsys.readouterr().err == f"{said}\n"
