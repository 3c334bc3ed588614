"""Packing: each item gets a number, moves to its lane, and is written to its row."""
