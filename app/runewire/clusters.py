"""The machines of a Dask cluster, as an executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer
from runewire_rtl.errors import ToolError

__all__ = ["Cluster", "Scheduler", "cluster", "unwanted_there"]

CONNECT_SECONDS = 20

Scheduler = Annotated[str | None, typer.Option(
    metavar="ADDRESS", show_default=False,
    help="Work on the Dask cluster of this scheduler, such as tcp://host:8786.")]


@dataclass(frozen=True)
class Cluster:
    """``executor`` works on a cluster, which does as many calls at a time as it now has ``places``."""

    executor: Executor
    places: Callable[[], int]


@contextmanager
def cluster(address: str) -> Iterator[Cluster]:
    """The cluster whose scheduler is at ``address``, such as ``tcp://host:8786``.

    Its workers need this package, and the tools of what they are to do, in the same versions. What a worker was doing
    when it died is given to another. Raises ToolError when Dask is missing or nothing answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ToolError("a cluster needs Dask: pip install 'runewire[cluster]'") from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise ToolError(f"no Dask scheduler answers at {address}: {error}") from None
    with client:
        # Not pure: equal calls are never made, and a key of large arguments takes long to work out.
        executor: Executor = client.get_executor(pure=False)  # type: ignore[no-untyped-call]
        try:
            yield Cluster(executor, lambda: sum(client.nthreads().values()))  # type: ignore[no-untyped-call]
        finally:
            executor.shutdown(wait=False)


def unwanted_there() -> Callable[[], bool]:
    """Asked of a call that a worker of a cluster makes: whether nobody waits for it any more."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def unwanted() -> bool:
        known = worker.state.tasks.get(key)
        return known is None or known.state == "cancelled"

    return unwanted
