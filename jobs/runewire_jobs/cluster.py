"""A Dask cluster as an executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass

from .errors import ToolError, missing

CONNECT_SECONDS = 20


@dataclass(frozen=True)
class Cluster:
    """``executor`` submits calls to a cluster, which at present runs ``places()`` of them at a time."""

    executor: Executor
    places: Callable[[], int]


@contextmanager
def cluster(address: str) -> Iterator[Cluster]:
    """The cluster whose scheduler is at ``address``, for example ``tcp://host:8786``.

    Its workers need this package, and the tools of their work, in the same versions. The work of a worker that dies
    goes to another one. Raises ToolError when Dask is missing or nothing answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise missing("a cluster needs Dask", "cluster") from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise ToolError(f"no Dask scheduler answers at {address}: {error}") from None
    with client:
        # Not pure: no call is made twice, and a key of large arguments takes long to compute.
        executor: Executor = client.get_executor(pure=False)  # type: ignore[no-untyped-call]
        try:
            yield Cluster(executor, lambda: sum(client.nthreads().values()))  # type: ignore[no-untyped-call]
        finally:
            executor.shutdown(wait=False)


def unwanted_there() -> Callable[[], bool]:
    """For a call on a cluster's worker: a function that returns True once nobody waits for the call any more."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def unwanted() -> bool:
        known = worker.state.tasks.get(key)
        return known is None or known.state == "cancelled"

    return unwanted
