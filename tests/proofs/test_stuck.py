"""Stuck registers of a core's proofs: a bit that no assertion notices is found."""

from dataclasses import replace
from pathlib import Path

import pytest
from runewire.cli import main
from runewire.commands import prove
from runewire_model import TranscoderParameters, parameters
from runewire_proofs import Engine, Proof, Stuck, StuckRecord, StuckRun, StuckSearch, proofs
from runewire_proofs import stuck as module
from runewire_proofs.checking.aiger import Graph
from runewire_proofs.cone import Netlist, Seen
from runewire_proofs.miter import Change
from runewire_proofs.proof import Facts
from runewire_proofs.stuck import StuckPart, judged, of_part

CORE = parameters("validator", lanes=1, pipeline="compact")
COMMAND = ["prove", "validator", "--lanes", "1", "--pipeline", "compact", "--stuck"]
RECORDS = Path(__file__).parents[2] / "records" / "stuck"
FOUND = Stuck(130, 84, 30, 12, {"a reason": ["row.rest[0]", "row.rest[1]"]}, [], 4, 4)


def part(name: str, *changes: Change) -> Proof:
    """A part of the core's proof, whose comparison says something else."""
    (sound,) = (proof for proof in proofs(CORE) if proof.name == name)

    def miter(facts: Facts) -> object:
        made = sound.miter(facts)
        return replace(made, changes=[*made.changes, *changes])
    return replace(sound, miter=miter)


def searched(engine: Engine, *parts: Proof, known: list[StuckRun] | None = None) -> tuple[list[StuckRun], Stuck]:
    search = StuckSearch(CORE, engine, parts)
    return [*search.runs(known or [])], search.result()


def cell(kind: str, **pins: int) -> dict[str, object]:
    """A cell of one bit a pin; its last pin is its output."""
    *given, result = pins
    return {"type": kind, "port_directions": {**dict.fromkeys(given, "input"), result: "output"},
            "connections": {name: [bit] for name, bit in pins.items()}}


def test_bits_that_are_not_noticed_need_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    design = Netlist(
        {"first": cell("$_DFF_P_", D=1, Q=2), "second": cell("$_DFF_P_", D=2, Q=3), "dead": cell("$_DFF_P_", D=1, Q=4)},
        {"o": {"direction": "output", "bits": [3]}}, [(["stage.both"], [2, 3]), (["stage.dead"], [4])])
    seen = Seen()
    assert judged(design, seen, "core") == Stuck(3, 0, 0, 1, {}, ["stage.both[0]", "stage.both[1]"], 0, 0)
    seen.enter(Netlist({}, {}, [(["stage.both"], [10, 11])]), {10})
    assert judged(design, seen, "core") == Stuck(3, 1, 0, 1, {}, ["stage.both[1]"], 0, 0)
    monkeypatch.setattr(module, "_reasons", lambda: [{"cores": ["c*"], "bits": ["*.both[1]"], "why": "none"}])
    assert judged(design, seen, "core").explained == {"none": ["stage.both[1]"]}
    assert judged(design, seen, "another").unexplained == ["stage.both[1]"]


def test_a_bit_counts_if_each_of_its_faults_is_noticed_in_some_part() -> None:
    graph = Graph(inputs=1, following=[2, 2], outputs=[9], gates=[(4, 7)])
    here = StuckPart(part("skid"), "", graph, [
        (["first"], [4]), (["second"], [6]), (["wide"], [4, 0]), (["gone"], [0])])
    assert here.faults.keys() == {(2, 0), (2, 1), (3, 0), (3, 1)}
    here.left = [(3, 0)]
    assert here.noticed() == {("first", 1, 0, 0), ("first", 1, 0, 1), ("second", 1, 0, 1), ("wide", 2, 0, 0),
                              ("wide", 2, 0, 1)}
    assert here.both(here.noticed()) == {4}
    elsewhere = {(name, 1, 0, value) for name in ("second", "gone") for value in (0, 1)}
    assert here.both(here.noticed() | elsewhere) == {4, 6}


