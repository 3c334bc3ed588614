"""Faults built into the generated netlists one at a time, and whether the trials find them."""

from .score import Fate, Record, fates, fingerprint

__all__ = ["Fate", "Record", "fates", "fingerprint"]
