"""Proofs of the cores against an independent, byte-serial specification, and of the proofs' own worth."""

from .engines import Engine, Outcome
from .fingerprint import Design, design_of, designs
from .kept_cores import COMPACT, CORES, FAMILY, KEPT, OPTIONS, OTHER_PAIRS, VARIANTS
from .parts import proofs
from .parts.window import unproven_counters
from .proof import Proof
from .record import Entry, Ledger, Record
from .run import run, run_part

__all__ = ["COMPACT", "CORES", "FAMILY", "KEPT", "OPTIONS", "OTHER_PAIRS", "VARIANTS", "Design", "Engine", "Entry",
           "Ledger", "Outcome", "Proof", "Record", "design_of", "designs", "proofs", "run", "run_part",
           "unproven_counters"]
