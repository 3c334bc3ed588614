"""A part of a core's proof: how its claim is decided, and the faults that the proof must find."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .faults import Mutant
from .miter import Change, Miter
from .ports import Cut

INDUCTIVE = "lcorr; scorr -C 10000000; dprove -jpurm -F 1"
"""Induction over the registers where they are: for properties with lemmas that make them inductive together."""

Facts = dict[str, int] | None
"""Numbers of a harness. A broken copy has the sound part's; None lets the sound part measure its own."""


@dataclass(frozen=True)
class Proof:
    """The proof of the part ``name`` of a core. Its claim is in the docstring of the function that makes it.

    ``reduce``: ABC's command for the induction; ``scripts``: its commands for each output that this leaves open.
    ``frames``: instead of these, the number of cycles in a bounded proof. ``miter`` builds the comparison, of a broken
    copy with the numbers of the sound part. ``mutants``: faults, each of which must be refuted.
    """

    name: str
    reduce: str
    scripts: Sequence[str]
    miter: Callable[[Facts], Miter]
    mutants: Sequence[Mutant]
    frames: int = 0


def against(
    harness: str, *others: str, cut: Callable[[], Cut], lemmas: bool = False, delivered: bool = False,
    changes: Sequence[Change] = (),
) -> Callable[[Facts], Miter]:
    """The comparison of a cut with the harness of that name in `spec/parts/`, which needs the ``others`` there.

    With ``lemmas`` the harness also looks inside the sound part; what is broken has to show at its ports.
    ``delivered``: the cut is Verilog. ``changes``: as in `Miter`.
    """
    sources = [f"parts/{name}.v" for name in (harness, *others)]

    def miter(facts: Facts) -> Miter:
        made = cut()
        numbers = facts or made.facts
        if lemmas:
            numbers = {**numbers, "LEMMAS": int(facts is None)}
        return Miter(made.rtlil, harness, sources, numbers, delivered=delivered, changes=changes)

    return miter


def broken_copy(proof: Proof, mutant: Mutant, sound: Miter) -> Miter:
    """The comparison of a part with one fault in its design; ``sound`` is the same comparison without it.

    Raises LookupError where the fault is nowhere in the design, or leaves it as it was.
    """
    broken = sound
    if mutant.rebuilt:
        with mutant.broken():
            broken = proof.miter(sound.parameters)
    broken = replace(broken, edits=mutant.edits)
    if broken.netlist == sound.netlist:
        raise LookupError(f"the mutant {mutant.title!r} of part {proof.name} leaves the design as it was")
    return broken
