"""The machines of a Dask cluster, as an executor for `sweep`."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from runewire_rtl.errors import ToolError

__all__ = ["cluster"]

CONNECT_SECONDS = 20


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """An executor that works on the cluster whose scheduler is at ``address``, such as ``tcp://host:8786``.

    Its workers need this package with its extra ``synth``, in the same versions. What a worker was doing when
    it died is given to another. Raises ToolError when Dask is missing or nothing answers.
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
            yield executor
        finally:
            executor.shutdown(wait=False)
