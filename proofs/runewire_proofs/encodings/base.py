"""What the proofs have of an encoding: serial specifications, and front and back ends broken on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from runewire_model import TranscoderParameters

from ..faults import Mutant

__all__ = ["Fused", "Specification"]

Mutants = Callable[[TranscoderParameters], list[Mutant]]


def no_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Where there is nothing to break."""
    return []


@dataclass(frozen=True)
class Specification:
    """``source``, ``target``: Verilog files of ``spec/`` with modules of these names, which read or write the encoding.
    ``source_mutants``, ``target_mutants``: what each must refute of a core that it is in."""

    source: str
    target: str
    source_mutants: Mutants
    target_mutants: Mutants = no_mutants


@dataclass(frozen=True)
class Fused:
    """``target``: the Verilog file of a target that stands in for that of the encoding which a fused pair writes.
    ``mutants``: what it must refute in place of those of that encoding. ``ahead``: units after a beat that the target
    knows: where they are more than one, it is a target for `window_ahead.v`."""

    target: str
    mutants: Mutants
    ahead: int = 1
