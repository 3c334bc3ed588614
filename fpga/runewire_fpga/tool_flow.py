"""The digest of a measurement's tool flow: what Yosys and nextpnr are asked to do for any core and seed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from runewire_jobs.fingerprint import digest

from .place_and_route import arguments, constraints
from .synthesis import Netlist, script
from .targets import Target

OWN_STEPS = ("output_registers", "write_modes")
"""Modules of this folder that change a netlist between the two programs."""


@cache
def module_text(name: str) -> str:
    """The text of a module of this folder, for the fingerprint of its results."""
    return (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")


def flow_digest(target: Target, speed: str, memory: str, cells: Mapping[str, int], *, compact: bool) -> str:
    """A short fingerprint of the flow for a core of these ``cells``: with another one, its measurement may differ.

    The versions of the programs are not in it: a record lists them.
    """
    family = target.family
    steps = map(module_text, OWN_STEPS)
    commands = script(family, "core", bare=family.out_of_context, memory=memory, compact=compact)
    placed = [] if family.nextpnr is None else [family.nextpnr, *arguments(target, speed, Netlist(b"", cells)),
                                               constraints(target)]
    return digest(*steps, commands, *placed)[:12]
