"""Whether records belong to the present design; every table's † comes from here."""

from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial

from runewire.console import step_progress
from runewire_model import TranscoderParameters, __version__
from runewire_proofs import KEPT, ConeRecord, PartFingerprint, ProofRecords, StuckRecord, fingerprints
from runewire_sim import generated
from runewire_sim.code_coverage import CodeRecord
from runewire_sim.mutation import MutationRecord

from .part import RECORDS

PROOFS = RECORDS / "proofs.jsonl"
UNRECORDED = frozenset({"printing"})
"""Parts that have no record, as their design is the complete Verilog of a core: to build it takes minutes if it is
wide. `runewire prove` proves them each time."""
STALE = "†"
"""Marks records of a former design."""


def former_note(versions: Iterable[str]) -> list[str]:
    """Lines under a table with records of a former design, of these versions."""
    found = " and ".join(sorted(set(versions)))
    return ["", f"{STALE} Record of runewire {found}, not of the present design ({__version__})."] if found else []


def is_present(record: MutationRecord | CodeRecord | ConeRecord | StuckRecord) -> bool:
    """Whether the record belongs to the present Verilog of its core."""
    return record.verilog == generated(TranscoderParameters.of(record.core)).fingerprint


def fingerprints_of(cores: Mapping[str, TranscoderParameters]) -> dict[str, str]:
    """The fingerprint of the present Verilog of each core."""
    return {name: generated(core).fingerprint for name, core in cores.items()}


@cache
def present_parts() -> dict[TranscoderParameters, dict[str, PartFingerprint]]:
    """The present parts of all cores with a recorded proof, but the `UNRECORDED` ones; building them takes all
    processors some minutes."""
    ledger = ProofRecords.of(PROOFS.read_text(encoding="utf-8"))
    known = {core for core, _ in ledger.entries}
    cores = [core for core in KEPT if core in known]
    found: dict[TranscoderParameters, dict[str, PartFingerprint]] = {}
    with step_progress("parts of proofs") as step, ProcessPoolExecutor() as pool:
        for core, parts in zip(cores, pool.map(partial(fingerprints, without=UNRECORDED), cores), strict=True):
            found[core] = parts
            step(f"{len(found)} of {len(cores)} cores")
    return found
