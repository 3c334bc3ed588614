"""Proofs of the cores against an independent, byte-serial specification, and of the proofs' own worth."""

from .chain import Link, chain
from .checking.check import Check
from .checking.checker import checker_name
from .cone import Cone, ConeRecord, cone
from .engines import Engine, Outcome
from .fingerprint import PartFingerprint, fingerprint_of, fingerprints
from .kept_cores import (
           COMPACT,
           CORES,
           FAMILY,
           FLOWS,
           KEPT,
           NULL_BYTES,
           OPTIONS,
           OTHER_PAIRS,
           PACKERS,
           RECORDS,
           VARIANTS,
)
from .parts import proofs
from .parts.window import unproven_counters
from .proof import Proof
from .record import EngineRun, PartRecord, ProofRecords
from .run import check_part, run, run_part
from .stuck import Stuck, StuckRecord, StuckRun, StuckSearch

__all__ = [
           "COMPACT",
           "CORES",
           "FAMILY",
           "FLOWS",
           "KEPT",
           "NULL_BYTES",
           "OPTIONS",
           "OTHER_PAIRS",
           "PACKERS",
           "RECORDS",
           "VARIANTS",
           "Check",
           "Cone",
           "ConeRecord",
           "Engine",
           "EngineRun",
           "Link",
           "Outcome",
           "PartFingerprint",
           "PartRecord",
           "Proof",
           "ProofRecords",
           "Stuck",
           "StuckRecord",
           "StuckRun",
           "StuckSearch",
           "chain",
           "check_part",
           "checker_name",
           "cone",
           "fingerprint_of",
           "fingerprints",
           "proofs",
           "run",
           "run_part",
           "unproven_counters",
]
