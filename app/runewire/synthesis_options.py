"""Options, store and progress bar of the commands that synthesise, place and route."""

import contextlib
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from runewire_fpga import SweepPoint, Trials
from runewire_jobs.cache import Store, cache_directory
from runewire_model.core_options import core_command

from .console import error_console
from .options import at_least, whole_number

Jobs = Annotated[int | None, typer.Option(
    parser=at_least(1, whole_number), metavar="N", show_default=False,
    help="Programs that run at a time on this machine. Default: one a processor.")]
Seeds = Annotated[int, typer.Option(
    parser=at_least(1, whole_number), metavar="N", help="Runs of place and route, with the seeds 1 to this.")]


def store() -> Store:
    """The store of results, so that nothing is synthesised or placed twice."""
    return Store(cache_directory() / "implementation")


def synth_command(point: SweepPoint, seeds: int | None = None, liberty: Path | None = None, *,
                  place: bool = False) -> str:
    """The command line that measures this point, with the options that are not the default.

    ``seeds``: None if no device is placed on; ``liberty``: file of the library of cells that is the target; ``place``:
    with qflow.
    """
    speed, memory = point.speed, point.memory
    words = [*core_command("synth", point.parameters), "--target", point.target, *(["--speed", speed] if speed else [])]
    words += [*(["--liberty", str(liberty)] if liberty else []), *(["--memory", memory] if memory else [])]
    words += ["--place"] if place else []
    words += ["--seeds", str(seeds)] if seeds is not None else []
    return shlex.join(words)


@contextlib.contextmanager
def progress(points: Sequence[SweepPoint], trials: Trials) -> Iterator[Callable[[str], None]]:
    """A progress bar over all steps on a terminal; yields the function to call after each step."""
    console = error_console()
    if not console.is_terminal:
        yield lambda step: None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=sum(map(trials.steps, points)))
        yield lambda step: bar.update(task, advance=1, description=step)
