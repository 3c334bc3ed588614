"""A pool of workers, on this machine or on a Dask cluster; every call runs in a subprocess."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from typing import Any

from .call import answer, perform, task
from .cluster import cluster, unwanted_there
from .errors import ToolError, worker_failure


class Workers:
    """The pool; it runs ``places()`` calls at a time."""

    def __init__(self, executor: Executor, call: Callable[[bytes], bytes], places: Callable[[], int]) -> None:
        self._executor = executor
        self._call = call
        self.places = places

    def submit(self, function: Callable[..., Any], *given: Any) -> Future[bytes]:
        """Start the call ``function(*given)``; the function must be importable by name. `result` has the outcome."""
        return self._executor.submit(self._call, task(function, *given))


def result(future: Future[bytes]) -> Any:
    """The result of a finished call. Raises ToolError where the call raised, a worker failed or the cluster is lost."""
    try:
        returned = future.result()
    except ToolError:
        raise
    except CancelledError:
        raise ToolError("the cluster was lost; what was done is kept, run the same again") from None
    except Exception as error:
        raise worker_failure(error) from error
    return answer(returned)


@contextlib.contextmanager
def workers(jobs: int, scheduler: str | None) -> Iterator[Workers | None]:
    """A pool of ``jobs`` subprocesses, or of the cluster at ``scheduler``; None for one job on this machine.

    When the block ends, unfinished calls are ended. Raises ToolError as `cluster` does.
    """
    if scheduler is not None:
        with cluster(scheduler) as found:
            yield Workers(found.executor, there, found.places)
    elif jobs == 1:
        yield None
    else:
        over = threading.Event()
        with ThreadPoolExecutor(jobs) as threads:
            try:
                yield Workers(threads, lambda asked: perform(asked, over.is_set), lambda: jobs)
            finally:
                over.set()
                threads.shutdown(cancel_futures=True)


def there(asked: bytes) -> bytes:
    """Performs a task on a worker of a cluster."""
    return perform(asked, unwanted_there())
