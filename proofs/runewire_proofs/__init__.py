"""Proofs of the cores against an independent, byte-serial specification, and of the proofs' own worth."""

from .design import Design, design_of, designs
from .engines import Engine, Outcome
from .ledger import COMPACT, CORES, FAMILY, KEPT, OPTIONS, OTHER_PAIRS, VARIANTS, Entry, Ledger
from .plan import Proof, Record, proofs, run, run_part

__all__ = ["COMPACT", "CORES", "FAMILY", "KEPT", "OPTIONS", "OTHER_PAIRS", "VARIANTS", "Design", "Engine", "Entry",
           "Ledger", "Outcome", "Proof", "Record", "design_of", "designs", "proofs", "run", "run_part"]
