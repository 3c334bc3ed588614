"""Throughput of placed cores, and of other software at the same tasks, and how they compare."""
