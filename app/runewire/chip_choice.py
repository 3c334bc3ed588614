"""The chips that carry a line rate, smallest first, from the datasheet's cores on each."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runewire_benchmark import datasheet
from runewire_benchmark.datasheet import Entry
from runewire_model import TranscoderParameters

from .plan import Option, RatePlan

MOST_COPIES = 16
"""Cores side by side on a chip to buy; what hands out packets to more of them is a larger design than the cores."""


@dataclass(frozen=True)
class ChipPlan:
    """The cores of one chip, compared with the rate. ``target``: the chip's name for ``--target``."""

    target: str
    plan: RatePlan

    @property
    def best(self) -> Option | None:
        """The cores to take in the worst case, with full beats where there is a choice; None if none carry the rate."""
        return min(self.plan.carrying, key=lambda option: option.entry.packing == "sparse", default=None)

    @property
    def shown(self) -> Option:
        """The best, or the core that is nearest to the rate."""
        return self.best or self.plan.nearest

    @property
    def size(self) -> float:
        """Look-up tables of the chip; a chip of unknown size counts as larger than all others."""
        return self.shown.entry.device_luts or math.inf


def entries_by_target(entries: Sequence[Entry], core: TranscoderParameters,
                      targets: Iterable[str]) -> dict[str, list[Entry]]:
    """The datasheet's entries of a core on each of the targets that has some."""
    found = {target: [entry for entry in datasheet.of_core(entries, core, target) if entry.target == target]
             for target in targets}
    return {target: chosen for target, chosen in found.items() if chosen}


def smallest_first(plans: Iterable[ChipPlan]) -> list[ChipPlan]:
    """Chips in order of their look-up tables; first those that carry the rate."""
    return sorted(plans, key=lambda each: (each.best is None, each.size))


def chips_to_buy(plans: Iterable[ChipPlan]) -> list[ChipPlan]:
    """The smallest chip that carries the rate with at most `MOST_COPIES` cores, at a clock whose limits are all known;
    then a smaller one with unknown limits. If all take more cores, the chips with the fewest cores.

    Returns
    -------
    list
        Of no, one or two chips, the one with known limits first
    """
    carrying = [each for each in smallest_first(plans) if each.best]
    fewest = min((each.shown.copies for each in carrying), default=0)
    carrying = [each for each in carrying if each.shown.copies <= max(MOST_COPIES, fewest)]
    sure = next((each for each in carrying if not each.shown.entry.unknown_limits), None)
    smallest = carrying[:1] if carrying[:1] != [sure] else []
    return [*([sure] if sure else []), *smallest]