@pytest.mark.needs("berkeley-abc")
def test_each_register_of_the_skid_buffer_is_noticed(engine: Engine) -> None:
    skid = of_part(engine, part("skid"))
    assert {name for names, _ in skid.registers for name in names} == {"skid.held", "skid.waits"}
    assert len(skid.left) == 6
    while skid.left and skid.simulate(skid.left, 64, 50, module.Random(1)):
        pass
    assert skid.left == []


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
def test_without_an_assertion_its_register_is_stuck_without_notice(engine: Engine) -> None:
    weaker = part("skid", ("skid.v", "assign bad_data = passes && passed != (waits != 0 ? beat : data);",
                           "assign bad_data = passes && waits == 0 && passed != data;"))
    _, sound = searched(engine, part("skid"))
    runs, found = searched(engine, weaker)
    lost = {*found.unexplained} - {*sound.unexplained}
    assert {bit.partition("[")[0] for bit in lost} == {"skid.held"}
    assert {(run.register, run.value, run.verdict) for run in runs} == {
        (f"skid.held[{bit}]", value, "unnoticed") for bit in (0, 1) for value in (0, 1)}


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
def test_a_bit_that_an_assumption_keeps_constant_is_found(engine: Engine) -> None:
    kept = part("skid", ("skid.v", ".i_data(data)", ".i_data(data & 2'b01)"),
                ("skid.v", "beat <= data", "beat <= data & 2'b01"), ("skid.v", ": data);", ": data & 2'b01);"))
    runs, _ = searched(engine, kept)
    assert [(run.part, run.register, run.value, run.verdict) for run in runs] == [
        ("skid", "skid.held[1]", 0, "constant")]
    assert searched(engine, kept, known=[replace(runs[0], seconds=-1)])[0][0].seconds == -1
    assert searched(engine, kept, known=[replace(runs[0], design="", seconds=-1)])[0][0].seconds >= 0


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize("file", [
    pytest.param(file, marks=() if file.stem.startswith("validator") else pytest.mark.records)
    for file in sorted(RECORDS.glob("*-compact.json"))], ids=lambda file: file.stem)
def test_a_record_has_the_stuck_registers_of_the_present_design(file: Path, engine: Engine) -> None:
    record = StuckRecord.of(file.read_text(encoding="utf-8"))
    search = StuckSearch(TranscoderParameters.of(record.core), engine)
    assert [*search.runs(record.runs)] == record.runs
    assert search.result() == record.stuck


@pytest.mark.parametrize("file", sorted(RECORDS.glob("*.json")), ids=lambda file: file.stem)
def test_each_bit_of_a_record_is_noticed_or_has_a_reason(file: Path) -> None:
    found = StuckRecord.of(file.read_text(encoding="utf-8")).stuck
    assert found is not None
    assert found.unexplained == []
    assert found.registers == (
        found.noticed + found.represented + found.unread + sum(map(len, found.explained.values())))
    assert found.memories_noticed == found.memories


class Search:
    """Instead of the search: an answer, then an interruption if there is no known one."""

    def __init__(self, *_: object, heard: object) -> None:
        self.found = FOUND

    def runs(self, known: list[StuckRun]) -> object:
        yield StuckRun("rows", "digest", "row.rest[0]", 1, "unnoticed", 60, 0.5)
        if not known:
            raise KeyboardInterrupt

    def result(self) -> Stuck:
        return self.found


def test_the_command_keeps_answers_and_continues(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:
    monkeypatch.setattr(prove, "Engine", type("Found", (), {"find": staticmethod(lambda: None)}))
    monkeypatch.setattr(prove, "StuckSearch", Search)
    path = tmp_path / "stuck.json"
    assert main([*COMMAND, "--json", str(path)]) != 0
    kept = StuckRecord.of(path.read_text(encoding="utf-8"))
    assert (kept.stuck, len(kept.runs)) == (None, 1)
    capsys.readouterr()
    assert main([*COMMAND, "--json", str(path)]) == 0
    assert capsys.readouterr().out == (
        f"{CORE}: 130 register bits: 84 noticed at 0 and at 1, 30 by a narrower register or one for several, 12 "
        "without a path to an output\n  row.rest[0], row.rest[1]: a reason\n4 of 4 memories\n")
    record = StuckRecord.of(path.read_text(encoding="utf-8"))
    assert (TranscoderParameters.of(record.core), record.stuck, record.runs) == (CORE, FOUND, kept.runs)
    monkeypatch.setattr(Search, "result", lambda _: replace(FOUND, unexplained=["row.rest[0]"]))
    assert main([*COMMAND, "--json", str(path)]) == 1
    assert capsys.readouterr().out.endswith("  row.rest[0]: stuck at 1 in rows: unnoticed in 60 cycles\n")


def test_the_command_replaces_no_file_of_something_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:
    monkeypatch.setattr(prove, "StuckSearch", Search)
    path = tmp_path / "proofs.jsonl"
    path.write_text('{"cone": 1}')
    assert main([*COMMAND, "--json", str(path)]) != 0
    assert "has no record of stuck registers" in " ".join(capsys.readouterr().err.split())
    assert path.read_text() == '{"cone": 1}'


@pytest.mark.parametrize(("words", "said"), [
    (["prove", "--stuck"], "--stuck needs a CORE"),
    ([*COMMAND, "--part", "skid"], "--stuck proves no part of a core, so it does not go with --part"),
    ([*COMMAND, "--cone"], "--cone and --stuck are two questions: ask one of them")])
def test_what_stuck_is_not_for(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) != 0
    assert said in " ".join(capsys.readouterr().err.split())
