"""The table of docs/proof-method.md counts each verdict of the checker."""

import json
from pathlib import Path

import pytest
from runewire_pages import checks_table


def test_each_verdict_has_its_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.loads(line) for line in checks_table.PROOFS.read_text(encoding="utf-8").splitlines()]
    whole = [line for line in lines if line["part"] == "whole" and line["sound"][0] == "proven"][:4]
    for line, verdict in zip(whole, ("confirmed", "refuted", "not checked"), strict=False):
        line["check"] = [verdict, "a solver", "said so", 1.5]
    file = tmp_path / "proofs.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in whole), encoding="utf-8")
    monkeypatch.setattr(checks_table, "PROOFS", file)
    assert checks_table.table().splitlines()[2:] == ["| `whole` | 4 | 1 | 1 | 2 | 1.5 |"]
