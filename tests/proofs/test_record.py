"""Records of proofs, and the designs that need no further run."""

import json
import re
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from runewire_model import TranscoderParameters, ValidatorParameters
from runewire_proofs import (
    KEPT,
    Check,
    Engine,
    EngineRun,
    Outcome,
    PartFingerprint,
    PartRecord,
    Proof,
    ProofRecords,
    run,
)

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "records" / "proofs.jsonl"


@pytest.mark.needs("berkeley-abc")
def test_a_record_says_what_ran(engine: Engine, part_of: Callable[[TranscoderParameters, str], Proof]) -> None:
    (record,) = run(ValidatorParameters(lanes=1), engine, mutants=False, parts=["packing"])
    assert (record.part, record.mutant, record.good) == ("packing", None, True)
    assert record.outcome.verdict == "proven"
    assert record.outcome.seconds > 0
    assert "dprove" in record.outcome.engine
    assert record.design == part_of(ValidatorParameters(lanes=1), "packing").miter(None).digest
    assert record.design != part_of(ValidatorParameters(lanes=2), "packing").miter(None).digest


def test_the_kept_proofs_are_whole() -> None:
    """The page marks proofs of former designs; `tests/test_docs.py` compares it with the records."""
    page = (ROOT / "docs" / "proofs.md").read_text(encoding="utf-8")
    undecided, untried = [], 0
    for (parameters, part), entry in ProofRecords.of(RECORD.read_text(encoding="utf-8")).entries.items():
        assert parameters in KEPT
        if entry.sound.verdict == "undecided":
            undecided.append((parameters, part))
        else:
            assert entry.good, (parameters, part)
        if not entry.mutants and part in ("window", "packing", "border", "reset"):
            # Only wide cores that do not read UTF-8 are without broken copies; narrow ones try the same.
            assert parameters.lanes >= 4, (parameters, part)
            assert parameters.source != "utf-8", (parameters, part)
            untried += 1
    # `runewire prove` tries them; the number may only fall.
    assert untried <= 257
    assert page.count("**undecided**,") == len(undecided)
    proven = re.findall(r"\| proven, [^|;]*; (\d+) of (\d+)", page)
    assert len(proven) > 1000
    without = sum(refuted == "0" for refuted, _ in proven)
    assert without <= untried
    assert sum(refuted == mutants for refuted, mutants in proven) == len(proven) - without


def test_the_kept_proofs_have_a_line_each_in_the_order_of_the_kept_cores() -> None:
    text = RECORD.read_text(encoding="utf-8")
    ledger = ProofRecords.of(text)
    assert text.count("\n") == len(ledger.entries)
    assert ledger.json() == text
    mixed = ProofRecords(dict(reversed(ledger.entries.items())))
    assert mixed.json() == text


def test_a_ledger_comes_back_as_it_was_kept() -> None:
    parameters, outcome = ValidatorParameters(lanes=2), Outcome("proven", "dprove", None, 1.5)
    ledger = ProofRecords()
    entry = ledger.enter(parameters, "ABC", [
        EngineRun("window", "abc", None, outcome),
        EngineRun("window", "abc", "broken", Outcome("refuted", "sim3", 3, 0.1)),
    ])
    assert entry.good
    assert (entry.refuted, entry.seconds) == (1, 1.6)
    assert ProofRecords.of(ledger.json()).entries == ledger.entries
    assert ProofRecords.of(ProofRecords().json()).entries == {}
    undecided = ledger.enter(parameters, "ABC", [
        EngineRun("window", "abc", None, outcome),
        EngineRun("window", "abc", "broken", Outcome("undecided", "sim3", 3, 0.1)),
    ])
    assert not undecided.good
    assert ProofRecords.of(ledger.json()).entries == {(parameters, "window"): undecided}
    former = ledger.json().replace('["proven", "dprove", null, 1.5]', json.dumps(asdict(outcome)))
    for other in ('{"part": "window"}', "[]", former):
        with pytest.raises(ValueError, match="no record of proofs"):
            ProofRecords.of(other)


def test_a_check_is_kept_as_long_as_its_proof() -> None:
    parameters, sound = ValidatorParameters(lanes=2), EngineRun("window", "abc", None, Outcome("proven", "pdr", 3, 1.5))
    ledger = ProofRecords()
    without = ledger.enter(parameters, "ABC", [sound])
    text = ledger.json()
    check = Check("confirmed", "CaDiCaL 1.9.5", "an invariant of 2 equal pairs and 1 clauses", 0.1)
    checked = ledger.enter_check(without, check)
    assert checked == replace(without, check=check)
    assert ProofRecords.of(ledger.json()).entries == {(parameters, "window"): checked}
    assert ProofRecords.of(text).entries == {(parameters, "window"): without}
    assert ledger.enter(parameters, "ABC", [sound]).check == check
    assert ledger.enter(parameters, "ABC", [replace(sound, design="abd")]).check is None


def test_a_record_settles_its_design_for_every_core_and_nothing_else() -> None:
    titles = ("rows do not move on", "a credit is lost")
    design = PartFingerprint("packing", "abc", titles)
    sound = EngineRun("packing", "abc", None, Outcome("proven", "dprove", None, 1.5))
    refuted = [EngineRun("packing", "abc", title, Outcome("refuted", "sim3", 3, 0.1)) for title in titles]

    def settled(*records: EngineRun, by: PartFingerprint = design) -> bool:
        ledger = ProofRecords()
        ledger.enter(ValidatorParameters(lanes=1), "ABC", list(records))
        return ledger.settled(by) is not None

    assert settled(sound, *refuted)
    assert not settled(sound, *refuted, by=replace(design, part="border"))
    assert settled(sound, *refuted, by=replace(design, part="packer_packing"))
    assert not settled(sound, *refuted, by=replace(design, part="packer_border"))
    assert not settled(sound, *refuted, by=replace(design, digest="abd"))
    assert not settled(sound, *refuted, by=replace(design, mutants=(*titles, "a new one")))
    assert not settled(sound, *refuted, by=replace(design, mutants=titles[:1]))
    assert not settled(sound, *refuted[1:])
    for verdict in ("undecided", "refuted"):
        assert not settled(replace(sound, outcome=Outcome(verdict, "dprove", None, 1.5)), *refuted)
    alive = replace(refuted[0], outcome=Outcome("undecided", "bmc3", None, 9.0))
    assert not settled(sound, alive, *refuted[1:])


def test_a_record_of_some_mutants_is_of_its_design() -> None:
    outcome = Outcome("refuted", "sim3", 3, 0.1)
    design = PartFingerprint("packing", "abc", ("rows do not move on", "a credit is lost"))

    def is_of(*titles: str, of: PartFingerprint = design) -> bool:
        mutants = dict.fromkeys(titles, outcome)
        return PartRecord(ValidatorParameters(lanes=1), "packing", "abc", "1", "ABC", outcome, mutants).is_of(of)

    assert is_of(*design.mutants)
    assert is_of(design.mutants[0])
    assert not is_of(*design.mutants, of=replace(design, digest="abd"))
    assert not is_of(*design.mutants, of=replace(design, part="border"))
    assert not is_of(design.mutants[0], "a mutant that is gone")
