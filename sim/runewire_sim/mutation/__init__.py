"""Faults built into the generated netlists one at a time, and whether the trials find them."""

from .score import Asked, Fate, Record, fates, fingerprint, judged, sound

__all__ = ["Asked", "Fate", "Record", "fates", "fingerprint", "judged", "sound"]
