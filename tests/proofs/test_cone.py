"""The cone of influence of a core's proofs: a register that no assertion depends on is found."""

from dataclasses import replace
from pathlib import Path

import pytest
from runewire.cli import main
from runewire.commands import prove
from runewire_model import TranscoderParameters, parameters
from runewire_proofs import Cone, ConeRecord, Engine, Proof, cone, proofs
from runewire_proofs.cone import Netlist, Seen, common, judged, of_part, plain
from runewire_proofs.miter import Change
from runewire_proofs.proof import Facts

CORE = parameters("validator", lanes=1, pipeline="compact")
COMMAND = ["prove", "validator", "--lanes", "1", "--pipeline", "compact", "--cone"]
RECORDS = Path(__file__).parents[2] / "records" / "cones"


def cell(kind: str, **pins: int) -> dict[str, object]:
    """A cell of one bit a pin; its last pin is its output."""
    *given, result = pins
    return {"type": kind, "port_directions": {**dict.fromkeys(given, "input"), result: "output"},
            "connections": {name: [bit] for name, bit in pins.items()}}


DESIGN = Netlist(
    cells={
        "first": cell("$_DFF_P_", D=1, Q=2), "second": cell("$_DFF_P_", D=3, Q=4), "dead": cell("$_DFF_P_", D=5, Q=6),
        "before": cell("$_NOT_", A=2, Y=3), "alone": cell("$_NOT_", A=4, Y=5), "after": cell("$_NOT_", A=4, Y=7),
    },
    ports={"i": {"direction": "input", "bits": [1]}, "o": {"direction": "output", "bits": [7]}},
    words=[(["stage.first"], [2]), (["stage.second"], [4]), (["stage.dead"], [6])])
"""Two registers in a row to an output, and one that nothing reads."""


def test_a_register_outside_of_all_cones_is_named() -> None:
    seen = Seen()
    assert judged(DESIGN, seen, "core").unexplained == ["stage.first", "stage.second"]
    seen.enter(Netlist({}, {}, [(["stage.first"], [10]), (["stage.second"], [11])]), {10})
    found = judged(DESIGN, seen, "core")
    assert (found.registers, found.seen, found.unread) == (3, 1, {"stage.dead": 1})
    assert found.unexplained == ["stage.second"]
    # `after` leads to the output; what is before `second` and `dead` leads to no register that counts.
    assert (found.gates, found.gates_seen) == (3, 1)


def test_a_narrower_register_represents_a_register_only_if_it_is_in_a_cone() -> None:
    wide = replace(DESIGN, words=[(["buffer.lane5_register"], [2, 4])])
    part = Netlist({}, {}, [(["buffer.lane0_register"], [10]), (["buffer.lane1_register"], [11])])
    for bits, outside in (({10, 11}, []), ({10}, ["buffer.lane5_register"])):
        seen = Seen()
        seen.enter(part, bits)
        found = judged(wide, seen, "core")
        assert (found.represented, found.unexplained) == (0 if outside else 2, outside)


def test_a_register_that_a_reset_alone_sets_has_a_reason() -> None:
    found = judged(replace(DESIGN, words=[(["buffer.reader_group0.clear"], [4])]), Seen(), "core")
    assert found.unexplained == []
    assert [*found.explained.values()] == [1]


@pytest.mark.parametrize(("name", "other"), [
    ("buffer.lane7_from36_bank1.read_data", "buffer.lane0_read1"), ("buffer.metadata_bank0", "buffer.metadata_word0"),
    ("packer.buffer.keep3_bank0", "packer.buffer.keep0_word0"), ("report.beat_chunk7_ones", "report.beat_chunk0_ones"),
    ("tally.bad_records_from8_sum_s13", "tally.count1_from0_sum_s2"), ("tally.bytes_s10", "tally.short2_s3"),
    ("buffer.reader_group4.row_bank0_copy2", "buffer.reader_group0.row_bank0_copy0")])
def test_registers_that_a_part_has_once_have_one_name(name: str, other: str) -> None:
    assert common(plain(name)) == common(plain(other))
    assert common(plain(name)) != common(plain("buffer.credit.level"))


@pytest.mark.needs("berkeley-abc")
def test_the_assertions_of_a_part_depend_on_all_of_its_registers(engine: Engine) -> None:
    (skid,) = (proof for proof in proofs(CORE) if proof.name == "skid")
    made, bits = of_part(engine, skid)
    assert {name for names, word in made.words for name in names if bits.issuperset(word)} == {
        "skid.held", "skid.waits"}


