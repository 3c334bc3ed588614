"""Mutation testing of the test bench: one fault at a time in a core's netlist, and whether the trials find it."""

from .score import Asked, Fate, MutationRecord, fates, judged, sound

__all__ = ["Asked", "Fate", "MutationRecord", "fates", "judged", "sound"]
