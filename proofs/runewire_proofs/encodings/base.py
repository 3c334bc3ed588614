"""Serial specifications of an encoding, and the faults of its front and back ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from runewire_model import TranscoderParameters

from ..faults import Mutant

Mutants = Callable[[TranscoderParameters], list[Mutant]]


def no_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Where there is nothing to break."""
    return []


@dataclass(frozen=True)
class Specification:
    """Specification of an encoding. ``source``, ``target``: Verilog files of ``spec/encodings/`` that read or write it.
    ``source_mutants``, ``target_mutants``: faults of a core's front or back end that they must refute."""

    source: str
    target: str
    source_mutants: Mutants
    target_mutants: Mutants = no_mutants


@dataclass(frozen=True)
class Fused:
    """Specification of a fused pair. ``target``: the Verilog file that replaces the target of the encoding written;
    ``mutants`` replace the faults of that encoding. ``ahead``: units after a beat that the target sees; if more than
    one, it is a target for `window_ahead.v`."""

    target: str
    mutants: Mutants
    ahead: int = 1
