"""Conformance kit: tries any Unicode core on the vectors, in Icarus, Verilator or cocotb.

`runewire conformance --write DIR` copies this package to DIR. It imports the standard library alone, and cocotb if that
runs the bench, so it works without runewire.
"""
