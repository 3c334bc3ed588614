"""Faults built into the generated netlists one at a time, and whether the trials find them."""

from .score import Asked, Fate, MutationRecord, fates, fingerprint, judged, sound

__all__ = ["Asked", "Fate", "MutationRecord", "fates", "fingerprint", "judged", "sound"]
