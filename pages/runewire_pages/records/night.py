"""A night: records of former designs are made again by their commands, for a given time.

What fits into the time comes first, the oldest before the others. Then what does not fit, if its command can continue
later. The soak of random cores has what time is left.
"""

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from runewire_jobs.process import child

from ..part import ROOT
from .group import RecordGroup

PARALLEL = ("prove", "mutate", "soak", "sweep")
"""Commands with the option ``--jobs``."""
GRACE_SECONDS = 120.0
"""Time for a stopped command to write its record."""
LEAST_SOAK = 60.0
"""Seconds below which no soak is begun."""

Run = Callable[[Sequence[str], float], int | None]
"""Runs a command line for so many seconds at most; returns its exit status, None if the time ended it."""


@dataclass(frozen=True)
class Made:
    """A command of the night. ``status``: None if the time ended it; ``seconds``: wall time."""

    group: RecordGroup
    status: int | None
    seconds: float


def night(groups: Sequence[RecordGroup], seconds: float, jobs: int, run: Run,
          begin: Callable[[RecordGroup, float], None], clock: Callable[[], float] = time.monotonic) -> Iterator[Made]:
    """Run the commands of ``groups``, one after another, and yield each when it has ended.

    ``begin`` is called with each group before its command, and the seconds that are left. ``clock``: seconds.
    """
    end = clock() + seconds
    waiting = sorted((group for group in groups if group.due and not group.by_hand and not group.open_ended),
                     key=lambda group: group.age)
    while (left := end - clock()) > 0:
        group = _following(waiting, left)
        if group is None:
            break
        waiting.remove(group)
        yield _made(group, [], left, jobs, run, begin, clock)
    for group in groups:
        if group.open_ended and (left := end - clock()) > LEAST_SOAK:
            yield _made(group, ["--minutes", f"{left / 60:.1f}"], left + GRACE_SECONDS, jobs, run, begin, clock)


def _following(waiting: Sequence[RecordGroup], left: float) -> RecordGroup | None:
    fitting = (group for group in waiting if group.seconds is None or group.seconds <= left)
    return next(fitting, None) or next((group for group in waiting if group.resumable), None)


def _made(group: RecordGroup, options: Sequence[str], left: float, jobs: int, run: Run,
          begin: Callable[[RecordGroup, float], None], clock: Callable[[], float]) -> Made:
    begin(group, left)
    parallel = ["--jobs", str(jobs)] if group.command[1] in PARALLEL else []
    began = clock()
    status = run([*group.command, *parallel, *options], left)
    return Made(group, status, clock() - began)


def run_command(command: Sequence[str], seconds: float) -> int | None:
    """Run a command line of runewire in the checkout, as `Run` does.

    It has the terminal for its progress. KeyboardInterrupt and other exceptions stop it too; it has `GRACE_SECONDS`
    to write its record.
    """
    stdout = subprocess.DEVNULL if command[1] == "soak" else 1  # a soak prints its whole record at its end
    with child([sys.executable, "-m", "runewire.cli", *command[1:]], directory=ROOT, stdout=stdout,
               stderr=2) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            _stop(process)
            return None
        except BaseException:
            _stop(process)
            raise


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ask the command to end. SIGINT would not do: the commands of a job in the background ignore it."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):  # then `child` kills it
        process.wait(GRACE_SECONDS)
