"""Points of a sweep: a core on a device, what is placed for each, and a point that could not be measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runewire_rtl.parameters import TranscoderParameters

from .designs import Variant
from .measurement import Measurement
from .targets import target


@dataclass(frozen=True)
class SweepPoint:
    """A core on a device.

    Attributes
    ----------
    parameters : the core
    target : name of a target, or one of `AUTOMATIC`
    speed : speed grade; None for the fastest
    memory : one of `MEMORIES`; None for the default of the core's pipeline
    """

    parameters: TranscoderParameters
    target: str
    speed: str | None = None
    memory: str | None = None

    def __str__(self) -> str:
        memory = f" with {self.memory} memory" if self.memory else ""
        return f"{self.parameters} on {self.target}{memory}"

    def checked(self) -> tuple[str, str]:
        """Speed grade and memory. Raises `ValueError` for a target, a grade or a memory that does not exist."""
        found = target(self.target)
        return found.speed(self.speed), found.family.memory(self.parameters.pipeline, self.memory)


@dataclass(frozen=True)
class FailedPoint:
    """A point that could not be measured.

    ``reason``: one line for people. ``measured``: the area of a core that is larger than its device, else None.
    """

    point: SweepPoint
    reason: str
    measured: Measurement | None = None


@dataclass(frozen=True)
class Trials:
    """What is placed for each point of a sweep.

    Attributes
    ----------
    seeds : runs of place and route for each variant, with the seeds 1 to this
    variants : the variants to place; the core itself is one of them
    made_by : command line that measures a point
    """

    seeds: int
    variants: Sequence[Variant]
    made_by: Callable[[SweepPoint], str]

    def placed(self, *, out_of_context: bool) -> list[Variant]:
        """The variants without duplicates: a core that is not placed out of context is between registers anyway."""
        return [variant for variant in self.variants if out_of_context or variant is not Variant.BETWEEN_REGISTERS]

    def steps(self, point: SweepPoint) -> int:
        """Number of steps that a sweep reports for a point that does not fail."""
        family = target(point.target).family
        if family.nextpnr is None:
            return 2
        placed = self.placed(out_of_context=family.out_of_context)
        again = Variant.PLAIN_FLOW in placed and not family.out_of_context
        return 2 + again + sum(
            (variant is not Variant.CORE or not family.out_of_context) + self.seeds for variant in placed)
