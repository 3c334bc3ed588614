"""The tables of proofs, mutants, coverage and soaks mark records of a former design."""

import re

import pytest
from runewire_pages import freshness, verification
from runewire_proofs import Outcome
from runewire_sim.code_coverage import CodeRecord, reasons
from runewire_sim.mutation import MutationRecord
from runewire_sim.soak import Configuration, SoakRecord


def test_a_record_that_is_not_of_the_present_design_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freshness, "__version__", "9.9")
    monkeypatch.setattr(verification, "is_present", lambda record: False)
    versions = " and ".join(sorted({record.version for record in verification.mutant_records()}))
    note = f"{verification.STALE} Record of runewire {versions}, not of the present design (9.9)."
    assert note in verification.mutants()
    monkeypatch.setattr(verification, "is_present", lambda record: True)
    assert verification.STALE not in verification.mutants()


def test_a_soak_of_cores_that_are_not_of_the_present_design_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    record = SoakRecord(configurations={name: Configuration("", 1, 1, name) for name in ("former", "present")})
    monkeypatch.setattr(Configuration, "present", property(lambda each: each.generator != "former"))
    note = "† 1 of the 2 cores certainly had the present design, the others may have had a former one."
    assert verification.figures(record, "Cores.").endswith(f"\n\nCores.\n\n{note}")
    assert verification.figures(record, again=" Again.").endswith(f"{note} Again.")
    del record.configurations["former"]
    assert verification.STALE not in verification.figures(record)


def test_what_no_engine_decides_is_in_the_table_with_how_far_it_looked() -> None:
    said = {depth: verification.verdict(Outcome("undecided", "bmc3", depth, 1234.5)) for depth in (None, 29)}
    assert said == {None: "**undecided**, 1,234 s", 29: "**undecided**, nothing wrong in 30 cycles, 1,234 s"}
    assert verification.verdict(Outcome("proven", "pdr", 4, 2.0)) == "proven, 2 s, depth 4"


def test_the_mutants_are_those_of_the_listed_cores() -> None:
    page = verification.PAGE.read_text(encoding="utf-8")
    commands = re.findall(r"^runewire mutate .* records/mutants/(\S+)$", page, re.MULTILINE)
    assert sorted(commands) == sorted(path.name for path in verification.MUTANTS.iterdir())
    left: set[tuple[str, int]] = set()
    for record in verification.mutant_records():
        left |= {(verification.title(record), fate.number) for fate in record.unexplained}
    # Undecided mutants are named there, with the known result, even if there is none.
    assert left == set(verification.reasons())


def test_the_code_coverage_is_of_the_listed_cores_and_uses_every_reason() -> None:
    page = verification.PAGE.read_text(encoding="utf-8")
    commands = re.findall(r"^runewire coverage .* records/code_coverage/(\S+)$", page, re.MULTILINE)
    assert sorted(commands) == sorted(path.name for path in verification.CODE.iterdir())
    assert {why for record in verification.code_records() for why in record.unreachable} == {
        reason.why for reason in reasons()}


def test_the_records_are_as_the_commands_write_them() -> None:
    """With a line per element, so that a new record differs from the former one in the lines that changed."""
    kinds = [(verification.RECORD, SoakRecord), (verification.PAIRS, SoakRecord), (verification.SEGMENTS, SoakRecord),
             *((path, MutationRecord) for path in verification.MUTANTS.iterdir()),
             *((path, CodeRecord) for path in verification.CODE.iterdir())]
    for path, kind in kinds:
        text = path.read_text(encoding="utf-8")
        assert kind.of(text).json() == text, path.name