def changed(proof: Proof, change: Change) -> Proof:
    """A part whose comparison says something else."""
    def miter(facts: Facts) -> object:
        sound = proof.miter(facts)
        return replace(sound, changes=[*sound.changes, change])
    return replace(proof, miter=miter)


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
def test_without_an_assertion_its_registers_are_outside(engine: Engine) -> None:
    parts = [proof for proof in proofs(CORE) if proof.name in ("window", "rows", "skid", "reset")]
    sound = cone(CORE, engine, parts)
    assert "report.kind" not in sound.unexplained
    weaker = [changed(proof, ("window.v", "assign bad_kind = |off[3:1];", "assign bad_kind = 0;"))
              if proof.name == "window" else proof for proof in parts]
    found = cone(CORE, engine, weaker)
    assert {*found.unexplained} - {*sound.unexplained} >= {"report.kind"}
    assert found.gates_seen < sound.gates_seen


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize("file", sorted(RECORDS.glob("*-compact.json")), ids=lambda file: file.stem)
def test_a_record_has_the_cone_of_the_present_design(file: Path, engine: Engine) -> None:
    record = ConeRecord.of(file.read_text(encoding="utf-8"))
    assert record.cone == cone(TranscoderParameters.of(record.core), engine)


@pytest.mark.parametrize("file", sorted(RECORDS.glob("*.json")), ids=lambda file: file.stem)
def test_no_register_of_a_record_is_outside_without_a_reason(file: Path) -> None:
    found = ConeRecord.of(file.read_text(encoding="utf-8")).cone
    assert found.unexplained == []
    assert found.registers == (
        found.seen + found.represented + sum(found.unread.values()) + sum(found.explained.values()))


def test_the_command_prints_and_records_the_cone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:
    found = Cone(1200, 900, 250, {"faults.bits_l0_s1": 2}, {"a reason": 48}, [], 4, 4, 1000, 990)
    monkeypatch.setattr(prove, "Engine", type("Found", (), {"find": staticmethod(lambda: None)}))
    monkeypatch.setattr(prove, "cone", lambda *_: found)
    assert main([*COMMAND, "--json", str(tmp_path / "cone.json")]) == 0
    assert capsys.readouterr().out == (
        f"{CORE}: 1,200 register bits: 900 in a cone, 250 by a narrower register or one for several, 2 without a path "
        "to an output\n  faults.bits_l0_s1: 2 without a path to an output\n  48 outside: a reason\n"
        "4 of 4 memories, 990 of 1,000 gates\n")
    record = ConeRecord.of((tmp_path / "cone.json").read_text(encoding="utf-8"))
    assert (TranscoderParameters.of(record.core), record.cone) == (CORE, found)
    monkeypatch.setattr(prove, "cone", lambda *_: replace(found, unexplained=["report.kind"]))
    assert main(COMMAND) == 1
    assert capsys.readouterr().out.endswith("  report.kind: no assertion depends on it\n")


@pytest.mark.parametrize("text", ["", "{}\n{}\n", "[]", '{"cone": 1}', '{"core": {}, "part": "window"}', "\x00"])
def test_the_command_replaces_no_file_of_something_else(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:
    monkeypatch.setattr(prove, "Engine", type("Found", (), {"find": staticmethod(lambda: None)}))
    monkeypatch.setattr(prove, "cone", lambda *_: Cone(0, 0, 0, {}, {}, [], 0, 0, 0, 0))
    path = tmp_path / "proofs.jsonl"
    path.write_text(text)
    assert main([*COMMAND, "--json", str(path)]) != 0
    assert "has no record of a cone" in " ".join(capsys.readouterr().err.split())
    assert path.read_text() == text


@pytest.mark.parametrize(("words", "said"), [
    (["prove", "--cone"], "--cone needs a CORE, as in: runewire prove decoder --lanes 2 --cone"),
    ([*COMMAND, "--part", "skid"], "--cone proves no part of a core, so it does not go with --part"),
    ([*COMMAND, "--chain"], "--chain and --cone are two questions: ask one of them")])
def test_what_the_cone_is_not_for(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) != 0
    assert said in " ".join(capsys.readouterr().err.split())
