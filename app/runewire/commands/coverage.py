"""``runewire coverage``."""

from collections import Counter

from rich.table import Table
from runewire_model import TranscoderParameters
from runewire_sim.coverage import cover

from ..console import error_console, output_console
from ..options import Seed, with_core


@with_core
def coverage(parameters: TranscoderParameters, seed: Seed = 0) -> int:
    """Send each rule of the grammar through each lane, beat boundary and stall of a core, and count what was seen.

    With records, each of them counts too, from lane to lane.

    Exit status 0: all was seen and hardware and model agree; 1: not so, and each hole is named.
    """
    coverage, wrong = cover(parameters, seed)
    table = Table("cross", "goals", "seen", "", box=None)
    total, missing = Counter(goal.kind for goal in coverage.seen), Counter(goal.kind for goal in coverage.holes)
    for kind, count in total.items():
        seen = count - missing[kind]
        table.add_row(kind, f"{count:,}", f"{seen:,}", f"{100 * seen / count:.1f} %")
    output_console().print(table)
    if wrong is not None:
        error_console().print(f"runewire: hardware and model differ: {wrong}")
    for goal in coverage.holes:
        error_console().print(f"runewire: not seen: {goal}")
    return 1 if wrong is not None or coverage.holes else 0
