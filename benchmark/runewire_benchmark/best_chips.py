"""The fastest core of each job on any chip, for a comparison whose cores are all on one."""

from collections.abc import Iterable
from dataclasses import dataclass

from .datasheet import Entry, with_usual_options
from .tasks import TASKS, Job


@dataclass(frozen=True)
class BestChip:
    """The fastest core at ``job``, on another device than the comparison's.

    ``gigabytes_per_second``: modelled, the median over the clean texts in one piece.
    """

    job: Job
    entry: Entry
    gigabytes_per_second: float


def fastest_elsewhere(entries: Iterable[Entry], target: str) -> dict[Job, Entry]:
    """For each job the fastest core among ``entries`` with default options, where it is not one on ``target``.

    Only cores of the job's own encodings count, none with wider ones.
    """
    usual, found = with_usual_options(entries), {}
    for job, task in TASKS.items():
        cores = [entry for entry in usual
                 if (entry.parameters.source, entry.parameters.target) == (task.source, task.target)]
        best = max(cores, key=lambda entry: (entry.lanes * entry.clock_mhz, entry.target == target), default=None)
        if best is not None and best.target != target:
            found[job] = best
    return found
