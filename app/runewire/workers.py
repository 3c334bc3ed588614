"""Work of several processes, on this machine or on a Dask cluster: what `soak`, `mutate` and `prove` have in common."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from typing import Annotated, Any

import typer
from runewire_rtl.errors import ToolError

from .apart import answer, apart, task
from .clusters import cluster, unwanted_there
from .options import at_least, whole_number

__all__ = ["Jobs", "Workers", "result", "workers"]

Jobs = Annotated[int, typer.Option(
    parser=at_least(1, whole_number), metavar="N", help="Processes that work at a time on this machine.")]


class Workers:
    """Where calls are made, each in a process of its own; ``places`` says how many at a time."""

    def __init__(self, executor: Executor, call: Callable[[bytes], bytes], places: Callable[[], int]) -> None:
        self._executor = executor
        self._call = call
        self.places = places

    def submit(self, function: Callable[..., Any], *given: Any) -> Future[bytes]:
        """Have a function called that is known by its name; `result` tells what came of it."""
        return self._executor.submit(self._call, task(function, *given))


def result(future: Future[bytes]) -> Any:
    """What the function of a call that is done returned.

    Raises ToolError where that did, or a worker failed, or the cluster is lost.
    """
    try:
        told = future.result()
    except ToolError:
        raise
    except CancelledError:
        raise ToolError("the cluster was lost; what was done is kept, run the same again") from None
    except Exception as error:
        raise ToolError(f"a worker failed: {type(error).__name__}: {error}".partition("\n")[0]) from error
    return answer(told)


@contextlib.contextmanager
def workers(jobs: int, scheduler: str | None) -> Iterator[Workers | None]:
    """The workers that are asked for; None where this process works alone. At the end of the block all that they still
    do is ended. Raises ToolError as `cluster` does."""
    if scheduler is not None:
        with cluster(scheduler) as found:
            yield Workers(found.executor, there, found.places)
    elif jobs == 1:
        yield None
    else:
        over = threading.Event()
        with ThreadPoolExecutor(jobs) as threads:
            try:
                yield Workers(threads, lambda asked: apart(asked, over.is_set), lambda: jobs)
            finally:
                over.set()
                threads.shutdown(cancel_futures=True)


def there(asked: bytes) -> bytes:
    """What a worker of a cluster calls."""
    return apart(asked, unwanted_there())
