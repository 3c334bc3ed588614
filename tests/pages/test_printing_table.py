"""The table of docs/proofs.md counts each state of a core's proof that its Verilog is the design."""

from pathlib import Path

import pytest
from runewire_model import TranscoderParameters, parameters
from runewire_pages import printing_table
from runewire_proofs import EngineRun, Outcome, PartFingerprint, ProofRecords

CORES = [*(parameters(core, lanes=1) for core in ("validator", "decoder", "encoder", "sanitizer")),
         parameters("validator", lanes=1, pipeline="compact")]


def entered(ledger: ProofRecords, core: TranscoderParameters, design: str, verdict: str, broken: str | None) -> None:
    """Keep a proof, and the answer for a broken printer if there is one."""
    runs = [EngineRun("printing", design, None, Outcome(verdict, "pdr", 1, 2.0))]
    if broken:
        runs.append(EngineRun("printing", design, "broken", Outcome(broken, "bmc", 1, 2.0)))
    ledger.enter(core, "ABC", runs)


def test_each_state_has_its_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = parameters("validator", lanes=2)
    ledger = ProofRecords()
    entered(ledger, CORES[0], "new", "proven", "refuted")
    entered(ledger, CORES[1], "old", "proven", "undecided")
    entered(ledger, CORES[2], "new", "refuted", None)
    entered(ledger, CORES[3], "new", "proven", None)
    file = tmp_path / "proofs.jsonl"
    file.write_text(ledger.json(), encoding="utf-8")
    monkeypatch.setattr(printing_table, "PROOFS", file)
    monkeypatch.setattr(printing_table, "KEPT", (*CORES, wide, parameters("filter", lanes=2, rejects=True)))
    monkeypatch.setattr(printing_table, "present_printing", lambda: {
        core: PartFingerprint("printing", "new", ("broken",)) for core in CORES[:4]})
    assert printing_table.table().splitlines()[2:4] == [
        "| 1 | 5 | 2 | 1 † | 1 | 1 | 1 of 2 |", "| 2 | 1 | 0 | 0 | 0 | 1 |  |"]
