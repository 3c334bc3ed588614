"""Proofs of the cores against an independent, byte-serial specification, and of the proofs' own worth."""

from .engines import Engine, Outcome
from .plan import Proof, Record, proofs, run

__all__ = ["Engine", "Outcome", "Proof", "Record", "proofs", "run"]
