"""``runewire mutate``."""

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import as_completed
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from runewire_jobs.pool import Workers, result, workers
from runewire_model import TranscoderParameters
from runewire_proofs import Engine
from runewire_sim.mutation import Asked, Fate, MutationRecord, fates, judged, sound
from runewire_sim.mutation.trials import KILLS

from ..console import error_console, output_console
from ..files import write_bytes
from ..options import Seed, number, whole_number, with_core, writable
from ..parallel import Jobs, Scheduler
from ..usage_errors import UsageFailure

TOGETHER = 10
"""Mutants that a worker judges in one call."""


@with_core
def mutate(
    parameters: TranscoderParameters,
    mutants: Annotated[int, typer.Option(parser=whole_number, metavar="N", help="Mutants.")] = 300,
    seed: Seed = 0,
    timeout: Annotated[float, typer.Option(
        parser=number, metavar="SECONDS", help="Limit of each comparison of a survivor with the sound core.")] = 300,
    output: Annotated[Path | None, typer.Option(
        "--json", metavar="FILE", callback=writable, help="Write how mutants were killed, and all that survived.",
        show_default=False)] = None,
    jobs: Jobs = 1,
    scheduler: Scheduler = None,
) -> int:
    """Break a core's netlist in one bit at a time, and see whether simulation finds out.

    Each mutant is simulated until a trial distinguishes it from the sound core. A survivor is then compared with the
    sound core for all inputs. Exit status 0: every mutant is killed, or proven equivalent; 1: otherwise, and each of
    the others is named.
    """
    if mutants < 1:
        raise UsageFailure(f"--mutants must be at least 1, got {mutants}")
    if timeout <= 0:
        raise UsageFailure(f"--timeout must be above 0 seconds, got {timeout:g}")
    engine = Engine.find()
    began = time.monotonic()
    record = MutationRecord.begin(parameters, seed)
    console = output_console()
    with (console.status("building", spinner="line") if console.is_terminal else contextlib.nullcontext() as status,
          workers(jobs, scheduler) as found):
        def show(done: int, survived: int) -> None:
            if status is not None:
                status.update(f"{done} of {mutants} mutants, {survived} survived")

        if found is not None:
            for fate in _together(Asked.of(parameters, mutants, seed, engine, timeout), found, show):
                record.add(fate)
        else:
            for fate in fates(parameters, mutants, seed, engine, timeout):
                record.add(fate)
                show(record.mutants, len(record.survived))
    table = Table("mutants", "number", box=None)
    for kill, count in sorted(record.killed.items(), key=lambda item: -item[1]):
        table.add_row(f"killed: {KILLS[kill]}", str(count))
    table.add_row("equivalent to the sound core", str(record.equivalent))
    table.add_row("unexplained", str(len(record.unexplained)))
    console.print(table)
    console.print(f"{parameters}: {100 * record.score:.1f} % of the mutants that are not equivalent are killed")
    for fate in record.unexplained:
        after = "" if fate.cycles is None else f" after {fate.cycles} cycles"
        error_console().print(f"runewire: mutant {fate.number} survived, {fate.verdict}{after}: {fate.mutation}")
    record.seconds = round(time.monotonic() - began, 1)
    if output is not None:
        write_bytes(output, record.json().encode())
    return 1 if record.unexplained else 0


def _together(asked: Asked, found: Workers, show: Callable[[int, int], None]) -> list[Fate]:
    """The mutants' fates, in order; the record is the same as from one process."""
    calls = [found.submit(sound, asked),
             *(found.submit(judged, asked, range(number, min(number + TOGETHER, asked.count + 1)))
               for number in range(1, asked.count + 1, TOGETHER))]
    fates: list[Fate] = []
    for call in as_completed(calls):
        fates += result(call) or ()
        show(len(fates), sum(not fate.kill for fate in fates))
    return sorted(fates, key=lambda fate: fate.number)
