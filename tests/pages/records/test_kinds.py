"""Each kind of records finds out which of them belong to the present design, and the command that makes them again."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runewire_model import TranscoderParameters, __version__, parameters
from runewire_pages import cells_table, comparison, layouts_table, simulation_speed, synthesis_table, verification
from runewire_pages.part import RECORDS
from runewire_pages.records import kinds
from runewire_proofs import (
    Cone,
    ConeRecord,
    EngineRun,
    Outcome,
    PartFingerprint,
    ProofRecords,
    Stuck,
    StuckRecord,
)
from runewire_proofs import proofs as proofs_of
from runewire_sim import generated
from runewire_sim.code_coverage import CodeRecord
from runewire_sim.mutation import MutationRecord
from runewire_sim.soak import SoakRecord

FILES = {
    "proofs": "proofs.jsonl", "printing": "proofs.jsonl", "mutants": "mutants",
    "coverage": "code_coverage", "cones": "cones", "stuck": "stuck",
    "soak": "soak.json",
    "pairs": "pairs.json", "segments": "segments.json", "lines": "lines.json",
    "datasheet": "datasheet", "cells": "cells.jsonl", "layouts": "layouts.jsonl",
    "synthesis": "synthesis.json", "simulation-speed": "simulation_speed.json", "comparison": "comparison.json",
}
COMMANDS = {
    "mutants": ("mutate", ""), "coverage": ("coverage", ""), "cones": ("prove", "--cone "),
    "stuck": ("prove", "--stuck "),
}
"""Commands that write records of one core, by kind, and the option that asks for it."""
CORE = parameters("validator", lanes=1, pipeline="compact")


def test_all_records_are_of_a_kind() -> None:
    assert list(FILES) == list(kinds.KINDS)
    written_by_hand = {"unexplained_mutants.toml"}
    assert {path.name for path in RECORDS.iterdir()} == {*FILES.values(), *written_by_hand}


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ProofRecords:
    """A ledger of proofs; the parts of `CORE` have the digest "new", except for the first, which has "old"."""
    names = [proof.name for proof in proofs_of(CORE)]
    records = ProofRecords()
    for number, name in enumerate(names[:-1]):
        mutant = EngineRun(name, "new" if number else "old", "broken", Outcome("refuted", "bmc", 1, 400.0))
        sound = EngineRun(name, mutant.design, None, Outcome("proven", "pdr", 1, 100.0))
        records.enter(CORE, "ABC", [sound, mutant])
    present = {CORE: {name: PartFingerprint(name, "new", ("broken",)) for name in names}}
    monkeypatch.setattr(kinds, "KEPT", (CORE,))
    monkeypatch.setattr(kinds, "present_parts", lambda: present)
    monkeypatch.setattr(kinds, "PROOFS", tmp_path / "proofs.jsonl")
    monkeypatch.setattr(kinds, "ROOT", tmp_path)
    (tmp_path / "proofs.jsonl").write_text(records.json())
    return records


@pytest.mark.usefixtures("ledger")
def test_a_proof_of_another_digest_is_former_and_a_part_without_a_record_is_missing() -> None:
    names = [proof.name for proof in proofs_of(CORE)]
    (group,) = kinds.proofs()
    assert group.states == {"former": 1, "present": len(names) - 2, "missing": 1}
    assert group.version == __version__
    # The last part has no record, and none of its name and width to guess its time from.
    assert group.seconds is None
    assert list(group.command) == [
        "runewire", "prove", "validator", "--lanes", "1", "--pipeline", "compact", "--part", f"{names[0]},{names[-1]}",
        "--json", "proofs.jsonl", "--timeout", "1200"]


def test_the_time_of_a_missing_part_is_the_median_of_its_name_and_width(ledger: ProofRecords) -> None:
    last = [proof.name for proof in proofs_of(CORE)][-1]
    for lanes, seconds in ((1, 30.0), (2, 7000.0)):
        other = parameters("decoder", lanes=lanes)
        ledger.enter(other, "ABC", [EngineRun(last, "another", None, Outcome("proven", "pdr", 1, seconds))])
    kinds.PROOFS.write_text(ledger.json())
    (group,) = kinds.proofs()
    assert group.seconds == 500.0 + 30.0


@pytest.mark.usefixtures("ledger")
def test_a_core_without_any_record_lacks_all_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    other = parameters("validator", lanes=2)
    monkeypatch.setattr(kinds, "KEPT", (other,))
    (group,) = kinds.proofs()
    assert group.states == {"missing": len(proofs_of(other)) - 1}  # `printing` has its own groups
    assert group.version is None


def test_each_core_has_a_group_of_its_printing(ledger: ProofRecords, monkeypatch: pytest.MonkeyPatch) -> None:
    wider, never = parameters("validator", lanes=2), parameters("validator", lanes=4)
    splitter = parameters("splitter", lanes=1)  # lacks the part
    monkeypatch.setattr(kinds, "KEPT", (CORE, wider, splitter, never))
    monkeypatch.setattr(kinds, "present_printing",
                        lambda: {core: PartFingerprint("printing", "new", ("broken",)) for core in (CORE, wider)})
    for core, design in ((CORE, "new"), (wider, "old")):
        ledger.enter(core, "ABC", [EngineRun("printing", design, None, Outcome("proven", "pdr", 1, 2.0))])
    kinds.PROOFS.write_text(ledger.json())
    groups = kinds.printing()
    assert [group.states for group in groups] == [{"present": 1}, {"former": 1}, {"missing": 1}]
    assert [group.seconds for group in groups] == [2.0, 2.0, None]
    assert groups[2].command == [
        "runewire", "prove", "validator", "--lanes", "4", "--part", "printing", "--no-mutants", "--json",
        "proofs.jsonl"]


@pytest.mark.parametrize(("kind", "record"), [
    ("mutants", MutationRecord(CORE.record(), "", __version__, 1, seconds=61.5)),
    ("coverage", CodeRecord(CORE.record(), "", __version__, 0, {}, {}, {}, [], 61.5)),
    ("cones", ConeRecord(CORE.record(), "", __version__, 61.5, Cone(0, 0, 0, {}, {}, [], 0, 0, 0, 0))),
    ("stuck", StuckRecord(CORE.record(), "", __version__, 61.5, Stuck(0, 0, 0, 0, {}, [], 0, 0), [])),
])
def test_records_of_a_core_are_those_of_the_listed_commands(
        kind: str, record: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command, option = COMMANDS[kind]
    page = tmp_path / "page.md"
    lines = [f"runewire {command} validator {option}--json records/{name}.json" for name in ("now", "before", "never")]
    page.write_text("\n".join(["```", *lines, "```", f"runewire {command} validator"]))
    monkeypatch.setattr(verification, "PAGE", page)
    monkeypatch.setattr(kinds, "ROOT", tmp_path)
    (tmp_path / "records").mkdir()
    for name, verilog in (("now", generated(CORE).fingerprint), ("before", "0123456789abcdef")):
        (tmp_path / "records" / f"{name}.json").write_text(replace(record, verilog=verilog).json())
    groups = kinds.KINDS[kind]()
    assert [(group.name, group.states, group.seconds) for group in groups] == [
        ("now", {"present": 1}, 61.5), ("before", {"former": 1}, 61.5), ("never", {"missing": 1}, None)]
    assert [" ".join(group.command) for group in groups] == lines


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_listed_commands_are_those_of_the_records(kind: str) -> None:
    assert {group.command[-1] for group in kinds.KINDS[kind]()} == {
        f"records/{FILES[kind]}/{path.name}" for path in (RECORDS / FILES[kind]).iterdir()}


@pytest.mark.parametrize(("kind", "name"), [
    ("soak", "RECORD"), ("pairs", "PAIRS"), ("segments", "SEGMENTS"), ("lines", "LINES")])
def test_a_soak_counts_cores_of_the_present_generator(
        kind: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = SoakRecord.of(getattr(verification, name).read_text(encoding="utf-8"))
    record.configurations = dict(list(record.configurations.items())[:4])
    cores = len(record.configurations)
    for number, each in enumerate(record.configurations.values()):
        each.generator = "now" if number else "before"
    monkeypatch.setattr("runewire_sim.soak.record.generator", lambda: "now")
    record.seconds = 400.0
    monkeypatch.setattr(kinds, "ROOT", tmp_path)
    monkeypatch.setattr(verification, name, tmp_path / "soak.json")
    (tmp_path / "soak.json").write_text(record.json())
    (group,) = kinds.KINDS[kind]()
    assert (group.states["present"], group.states["unknown"], group.seconds) == (cores - 1, 1, 400.0 / cores)
    assert group.states.get("missing") == (None if record.total is None else record.total - cores)
    assert group.open_ended == (kind == "soak")


def test_a_sweep_is_due_for_any_of_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"made_by": f"runewire sweep --cores {core}", "lanes": lanes,
             "design": {"version": version, "digest": "new" if core == "decoder" else "old"}}
            for core, lanes, version in (("decoder", 1, "0.2"), ("validator", 1, "0.1"), ("validator", 2, "0.2"))]
    monkeypatch.setattr(kinds.sheet, "read", lambda folder: rows)
    monkeypatch.setattr(kinds.sheet, "are_present", lambda records, digests: [True, False, True])
    decoder, validator = kinds.datasheet()
    assert (decoder.states, decoder.due) == ({"present": 1}, 0)
    assert (validator.states, validator.version) == ({"former": 1, "present": 1}, "0.1")
    assert list(validator.command) == ["runewire", "sweep", "--cores", "validator"]


@pytest.mark.parametrize(("module", "kind"), [(cells_table, "cells"), (layouts_table, "layouts")])
def test_cells_are_compared_by_the_digest_of_their_core(module: Any, kind: str,
                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    one, other, *_ = module.load()
    monkeypatch.setattr(module, "load", lambda: [one, other])
    digest = one["design"]["digest"]
    other["design"] = {**other["design"], "digest": f"not {digest}"}
    monkeypatch.setattr(kinds, "digests", lambda cores, store: dict.fromkeys(cores, digest))
    (group,) = kinds.KINDS[kind]()
    assert group.kind == kind
    assert group.states == {"present": 1, "former": 1}


@pytest.mark.parametrize("module", [synthesis_table, simulation_speed])
def test_a_record_with_fingerprints_is_of_the_present_design_or_not(
        module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = {synthesis_table: "synthesis", simulation_speed: "simulation-speed"}[module]
    cores: dict[str, TranscoderParameters] = {"compact": CORE}
    monkeypatch.setattr(synthesis_table, "cores", lambda: cores)
    monkeypatch.setattr(simulation_speed, "CORES", cores)
    monkeypatch.setattr(module, "FIGURES", tmp_path / "record.json")
    for said, state in (({}, "unknown"), ({"verilog": {"compact": generated(CORE).fingerprint}}, "present"),
                        ({"verilog": {"compact": "0123456789abcdef"}}, "former")):
        module.FIGURES.write_text(json.dumps({"results": {"synth": {}}, **said}))
        (group,) = kinds.KINDS[kind]()
        assert group.states == {state: 1}


def test_a_comparison_is_of_the_cores_of_the_datasheet(monkeypatch: pytest.MonkeyPatch) -> None:
    for present, state in ((True, "present"), (False, "former")):
        monkeypatch.setattr(comparison, "has_present_cores", lambda found, present=present: present)
        (group,) = kinds.compared()
        assert group.states == {state: 1}
        assert list(group.command) == ["runewire", "pages", "--measure", "compared-cores"]
