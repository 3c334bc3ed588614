"""Fingerprint of each part of a core's proof; cached, because computing it builds the part."""

import importlib.metadata
import json
from collections.abc import Collection
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path

import runewire_model
import runewire_rtl
from runewire_jobs.cache import built
from runewire_jobs.fingerprint import digest
from runewire_model import TranscoderParameters

from .parts import proofs
from .proof import Proof

UNRELATED = frozenset({
    "kept_cores.py", "record.py", "aiger.py", "certificate.py", "checker.py", "finder.py", "check.py", "cone.py",
    "stuck.py", "fault_simulation.py"})
"""Modules of this room that change no part. They list the cores whose proofs are kept, read and write records, check
proofs a second time, or look at what the assertions depend on and notice."""


@dataclass(frozen=True)
class PartFingerprint:
    """A part as a record refers to it: ``digest`` of its netlist and specification, and the titles of its
    ``mutants``."""

    part: str
    digest: str
    mutants: tuple[str, ...]


def fingerprints(parameters: TranscoderParameters, without: Collection[str] = ()) -> dict[str, PartFingerprint]:
    """The design of each part of a core's proof, by part, but of those named in ``without``. Raises OSError."""
    return {proof.name: fingerprint_of(parameters, proof) for proof in proofs(parameters) if proof.name not in without}


def fingerprint_of(parameters: TranscoderParameters, proof: Proof) -> PartFingerprint:
    """The design of a part of that core's proof. Raises OSError."""
    def build(folder: Path) -> None:
        titles = tuple(mutant.title for mutant in proof.mutants)
        now = PartFingerprint(proof.name, proof.miter(None).digest, titles)
        (folder / "design.json").write_text(json.dumps(astuple(now)), encoding="utf-8")

    key = digest(sources(), json.dumps(parameters.record()), proof.name)
    kept = built("fingerprints", key, build) / "design.json"
    part, number, mutants = json.loads(kept.read_text(encoding="utf-8"))
    return PartFingerprint(part, number, tuple(mutants))


@cache
def sources() -> str:
    """Hash of all sources that decide what is proven of a core: design, parts, specifications and mutants."""
    parts = [importlib.metadata.version("amaranth")]
    for package in (Path(runewire_model.__path__[0]), Path(runewire_rtl.__path__[0]), Path(__file__).parent):
        here = package == Path(__file__).parent
        for source in sorted({*package.rglob("*.py"), *package.rglob("*.v")}):
            if here and source.name in UNRELATED:
                continue
            parts += [source.relative_to(package).as_posix(), source.read_text(encoding="utf-8")]
    return digest(*parts)
