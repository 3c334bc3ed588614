"""``runewire coverage``."""

from collections import Counter
from typing import Any

from rich.table import Table
from runewire_sim.coverage import cover

from ..console import error_console, output_console
from ..options import Bom, Core, Errors, Lanes, Packing, Pipeline, Replacement, Seed, core_parameters, with_sidebands


@with_sidebands
def coverage(
    core: Core,
    lanes: Lanes = None,
    errors: Errors = None,
    replacement: Replacement = None,
    bom: Bom = None,
    packing: Packing = None,
    pipeline: Pipeline = None,
    seed: Seed = 0,
    *, sidebands: dict[str, Any],
) -> int:
    """Send each rule of the grammar through each lane, beat boundary and stall of a core, and count what was seen.

    With records, each of them counts too, from lane to lane.

    Exit status 0: all was seen and hardware and model agree; 1: not so, and each hole is named.
    """
    parameters = core_parameters(core, lanes=lanes, errors=errors, replacement=replacement, bom=bom, packing=packing,
                                 pipeline=pipeline, **sidebands)
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
