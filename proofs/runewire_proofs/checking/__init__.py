"""Checks of proofs: the engine writes an invariant, and another solver checks it on the graph as Yosys wrote it."""
