"""``runewire coverage``."""

import time
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from runewire_model import TranscoderParameters
from runewire_sim.code_coverage import CodeCoverage, CodeRecord, cover_code
from runewire_sim.coverage import cover

from ..console import error_console, output_console
from ..files import write_bytes
from ..options import Seed, with_core, writable
from ..usage_errors import UsageFailure


@with_core
def coverage(
    parameters: TranscoderParameters,
    code: Annotated[bool, typer.Option("--code", help="Count lines, branches and toggles of the Verilog too.")] = False,
    seed: Seed = 0,
    output: Annotated[Path | None, typer.Option(
        "--json", metavar="FILE", callback=writable, help="Write the code coverage (with --code).",
        show_default=False)] = None,
) -> int:
    """Send each rule of the grammar through each lane, beat boundary and stall of a core, and count what was seen.

    With records, the records are counted too, in every lane, and for splitters, filters and record reports what becomes
    of them. With flows, a segment ends after each byte of each rule. With --code, lines, branches and toggles of the
    Verilog are counted as well. That run has more packets, resets between them, and errors at large offsets.

    Exit status 0: everything reachable was seen, and hardware and model agree; 1: otherwise, and each hole is named.
    """
    if output is not None and not code:
        raise UsageFailure("--json writes the code coverage: give --code too")
    began = time.monotonic()
    found: CodeCoverage | None = None
    if code:
        goals, found, wrong = cover_code(parameters, seed)
    else:
        goals, wrong = cover(parameters, seed)
    table = Table("cross", "goals", "seen", "", box=None)
    total, missing = Counter(goal.kind for goal in goals.seen), Counter(goal.kind for goal in goals.holes)
    for kind, count in total.items():
        seen = count - missing[kind]
        table.add_row(kind, f"{count:,}", f"{seen:,}", f"{100 * seen / count:.1f} %")
    output_console().print(table)
    if wrong is not None:
        error_console().print(f"runewire: hardware and model differ: {wrong}")
    for goal in goals.holes:
        error_console().print(f"runewire: not seen: {goal}")
    clean = found is None or _tell(found)
    if output is not None and found is not None:
        seconds = round(time.monotonic() - began, 1)
        write_bytes(output, CodeRecord.begin(parameters, seed, found, seconds).json().encode())
    return 0 if wrong is None and not goals.holes and clean else 1


def _tell(code: CodeCoverage) -> bool:
    """Print the code coverage; returns whether it is complete."""
    table = Table("code", "points", "seen", "unreachable", "", box=None)
    total, unseen = Counter(point.kind for point in code.seen), Counter(point.kind for point in code.unseen)
    holes = Counter(point.kind for point in code.holes)
    for kind, count in sorted(total.items()):
        seen, unreachable = count - unseen[kind], unseen[kind] - holes[kind]
        share = f"{100 * seen / (count - unreachable):.1f} %"
        table.add_row(kind, f"{count:,}", f"{seen:,}", f"{unreachable:,}", share)
    output_console().print(table)
    for point in code.holes:
        error_console().print(f"runewire: not seen: {code.file}, {point}")
    for point in code.refuted:
        error_console().print(f"runewire: seen, though said to be unreachable: {code.file}, {point}")
    return not code.holes and not code.refuted
