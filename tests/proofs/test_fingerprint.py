"""Fingerprints of parts: the same for cores that share a design, and made once."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from runewire_model import EncoderParameters, TranscoderParameters, ValidatorParameters
from runewire_model.report import Sidebands
from runewire_proofs import PartFingerprint, Proof, fingerprint, fingerprint_of, fingerprints
from runewire_proofs.miter import Miter
from runewire_proofs.proof import Facts


def test_what_a_run_is_of_is_the_same_of_cores_that_share_it(
    part_of: Callable[[TranscoderParameters, str], Proof],
) -> None:
    validator, encoder = fingerprints(ValidatorParameters(lanes=1)), fingerprints(EncoderParameters(lanes=2))
    assert validator["buffer"] == encoder["buffer"]
    assert validator["buffer"].mutants == tuple(
        mutant.title for mutant in part_of(ValidatorParameters(lanes=1), "buffer").mutants)
    assert validator["packing"].digest != encoder["packing"].digest


@pytest.mark.parametrize(("target", "same"), [("latin-1", True), (None, False)])
def test_the_order_of_bytes_is_the_wrappers_but_where_units_are_passed_on(target: str | None, same: bool) -> None:
    little, big = (fingerprints(TranscoderParameters(source, target, 1)) for source in ("utf-16le", "utf-16be"))
    assert (little["window"] == big["window"]) == same
    assert little["wrapper"] != big["wrapper"]


def test_what_a_run_is_of_is_built_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part_of: Callable[[TranscoderParameters, str], Proof],
) -> None:
    monkeypatch.setenv("RUNEWIRE_CACHE", str(tmp_path))
    built: list[Facts] = []
    parameters = ValidatorParameters(lanes=1)
    buffer = part_of(parameters, "buffer")

    def miter(facts: Facts) -> Miter:
        built.append(facts)
        return buffer.miter(facts)

    watched = replace(buffer, miter=miter)
    found = fingerprint_of(parameters, watched)
    assert fingerprint_of(parameters, watched) == found
    assert built == [None]
    assert found == PartFingerprint("buffer", buffer.miter(None).digest, tuple(each.title for each in buffer.mutants))
    for anew in (replace(parameters, lanes=2), replace(parameters, sidebands=Sidebands("flag"))):
        fingerprint_of(anew, watched)
    fingerprint_of(parameters, replace(watched, name="border"))
    monkeypatch.setattr(fingerprint, "sources", lambda: "other ones")
    fingerprint_of(parameters, watched)
    assert built == [None] * 5
