"""Whether records belong to the present design; every table's † comes from here."""

import multiprocessing
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import TypeVar

from runewire.console import step_progress
from runewire_model import TranscoderParameters, __version__
from runewire_proofs import KEPT, ConeRecord, PartFingerprint, ProofRecords, StuckRecord, fingerprints, proofs
from runewire_sim import generated
from runewire_sim.code_coverage import CodeRecord
from runewire_sim.mutation import MutationRecord

from .part import RECORDS

Made = TypeVar("Made")

PROOFS = RECORDS / "proofs.jsonl"
PRINTING = "printing"
"""The part whose design is the complete Verilog of a core. It takes seconds to build, far longer than the others, so
the tables of proofs leave it out, and it has a table of its own."""
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
    """The present parts of all cores with a recorded proof, without `PRINTING`; building them takes all processors
    some minutes."""
    ledger = ProofRecords.of(PROOFS.read_text(encoding="utf-8"))
    known = {core for core, _ in ledger.entries}
    return _each("parts of proofs", partial(fingerprints, without={PRINTING}),
                 [core for core in KEPT if core in known])


def is_printed(core: TranscoderParameters) -> bool:
    """Whether a core has the part `PRINTING`; splitters and filters do not. Their proofs take long to list."""
    return core.core not in ("splitter", "filter")


@cache
def present_printing() -> dict[TranscoderParameters, PartFingerprint]:
    """The present part `PRINTING` of all cores with a record of it; building them takes all processors some minutes."""
    ledger = ProofRecords.of(PROOFS.read_text(encoding="utf-8"))
    return _each("Verilog of proofs", _printing, [core for core in KEPT if (core, PRINTING) in ledger.entries])


def _printing(core: TranscoderParameters) -> PartFingerprint:
    return fingerprints(core, without={proof.name for proof in proofs(core)} - {PRINTING})[PRINTING]


def _each(what: str, make: Callable[[TranscoderParameters], Made],
          cores: Sequence[TranscoderParameters]) -> dict[TranscoderParameters, Made]:
    """What ``make`` gives for each core, on all processors. An exception or a signal ends it at once."""
    found: dict[TranscoderParameters, Made] = {}
    # Unlike the executors of `concurrent.futures`, this pool does not wait for cores that take minutes.
    with step_progress(what) as step, multiprocessing.Pool() as pool:
        for core, made in zip(cores, pool.imap(make, cores), strict=True):
            found[core] = made
            step(f"{len(found)} of {len(cores)} cores")
    return found
